"""HTTP and nothing else: unpack, call one action, wrap."""
