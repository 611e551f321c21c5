"""The command `onelog`: it lands messages, changes landed ones, and shows what came of them."""
