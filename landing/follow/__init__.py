"""`onelog follow`: lands and builds again and again in one warm session."""
