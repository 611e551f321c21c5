"""The tables that landings write, and the commands that change what has landed."""
