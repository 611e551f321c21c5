"""What the command shows of the warehouse."""
