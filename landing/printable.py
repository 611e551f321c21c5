"""Text from the outside, made safe for a terminal and for a log of lines."""


def printable(text: str) -> str:
    """A text without line ends and what a terminal would take for a command."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
