"""What both sides of the comparison are made into, and the words of a text."""

import re
from collections import Counter
from dataclasses import dataclass, field

# Characters that no reader sees: they neither are words nor part them. Of control characters, browsers show white space only.
CONTROL = [code for code in [*range(0x20), *range(0x7F, 0xA0)] if not chr(code).isspace()]
INVISIBLE = dict.fromkeys([*map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), *CONTROL])
WORD = re.compile(r"\w+")


def visible(text: str) -> str:
    return text.translate(INVISIBLE)


def words(text: str) -> list[str]:
    """The words of a text, lower-cased."""
    return WORD.findall(visible(text).lower())


def collapsed(text: str) -> str:
    """A text with its white space made one space each."""
    return " ".join(visible(text).split())


@dataclass
class Page:
    """The text of a page, as its own HTML has it or as it was published."""

    # The texts of paragraphs, headings, cells and so on, in order.
    texts: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    # Words that the page may have beyond those of its texts, and need not have: on the page's own side the
    # repeated cells of tables whose spans are filled and the buttons that choose a tab, on the published side the numbers of
    # list items.
    optional: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        if text.strip():
            self.texts.append(text)

    def words(self) -> list[str]:
        return [word for text in self.texts for word in words(text)]
