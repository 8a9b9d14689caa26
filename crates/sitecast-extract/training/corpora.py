"""Puts public collections of marked pages into the form of WCXB, to train on or to measure with.

    python3 corpora.py KIND FOLDER OUT

FOLDER is a checkout of the repository that KIND names:

    trafilatura   adbar/trafilatura: sentences that must and must not be there. What trafilatura itself
                  takes for the content stands in for the rest of the marks (`pip install trafilatura`)
    readability   mozilla/readability: the content as its tests expect it
    chinese       immortal-autumn/Chinese-Web-Content-Extraction-Dataset
    dragnet       j-szulc/html-cleaning-dataset-merged, the pages of seomoz/dragnet_data in it
    portals       the same, the pages of CleanPortalEval
    l3s           geodrome/page-signal, the news of L3S-GN1 in it
    news          WubabooTR/evan_extract

The model is trained on the first three, whose licences allow it; the others are for measuring.
"""

import argparse
import gzip
import hashlib
import html.parser
import json
import pathlib
import re

BLOCKS = set(
    "article blockquote br dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 li ol p pre section table td th tr ul".split()
)
SILENT = {"script", "style"}


class Text(html.parser.HTMLParser):
    """The text of a page, a line for each block; with `marks`, by the class `x-nc-sel…` around it."""

    def __init__(self):
        super().__init__()
        self.pieces = []
        self.silent = 0
        self.marks = []
        self.marked = {}

    def handle_starttag(self, tag, attrs):
        self.silent += tag in SILENT
        if tag in BLOCKS:
            self.pieces.append("\n")
        if tag == "span":
            names = (dict(attrs).get("class") or "").split()
            self.marks.append(next((name for name in names if name.startswith("x-nc-sel")), None))

    def handle_endtag(self, tag):
        self.silent -= tag in SILENT
        if tag in BLOCKS:
            self.pieces.append("\n")
        if tag == "span" and self.marks:
            self.marks.pop()

    def handle_data(self, data):
        if self.silent <= 0:
            self.pieces.append(data)
        mark = next((mark for mark in reversed(self.marks) if mark), None)
        if mark and data.strip():
            self.marked.setdefault(mark, []).append(" ".join(data.split()))


def read(source):
    parser = Text()
    parser.feed(source)
    return parser


def text_of(source):
    lines = (" ".join(line.split()) for line in "".join(read(source).pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def decoded(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


STATED = re.compile(
    rb"""<link[^>]*rel=["']?canonical["']?[^>]*href=["']?([^"' >]+)"""
    rb"""|<meta[^>]*property=["']?og:url["']?[^>]*content=["']?([^"' >]+)""",
    re.IGNORECASE,
)


def stated_url(data):
    found = STATED.search(data)
    return next((part.decode("latin-1") for part in found.groups() if part), "") if found else ""


def trafilatura(folder):
    from trafilatura import extract

    for url, item in json.loads((folder / "tests/evaldata.json").read_text()).items():
        places = (folder / "tests" / name / item["file"] for name in ("cache", "eval"))
        path = next((path for path in places if path.exists()), None)
        if path is None:
            continue
        data = path.read_bytes()
        author = item.get("author")
        yield data, url, {
            "with": item["with"],
            "without": item["without"],
            "supposed_content": extract(data, include_comments=False, include_tables=True) or "",
            "title": item.get("title"),
            "publish_date": item.get("date"),
            "author": "; ".join(author) if isinstance(author, list) else author,
        }


def readability(folder):
    for page in sorted((folder / "test/test-pages").iterdir()):
        if (page / "expected.html").exists():
            data = (page / "source.html").read_bytes()
            yield data, stated_url(data), {"main_content": text_of((page / "expected.html").read_text())}


def pairs(pages, texts):
    for path in sorted(pages.glob("*.html")):
        text = texts / f"{path.stem}.txt"
        if text.exists():
            yield path.read_bytes(), decoded(text.read_bytes())


def chinese(folder):
    for data, text in pairs(folder / "original", folder / "cleaned"):
        yield data, stated_url(data), {"main_content": text}


def dragnet(folder):
    folder = folder / "dragnet_data"
    for data, text in pairs(folder / "input", folder / "GoldStandard"):
        content, _, comments = text.partition("!@#$%^&*()")
        comments = comments.replace("COMMENTS", "", 1)
        yield data, stated_url(data), {"main_content": content, "comments": comments}


def portals(folder):
    folder = folder / "CleanPortalEval-master"
    for data, text in pairs(folder / "input", folder / "GoldStandard"):
        head, _, body = text.lstrip().partition("\n")
        inner = re.search(rb"<text[^>]*>(.*)</text>", data, re.DOTALL)
        url = head.removeprefix("URL:").strip() if head.startswith("URL:") else ""
        content = re.sub(r"</?[hpl]>", "\n", body if url else text, flags=re.IGNORECASE)
        yield inner.group(1) if inner else data, url, {"main_content": content}


def l3s(folder):
    folder = next(path for path in folder.iterdir() if path.name.startswith("L3S-GN1"))
    for path in sorted((folder / "original").glob("*.html")):
        marked = read(decoded((folder / "annotated" / path.name).read_bytes())).marked
        data = path.read_bytes()
        text = {mark: "\n".join(pieces) for mark, pieces in marked.items()}
        truth = {"main_content": text.get("x-nc-sel2", ""), "comments": text.get("x-nc-sel5", "")}
        yield data, stated_url(data), truth


def news(folder):
    for data, text in pairs(folder / "articles", folder / "articles"):
        yield data, stated_url(data), {"main_content": text}


KINDS = [trafilatura, readability, chinese, dragnet, portals, l3s, news]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=[kind.__name__ for kind in KINDS])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    for name in ("html", "ground-truth"):
        (arguments.out / name).mkdir(parents=True, exist_ok=True)
    kind = next(kind for kind in KINDS if kind.__name__ == arguments.kind)
    count = 0
    for data, url, truth in kind(arguments.folder):
        name = hashlib.sha256(url.encode() + data).hexdigest()[:12]
        (arguments.out / "html" / f"{name}.html.gz").write_bytes(gzip.compress(data, 6))
        record = {"url": url, "_internal": {"page_type": {"primary": "article"}}, "ground_truth": truth}
        (arguments.out / "ground-truth" / f"{name}.json").write_text(json.dumps(record, ensure_ascii=False))
        count += 1
    print(f"{count} pages")


main()
