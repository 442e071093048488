"""Clients of Tripbook. They speak only the wire and never import `service`."""
