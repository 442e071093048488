"""Tripbook in raggr: its photo tools, and what an agent needs around them to use them well and cheaply."""
