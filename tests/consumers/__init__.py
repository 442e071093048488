"""Real consumers of Tripbook, each in its own environment: what they see of the tools, and scenario B through them."""
