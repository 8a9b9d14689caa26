"""Makes pages for Hugo of Markdown as Debian packages it: hugo_pages.py FROM TO SECTION...

The theme writes the title of a page as its heading, so that the first heading is moved into the front matter.
"""

import gzip
import json
import re
import sys
from pathlib import Path

FRONT_MATTER = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^# (.+)\n", re.MULTILINE)
# Older sites of the same pages were built with Jekyll, which reads these.
JEKYLL = re.compile(r"^\{%.*%\}\n", re.MULTILINE)


def page(markdown: str, name: str) -> str:
    found = FRONT_MATTER.match(markdown)
    matter, body = (found.group(1), markdown[found.end() :]) if found else ("", markdown)
    body = JEKYLL.sub("", body)
    heading = HEADING.search(body)
    if heading:
        body = body[: heading.start()] + body[heading.end() :]
    # Aliases become pages that lead elsewhere.
    matter = re.sub(r"^aliases:.*\n(?:- .*\n)*", "", matter, flags=re.MULTILINE)
    if not re.search(r"^title:", matter, re.MULTILINE):
        matter += f"title: {json.dumps(heading.group(1) if heading else name)}\n"
    return f"---\n{matter}toc: true\n---\n{body}"


def main() -> None:
    source, target, *sections = sys.argv[1:]
    for section in sections:
        for path in sorted(Path(source, section).rglob("*.md*")):
            data = path.read_bytes()
            markdown = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
            name = path.name.removesuffix(".gz").removesuffix(".md")
            # In Hugo a page `index` would have its neighbours as attachments.
            file = "_index.md" if name == "index" else f"{name}.md"
            out = Path(target, path.parent.relative_to(source), file)
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(page(markdown, name), encoding="utf-8")


if __name__ == "__main__":
    main()
