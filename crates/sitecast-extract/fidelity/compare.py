"""Publishes the sites that `build` made, and compares every page with its content container, word by word.

compare.py WORK [SITE...] --sitecast BINARY [--json] [--worst N] [--goal]
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

import container
import measure
import published
import sites

RECALL = 0.995
FOREIGN = 0.005


@dataclass
class Report:
    """How a site came out."""

    site: str
    generator: str
    pages: list[measure.Result] = field(default_factory=list)
    # Pages of the folder that are not in the collection, with the reason that was given.
    left_out: list[tuple[str, str]] = field(default_factory=list)
    no_container: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return sum(page.found for page in self.pages) / max(1, sum(page.words for page in self.pages))

    @property
    def foreign(self) -> float:
        return sum(page.foreign for page in self.pages) / max(1, sum(page.published for page in self.pages))

    def count(self, kind: str, what: str) -> int:
        found = [getattr(getattr(page, kind), what) for page in self.pages]
        return sum(entry if isinstance(entry, int) else len(entry) for entry in found)

    def is_good(self) -> bool:
        lost = sum(self.count(kind, what) for kind in ("headings", "codes") for what in ("missing", "moved"))
        return self.recall >= RECALL and self.foreign <= FOREIGN and lost == 0


def addresses(base_url: str, file: str) -> list[str]:
    """The URLs that a file can be published with."""
    found = [base_url + file]
    if file.endswith(".html"):
        stem = file.removesuffix(".html")
        found += [base_url + stem, base_url + stem + "/"]
    if file == "index.html" or file.endswith("/index.html"):
        folder = file.removesuffix("index.html")
        found += [base_url + folder, (base_url + folder).rstrip("/")]
    return found


def compare(site: sites.Site, work: Path, binary: str) -> Report:
    html = work / "sites" / site.name / "html"
    out = work / "published" / site.name
    summary = published.publish(binary, html, site.base_url, out)
    lines = published.lines(out)
    reasons = {entry["item"]: entry["reason"] for entry in summary["excluded"]}
    report = Report(site.name, site.generator)
    for path in sorted(html.rglob("*.html")):
        file = path.relative_to(html).as_posix()
        line = next((lines[url] for url in addresses(site.base_url, file) if url in lines), None)
        if line is None:
            report.left_out.append((file, reasons.get(file, "nothing was said")))
            continue
        if any(path.match(pattern) for pattern in site.skip):
            continue
        source = path.read_text(encoding="utf-8", errors="replace")
        own = container.read(source, site)
        if own is None:
            report.no_container.append(file)
            continue
        page = published.read(line, container.names(source))
        report.pages.append(measure.compare(file, line["url"], own, page))
    return report


def print_table(reports: list[Report]) -> None:
    print(f"{'':20} {'pages':>5} {'recall':>8} {'foreign':>8} {'< 0.99':>6}   headings: missing moved   code: missing moved")
    for report in reports:
        low = sum(page.recall < 0.99 for page in report.pages)
        headings, codes = ([report.count(kind, what) for what in ("total", "missing", "moved")] for kind in ("headings", "codes"))
        print(
            f"{report.site:20} {len(report.pages):5} {report.recall:8.4f} {report.foreign * 100:7.2f}% {low:6}"
            f"   {headings[0]:8} {headings[1]:8} {headings[2]:5}   {codes[0]:5} {codes[1]:7} {codes[2]:5}"
            f"   {'good' if report.is_good() else ''}"
        )


def shortened(text: str, length: int = 160) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def print_details(report: Report, worst: int) -> None:
    print(f"\n{report.site}: {report.generator}")
    for reason, count in Counter(reason for _, reason in report.left_out).most_common():
        example = next(file for file, given in report.left_out if given == reason)
        print(f"  {count} files left out ({reason}), such as {example}")
    if report.no_container:
        print(f"  {len(report.no_container)} pages without the container, such as {report.no_container[0]}")
    by_loss = sorted(report.pages, key=lambda page: page.words - page.found, reverse=True)
    for page in by_loss[:worst]:
        if page.words > page.found:
            print(f"  lost {page.words - page.found} of {page.words} words, recall {page.recall:.3f}: {page.file}")
            for run in page.lost_runs[:4]:
                print(f"      - {shortened(run)}")
    for page in sorted(report.pages, key=lambda page: page.foreign, reverse=True)[:worst]:
        if page.foreign:
            print(f"  foreign {page.foreign} of {page.published} words: {page.file}")
            for run in page.foreign_runs[:4]:
                print(f"      + {shortened(run)}")
    for kind in ("headings", "codes"):
        for what in ("missing", "moved", "extra"):
            count = report.count(kind, what)
            if count:
                as_text = f", {report.count(kind, 'as_text')} of them there as text" if what == "missing" else ""
                print(f"  {count} {kind} {what}{as_text}")
                shown = [(page.file, text) for page in report.pages for text in getattr(getattr(page, kind), what)[:1]]
                for file, text in shown[:worst]:
                    print(f"      {file}: {shortened(text)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path, help="the folder that `build` was given")
    parser.add_argument("sites", nargs="*", help="names of sites; all that are built if none is given")
    parser.add_argument("--sitecast", required=True, help="the program to publish with")
    parser.add_argument("--json", action="store_true", help="print everything that was found, for programs")
    parser.add_argument("--worst", type=int, default=10, help="show so many of the worst pages of each site (10)")
    parser.add_argument("--goal", action="store_true", help="end with 1 unless every site is good")
    arguments = parser.parse_intermixed_args()
    sys.setrecursionlimit(20_000)

    work = arguments.work.resolve()
    binary = str(Path(arguments.sitecast).resolve())
    reports = []
    for site in sites.load(arguments.sites):
        if (work / "sites" / site.name / "html").is_dir():
            reports.append(compare(site, work, binary))
        elif arguments.sites:
            sys.exit(f"{site.name} is not built")
    if arguments.json:
        for report in reports:
            entry = asdict(report) | {"recall": report.recall, "foreign": report.foreign, "good": report.is_good()}
            print(json.dumps(entry, ensure_ascii=False))
    else:
        print_table(reports)
        for report in reports:
            print_details(report, arguments.worst)
    if arguments.goal and not all(report.is_good() for report in reports):
        sys.exit(1)


if __name__ == "__main__":
    main()
