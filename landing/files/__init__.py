"""Lands files: finds them, tells what of each is new, and reads it as messages."""
