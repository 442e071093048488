"""An Immich look-alike over real HTTP, with a generated household library: for the demo, tests and benchmarks.

It follows what was measured on real servers (2.5.6, 3.1.0 and the structured search of 3.2), persists nothing,
and can be told to fail. Nothing of Tripbook itself is imported here.
"""
