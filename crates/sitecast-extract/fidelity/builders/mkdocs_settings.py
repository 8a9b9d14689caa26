"""Copies settings of MkDocs with some of their plugins only: mkdocs_settings.py FROM TO [PLUGIN...] [-EXTENSION...]

A name with a dash before it is an extension of Markdown that is left out.
The lines are copied as they are, since the settings have tags that name Python functions.
"""

import re
import sys
from pathlib import Path


def sections(text: str) -> list[str]:
    """The settings of the highest level, each with the lines that belong to it."""
    return re.split(r"^(?=[a-z_]+:)", text, flags=re.MULTILINE)


def entries(section: str) -> tuple[str, dict[str, str]]:
    """The line that names a section, and its entries by their names."""
    first, *rest = re.split(r"^(?=  (?:- )?[\w./-]+:?)", section, flags=re.MULTILINE)
    return first.splitlines()[0] + "\n", {re.match(r"  (?:- )?([\w./-]+)", entry).group(1).rstrip(":"): entry for entry in rest}


def copied(section: str, plugins: list[str], unwanted: list[str]) -> str:
    if section.startswith("plugins:"):
        first, found = entries(section)
        section = first + "".join(entry for name, entry in found.items() if name in plugins) + "\n"
        # Inventories of other projects are on the web.
        return re.sub(r"^ +inventories:\n(?: +- .*\n)+", "", section, flags=re.MULTILINE)
    if section.startswith("markdown_extensions:"):
        first, found = entries(section)
        section = first + "".join(entry for name, entry in found.items() if name not in unwanted) + "\n"
        # Some files that pages include are not in the package.
        return section.replace("check_paths: true", "check_paths: false")
    return "" if section.startswith(("strict:", "watch:")) else section


def main() -> None:
    source, target, *names = sys.argv[1:]
    plugins = [name for name in names if not name.startswith("-")]
    unwanted = [name[1:] for name in names if name.startswith("-")]
    text = Path(source).read_text(encoding="utf-8")
    Path(target).write_text("".join(copied(section, plugins, unwanted) for section in sections(text)), encoding="utf-8")


if __name__ == "__main__":
    main()
