"""Tripbook in raggr: its photo tools, the prompt about them, and their labels."""
