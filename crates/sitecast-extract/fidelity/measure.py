"""Compares a page as it was published with the content of its HTML."""

from collections import Counter
from dataclasses import dataclass, field

from page import Page, collapsed, words

# A run of words is looked for in pieces of so many.
PIECE = 4


@dataclass
class Items:
    """Headings or blocks of code: how many the page has, and which are not there."""

    total: int = 0
    missing: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    # Those of the missing whose words are there, but as another kind of block.
    as_text: int = 0


@dataclass
class Result:
    """How one page came out."""

    file: str
    url: str
    words: int
    found: int
    published: int
    foreign: int
    headings: Items
    codes: Items
    lost_runs: list[str]
    foreign_runs: list[str]

    @property
    def recall(self) -> float:
        return self.found / self.words if self.words else 1.0


def compare(file: str, url: str, own: Page, published: Page) -> Result:
    own_words, published_words = Counter(own.words()), Counter(published.words())
    # Words that both may leave out are taken from neither the one nor the other's account.
    lost = own_words - published_words
    foreign = published_words - own_words - own.optional - published.optional
    return Result(
        file=file,
        url=url,
        words=own_words.total(),
        found=own_words.total() - lost.total(),
        published=published_words.total(),
        foreign=foreign.total(),
        headings=compare_items(own.headings, published.headings, published, is_title=True),
        codes=compare_items(own.codes, published.codes, published, is_title=False),
        lost_runs=runs(own, published, lost),
        foreign_runs=runs(published, own, foreign),
    )


def compare_items(own: list[str], published: list[str], page: Page, *, is_title: bool) -> Items:
    """Which headings or codes are there in order. The first of `published` is the title if `is_title`."""
    published = list(published)
    if is_title:
        title = published.pop(0)
        # The heading that became the title may have lost, or kept, a label beside it.
        place = next((i for i, text in enumerate(own[:3]) if same_title(text, title)), None)
        if place is not None:
            published.insert(min(place, len(published)), own[place])
    in_order = common(own, published)
    items = Items(total=len(own))
    left = Counter(published) - Counter(in_order)
    items.extra = list((left - Counter(own)).elements())
    everything = None
    for text in (Counter(own) - Counter(in_order)).elements():
        if left[text] > 0:
            left[text] -= 1
            items.moved.append(text)
            continue
        items.missing.append(text)
        if everything is None:
            everything = " ".join(words(" ".join(page.texts)))
        if " ".join(words(text)) in everything:
            items.as_text += 1
    return items


def same_title(heading: str, title: str) -> bool:
    heading_words, title_words = words(heading), words(title)
    if not heading_words or not title_words:
        return collapsed(heading) == collapsed(title)
    shorter, longer = sorted((" ".join(heading_words), " ".join(title_words)), key=len)
    return f" {shorter} " in f" {longer} "


def common(first: list[str], second: list[str]) -> list[str]:
    """The longest sequence that both have in the same order."""
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    head, first, second = first[:start], first[start:], second[start:]
    lengths = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            if first[i] == second[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            head.append(first[i])
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return head


def runs(page: Page, other: Page, wanted: Counter[str]) -> list[str]:
    """Runs of words of `page` that `other` does not have, longest first, of those with one of the `wanted` words."""
    if not wanted:
        return []
    there = other.words()
    pieces = {tuple(there[i : i + size]) for size in range(1, PIECE + 1) for i in range(len(there) - size + 1)}
    found = []
    for text in page.texts:
        here = words(text)
        size = min(PIECE, len(here))
        covered = [False] * len(here)
        for i in range(len(here) - size + 1):
            if tuple(here[i : i + size]) in pieces:
                covered[i : i + size] = [True] * size
        # A short text may be elsewhere on the page by chance: it counts as lost where its words are.
        if size < PIECE and any(wanted[word] for word in here):
            covered = [False] * len(here)
        run: list[str] = []
        for word, is_covered in zip(here + [""], covered + [True]):
            if not is_covered:
                run.append(word)
            elif run:
                if any(wanted[lost] for lost in run):
                    found.append(run)
                run = []
    found.sort(key=len, reverse=True)
    return [" ".join(run) for run in found]
