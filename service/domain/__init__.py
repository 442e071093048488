"""What is true about photos, days, places, albums and previews. Values in, values out; no I/O, clock or framework."""
