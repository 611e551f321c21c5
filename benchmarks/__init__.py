"""Measures onelog side by side with what one would write by hand; `make bench` runs it."""
