"""Publishes a site, and reads the pages back from its collection."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from page import Page, collapsed, words

# What a list item of the collection begins with where it is of a list within a list, or of one that does not count from one.
MARKER = re.compile(r"^ *(?:[-*]|\w{1,4}[.)]) ")
# Code within a list item, a cell or a quotation is fenced as in Markdown.
FENCED = re.compile(r"^[ \t]*(`{3,})([^`\n]*)\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)


def publish(binary: str, html: Path, base_url: str, out: Path) -> dict:
    """Publishes a folder, and returns what the program reports."""
    shutil.rmtree(out, ignore_errors=True)
    command = [binary, "publish", str(html), "--base-url", base_url, "--out", str(out), "--no-cache", "--json"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, cwd=html.parent)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def lines(out: Path) -> dict[str, dict]:
    """The pages of the collection by their URLs, as they are written there."""
    (collection,) = (out / "scp").glob("all-snapshot-*.scp.gz")
    pages = {}
    with gzip.open(collection, "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            page = json.loads(line)
            pages[page["url"]] = page
    return pages


def read(line: dict, names: str) -> Page:
    """A published page. Of its title those words are optional that are on the page outside its container."""
    page = Page()
    title = line.get("title") or ""
    page.add(title)
    page.headings.append(collapsed(title))
    elsewhere = set(words(names))
    page.optional.update(word for word in words(title) if word in elsewhere)
    for block in line.get("content", []):
        add(page, block)
    return page


def add(page: Page, block: dict) -> None:
    match block["type"]:
        case "text":
            add_text(page, block["text"])
        case "heading":
            page.add(block["text"])
            page.headings.append(collapsed(block["text"]))
        case "quote":
            add_text(page, block["text"])
            page.add(block.get("citation") or "")
        case "code":
            add_code(page, block["code"])
        case "table":
            for row in block["rows"]:
                for cell in row:
                    add_text(page, cell)
        case "list":
            for item in block["items"]:
                marker = MARKER.match(item)
                if marker:
                    page.optional.update(words(marker.group()))
                add_text(page, item)
        # The text of links is in the block before; pictures, films and sounds are not text.
        case "link" | "image" | "video" | "audio":
            pass
        case other:
            sys.exit(f"an unknown kind of block: {other}")


def add_text(page: Page, text: str) -> None:
    """Adds a text, and the code that is fenced in it."""
    end = 0
    for fenced in FENCED.finditer(text):
        page.add(text[end : fenced.start()])
        add_code(page, fenced.group(3))
        end = fenced.end()
    page.add(text[end:])


def add_code(page: Page, code: str) -> None:
    page.add(code)
    page.codes.append(collapsed(code))
