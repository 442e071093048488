"""The only package that speaks Immich's HTTP."""
