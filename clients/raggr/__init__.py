"""What the household agent needs around the photo tools; an optional extra, `raggr`."""
