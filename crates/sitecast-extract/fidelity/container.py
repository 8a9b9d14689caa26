"""Reads the content container of a page of HTML as a browser shows it."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from page import Page, collapsed, words
from sites import Site

# Elements whose text stands on lines of its own. All others are part of the line that they are in.
BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section"
    " summary table tbody td tfoot th thead tr ul".split()
)
# Elements whose text no reader of the page sees, or that are not text but controls.
UNSEEN = frozenset(
    "audio button canvas datalist head iframe input math noscript object script select style svg template textarea"
    " title video".split()
)
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


def is_hidden(node: LexborNode) -> bool:
    """Whether a browser hides an element for good: panels of tabs are shown when their tab is chosen."""
    attributes = node.attributes
    if attributes.get("role") == "tabpanel":
        return False
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "hidden" in attributes or "display:none" in style


class Walk:
    """Goes through the elements of a container once, and collects its texts, headings and code."""

    def __init__(self, code: set[int], apart: set[int]) -> None:
        self.page = Page()
        self.code = code
        self.apart = apart
        self.line: list[str] = []

    def end_line(self) -> None:
        self.page.add("".join(self.line))
        self.line = []

    def children(self, node: LexborNode) -> None:
        child = node.child
        while child is not None:
            self.node(child)
            child = child.next

    def node(self, node: LexborNode) -> None:
        tag = node.tag
        if tag == "-text":
            self.line.append(node.text_content or "")
            return
        if tag is None or not tag[0].isalpha() or is_hidden(node):
            return
        if tag in UNSEEN:
            # The label of a tab may be published or not.
            if node.attributes.get("role") == "tab":
                self.page.optional.update(words(node.text(separator=" ")))
            return
        block = tag in BLOCKS
        is_apart = node.mem_id in self.apart
        if block:
            self.end_line()
        if is_apart:
            self.line.append(" ")
        first = len(self.page.texts)
        self.children(node)
        if is_apart:
            self.line.append(" ")
        if block:
            self.end_line()
        if tag in HEADINGS:
            self.keep(self.page.headings, first)
        if node.mem_id in self.code:
            self.end_line()
            self.keep(self.page.codes, first)
        if tag in ("td", "th"):
            self.allow_spans(node, first)

    def keep(self, place: list[str], first: int) -> None:
        text = collapsed(" ".join(self.page.texts[first:]))
        if text:
            place.append(text)

    def allow_spans(self, cell: LexborNode, first: int) -> None:
        """Published tables repeat a cell in all the places that it spans."""
        places = span(cell, "colspan") * span(cell, "rowspan")
        if places > 1:
            for text in self.page.texts[first:]:
                for word in words(text):
                    self.page.optional[word] += places - 1


def span(cell: LexborNode, attribute: str) -> int:
    value = cell.attributes.get(attribute) or ""
    return min(int(value), 1000) if value.isdecimal() and int(value) > 0 else 1


def outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Those nodes that are in none of the others."""
    ids = {node.mem_id for node in nodes}
    found = []
    for node in nodes:
        parent = node.parent
        while parent is not None and parent.mem_id not in ids:
            parent = parent.parent
        if parent is None:
            found.append(node)
    return found


def read(html: str, site: Site) -> Page | None:
    """The content of a page; none where the page has no container."""
    tree = LexborHTMLParser(html)
    containers: list[LexborNode] = []
    for selector in site.content:
        containers = outermost(tree.css(selector))
        if containers:
            break
    if not containers:
        return None
    for container in containers:
        for selector in site.chrome:
            for node in container.css(selector):
                node.decompose()
    code = {
        node.mem_id
        for container in containers
        for node in outermost([found for selector in site.code for found in container.css(selector)])
    }
    apart = {node.mem_id for container in containers for selector in site.apart for node in container.css(selector)}
    walk = Walk(code, apart)
    for container in containers:
        walk.node(container)
        walk.end_line()
    return walk.page


def names(html: str) -> str:
    """What the page calls itself outside its content: `<title>` and its highest headings."""
    tree = LexborHTMLParser(html)
    return " ".join(node.text(separator=" ") for node in tree.css("title, h1"))
