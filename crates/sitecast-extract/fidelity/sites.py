"""Reads the table of sites; run as a script, prints name, builder and arguments of each: sites.py [SITE...]"""

import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Site:
    """A documentation site: how it is built, and where on its pages the content is."""

    name: str
    generator: str
    build: str
    base_url: str
    content: list[str]
    chrome: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=lambda: ["pre"])
    skip: list[str] = field(default_factory=list)
    # Elements in a line that the style sheet shows as boxes with space around them.
    apart: list[str] = field(default_factory=list)


def load(names: list[str]) -> list[Site]:
    """The named sites, or all of them."""
    with open(Path(__file__).with_name("sites.toml"), "rb") as file:
        table = tomllib.load(file)
    unknown = [name for name in names if name not in table]
    if unknown:
        sys.exit(f"no such site: {', '.join(unknown)}; there are: {', '.join(table)}")
    return [Site(name=name, **table[name]) for name in names or table]


if __name__ == "__main__":
    for site in load(sys.argv[1:]):
        print(site.name, site.build)
