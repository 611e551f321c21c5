"""A statement as a row of words, and what they hold: names, types, constants.

The quotes, escapes and comments of each dialect are sqlglot's; its keywords are not used, so that a
word is a word wherever it stands and no statement is cut short as an opaque command.
"""

import functools
import re

from sqlglot import Token, Tokenizer, TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError

QUOTED = "''"  # stands for any quoted token: a quoted word is never a keyword
END = ""

_STRINGS = {
    TokenType.STRING,
    TokenType.NATIONAL_STRING,
    TokenType.RAW_STRING,
    TokenType.NATIONAL_RAW_STRING,
    TokenType.BYTE_STRING,
    TokenType.UNICODE_STRING,
    TokenType.HEREDOC_STRING,
}
_DIGIT_STRINGS = {TokenType.BIT_STRING, TokenType.HEX_STRING}
_QUOTED = _STRINGS | _DIGIT_STRINGS | {TokenType.IDENTIFIER}
_NAMES = _STRINGS | {TokenType.VAR, TokenType.IDENTIFIER}

# Words that begin what follows a column's type; where one stands first, there is no type.
_AFTER_TYPE = {
    *("NOT", "NULL", "DEFAULT", "COMMENT", "PRIMARY", "UNIQUE", "KEY", "CHECK", "REFERENCES"),
    *("COLLATE", "GENERATED", "AS", "CONSTRAINT", "VISIBLE", "INVISIBLE", "FIRST", "AFTER"),
    *("ON", "ENABLE", "DISABLE", "ENCRYPT", "DECRYPT", "ANNOTATIONS"),
}
# Words that continue a type: "double precision", "interval day to second", "long raw".
_IN_TYPE = {
    *("UNSIGNED", "SIGNED", "ZEROFILL", "VARYING", "PRECISION", "RAW", "LARGE", "OBJECT", "ARRAY"),
    *("CHAR", "VARCHAR", "VARCHAR2", "VARBINARY"),
    *("TO", "YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"),
}
_TYPE_TAILS = (
    ("WITH", "TIME", "ZONE"),
    ("WITH", "LOCAL", "TIME", "ZONE"),
    ("WITHOUT", "TIME", "ZONE"),
    ("FOR", "BIT", "DATA"),
    ("CHARACTER", "VARYING"),
)
_TYPED_LITERALS = {"DATE", "TIME", "TIMESTAMP"}

# Each alternative also matches up to the end of the text, so that no place is looked at twice.
_VERSION_COMMENTS = re.compile(
    r"'(?:[^'\\]|\\.)*+(?:'|\Z)"
    r'|"(?:[^"\\]|\\.)*+(?:"|\Z)'
    r"|`[^`]*+(?:`|\Z)"
    r"|(?:\#|--\s)[^\n]*+"
    r"|(?P<open>/\*M?!\d*+)"
    r"|/\*.*?(?:\*/|\Z)"
    r"|(?P<close>\*/)",
    re.DOTALL,
)


class UnreadableError(Exception):
    """The statement is not one that this reader knows; the message says why in one line."""


def words_of(text: str, dialect: str) -> "Words":
    """The text's words. Raises :class:`UnreadableError` for an open quote or comment."""
    if dialect == "mysql" and ("/*!" in text or "/*M!" in text):
        # "/*!40101 … */" is executed by MySQL: only its brackets are a comment.
        text = _VERSION_COMMENTS.sub(
            lambda found: " " * len(found[0]) if found.lastgroup else found[0], text
        )
    try:
        tokens = _tokenizer(dialect).tokenize(text)
    except TokenError as error:
        reason = " ".join(str(error.__cause__ or error).split())[:200]
        raise UnreadableError(f"quotes or comments do not match: {reason}") from error
    words = [QUOTED if token.token_type in _QUOTED else token.text.upper() for token in tokens]
    return Words(text, tokens, words, dialect)


@functools.cache
def _tokenizer(dialect: str) -> Tokenizer:
    # DB2 is unknown to sqlglot; its quotes and comments are PostgreSQL's.
    dialect = {"db2": "postgres"}.get(dialect, dialect)
    known = Dialect.get_or_raise(dialect).tokenizer_class
    only_words = type(known.__name__, (known,), {"KEYWORDS": {}, "COMMANDS": set()})
    return only_words(dialect=dialect)


class Words:
    """A cursor over tokens. Bare words are compared in upper case."""

    def __init__(self, text: str, tokens: list[Token], words: list[str], dialect: str) -> None:
        self.text = text
        self.tokens = tokens
        self.dialect = dialect
        self.at = 0
        self._words = words

    def part(self, start: int, end: int) -> "Words":
        """The words from ``start`` to before ``end``, as a cursor of their own."""
        return Words(self.text, self.tokens[start:end], self._words[start:end], self.dialect)

    def word(self, ahead: int = 0) -> str:
        """The word that many places ahead; END behind the last."""
        place = self.at + ahead
        return self._words[place] if place < len(self._words) else END

    def words_from(self, start: int) -> list[str]:
        """The words from ``start`` to the cursor."""
        return self._words[start : self.at]

    def accept(self, *sequence: str) -> bool:
        """Step over these words if they stand here."""
        end = self.at + len(sequence)
        if self.word() != sequence[0] or tuple(self._words[self.at : end]) != sequence:
            return False
        self.at = end
        return True

    def accept_any(self, *choices: str) -> str:
        """Step over one of these words; which one, or END."""
        word = self.word()
        if word not in choices:
            return END
        self.at += 1
        return word

    def expect(self, *sequence: str) -> None:
        """Step over these words. Raises :class:`UnreadableError` unless they stand here."""
        if not self.accept(*sequence):
            raise UnreadableError(f"expected {' '.join(sequence)} {self.place()}")

    def place(self) -> str:
        """Where the cursor stands, for a message."""
        if self.at >= len(self.tokens):
            return "at the end of the statement"
        shown = " ".join(self.tokens[self.at].text.split())
        return f"at {shown[:40]!r}"

    def step(self) -> None:
        """One word further, or behind the bracket that opens here."""
        if self.word() != "(":
            self.at += 1
            return
        depth = 0
        for place in range(self.at, len(self._words)):
            depth += {"(": 1, ")": -1}.get(self._words[place], 0)
            if depth == 0:
                self.at = place + 1
                return
        raise UnreadableError(f"a bracket is not closed {self.place()}")

    def step_to(self, *stops: str) -> None:
        """To the next of these words outside brackets, or to the end."""
        while (word := self.word()) != END and word not in stops:
            self.step()

    def jump_to(self, stop: str) -> None:
        """To the next such word, in brackets or not, or to the end."""
        try:
            self.at = self._words.index(stop, self.at)
        except ValueError:
            self.at = len(self._words)

    def bracket(self) -> list["Words"]:
        """The items of the list in brackets that opens here, each as words of its own."""
        start = self.at + 1
        self.step()
        inside = self.part(start, self.at - 1)
        items = []
        while inside.word() != END:
            first = inside.at
            inside.step_to(",")
            items.append(inside.part(first, inside.at))
            inside.accept(",")
        return items

    def name(self) -> str:
        """One name as the source keeps it; MySQL's "…" is a string, and a name here."""
        prefix = ""
        while self.dialect == "tsql" and self.accept("#"):
            prefix += "#"
        if self.at >= len(self.tokens) or self.tokens[self.at].token_type not in _NAMES:
            raise UnreadableError(f"expected a name {self.place()}")
        self.at += 1
        token = self.tokens[self.at - 1]
        is_bare = token.token_type == TokenType.VAR
        if is_bare and self.dialect in {"oracle", "db2"}:
            return token.text.upper()
        if is_bare and self.dialect == "postgres":
            return token.text.encode().lower().decode()  # only ASCII letters, as PostgreSQL does
        return prefix + token.text

    def full_name(self) -> list[str | None]:
        """The parts of a dotted name; None for the empty one of ``database..table``."""
        parts: list[str | None] = [self.name()]
        while self.accept("."):
            parts.append(None if self.word() == "." else self.name())
        return parts

    def string(self) -> str | None:
        """The string that stands here, if one does."""
        if self.at < len(self.tokens) and self.tokens[self.at].token_type in _STRINGS:
            self.at += 1
            return self.tokens[self.at - 1].text
        return None

    def data_type(self) -> str | None:
        """A column's type as written, or None where a column says none."""
        start = self.at
        first = self.word()
        if first in _AFTER_TYPE or not (first == QUOTED or first[:1].isalpha() or first[:1] == "_"):
            return None
        self.at += 1
        while self.accept("."):
            self.at += 1
        while self._step_in_type():
            pass
        last = self.tokens[min(self.at, len(self.tokens)) - 1]
        written = self.text[self.tokens[start].start : last.end + 1]
        return re.sub(r"\[(\w+)\]", r"\1", written) if self.dialect == "tsql" else written

    def _step_in_type(self) -> bool:
        if self.word() == "(":
            self.step()
        elif self.word() == "[":
            self.step_to("]")
            self.at += 1
        elif self.word() in _IN_TYPE:
            self.at += 1
        else:
            return any(self.accept(*tail) for tail in _TYPE_TAILS)
        return True

    def constant(self) -> str | None:
        """The text of the constant that stands here; None, and no step, for an expression."""
        start = self.at
        opened = 0
        while self.accept("("):
            opened += 1
        value = self._literal()
        closed = 0
        while closed < opened and self.accept(")"):
            closed += 1
        if self.accept(":", ":"):
            self.data_type()
        if closed < opened or self.word() in {"+", "-", "*", "/", "%", "|", "&", "^", "(", ":"}:
            self.at = start
            return None
        return value

    def _literal(self) -> str | None:
        sign = self.accept_any("-", "+")
        point = "." if self.accept(".") else ""
        if self.at >= len(self.tokens):
            return None
        token = self.tokens[self.at]
        self.at += 1
        if token.token_type == TokenType.NUMBER:
            return sign.replace("+", "") + point + token.text
        if token.token_type in _DIGIT_STRINGS:
            return self.text[token.start : token.end + 1]
        if token.token_type in _STRINGS:
            # Oracle's empty text is NULL.
            return token.text or (None if self.dialect == "oracle" else "")
        word = self._words[self.at - 1]
        if word in ("TRUE", "FALSE"):
            # MySQL's booleans are the numbers 1 and 0, and its log says so.
            return str(int(word == "TRUE")) if self.dialect == "mysql" else token.text
        if word in _TYPED_LITERALS or word.startswith("_"):  # date '2020-01-01', _utf8mb4'x'
            value = self.string()
            if value is not None:
                return value
        if word != "NULL":
            self.at -= 1
        return None
