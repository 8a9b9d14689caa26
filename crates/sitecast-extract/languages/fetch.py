"""Downloads texts in many languages: fetch.py WORK

To measure with: WORK/sentences/CODE.txt has sentences of newspapers and websites, one a line, every other one of the test data of
the language detector lingua; WORK/manual/CODE.txt has paragraphs of the GNOME manual from a Debian package, without those that
nobody has translated. To learn from, for words.py: WORK/training/CODE.txt has the other sentences, and the messages of Django. Of
Galician, which lingua does not know, half of the manual is learnt from.
"""

import gettext
import io
import re
import subprocess
import sys
import tarfile
import urllib.request
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

LINGUA = "1.2.0"
DJANGO = "5.2"
LANGUAGES = {
    "af": "afrikaans", "ar": "arabic", "az": "azerbaijani", "be": "belarusian", "bg": "bulgarian", "bn": "bengali",
    "bs": "bosnian", "ca": "catalan", "cs": "czech", "cy": "welsh", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french",
    "ga": "irish", "he": "hebrew", "hi": "hindi", "hr": "croatian", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "is": "icelandic", "it": "italian", "ja": "japanese", "ka": "georgian", "ko": "korean",
    "la": "latin", "lt": "lithuanian", "lv": "latvian", "mk": "macedonian", "ms": "malay", "nb": "bokmal", "nl": "dutch", "nn": "nynorsk",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sk": "slovak", "sl": "slovene", "sq": "albanian",
    "sr": "serbian", "sv": "swedish", "sw": "swahili", "ta": "tamil", "te": "telugu", "th": "thai", "tl": "tagalog", "tr": "turkish", "uk": "ukrainian",
    "ur": "urdu", "vi": "vietnamese", "zh": "chinese",
}  # fmt: skip
# What is filled in when a message is shown, and markup.
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|{\w+}|<[^>]*>")
MANUAL = "gnome-user-docs"


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def sentences(work: Path) -> None:
    for code, name in LANGUAGES.items():
        path = work / "sentences" / f"{code}.txt"
        if path.exists():
            continue
        crate = f"lingua-{name}-language-model"
        url = f"https://static.crates.io/crates/{crate}/{crate}-{LINGUA}.crate"
        with urllib.request.urlopen(url) as response:
            archive = tarfile.open(fileobj=io.BytesIO(response.read()), mode="r:gz")
        member = archive.extractfile(f"{crate}-{LINGUA}/testdata/sentences.txt")
        assert member, crate
        lines = member.read().decode().splitlines()
        write(work / "training" / f"{code}.txt", lines[::2])
        write(path, lines[1::2])


def paragraphs(folder: Path) -> dict[tuple[str, int], str]:
    """The paragraphs of a manual, by page and number."""
    found = {}
    for page in sorted(folder.glob("*/*.page")):
        elements = ElementTree.parse(page).iter("{http://projectmallard.org/1.0/}p")
        for number, element in enumerate(elements):
            found[f"{page.parent.name}/{page.name}", number] = " ".join("".join(element.itertext()).split())
    return found


def manual(work: Path) -> None:
    unpacked = work / MANUAL
    if not unpacked.exists():
        subprocess.run(["apt-get", "-qq", "download", MANUAL], cwd=work, check=True)
        (package,) = work.glob(f"{MANUAL}_*.deb")
        subprocess.run(["dpkg-deb", "-x", package, unpacked], check=True)
    help_of = unpacked / "usr/share/help"
    english = paragraphs(help_of / "C")
    for translation in sorted(help_of.iterdir()):
        code = code_of(translation.name)
        own = paragraphs(translation)
        originals = set() if code == "en" else set(english.values())
        lines = [text for text in own.values() if text and text not in originals]
        if code == "gl":
            write(work / "training" / "gl.txt", lines[::2])
            lines = lines[1::2]
        write(work / "manual" / f"{code}.txt", lines)


def code_of(locale: str) -> str:
    codes = {"C": "en", "sr@latin": "sr-Latn", "zh_CN": "zh", "zh_Hans": "zh"}
    return codes.get(locale, locale.replace("_", "-"))


def messages(work: Path) -> None:
    if not list(work.glob("Django-*.whl")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(work), f"Django=={DJANGO}"]
        subprocess.run(pip, check=True)
    (wheel,) = work.glob("Django-*.whl")
    found: dict[str, list[str]] = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith("/LC_MESSAGES/django.mo"):
                catalogue = gettext.GNUTranslations(io.BytesIO(archive.read(name)))
                # The message without an original is the header.
                texts = [" ".join(PLACEHOLDER.sub("", text).split()) for original, text in catalogue._catalog.items() if original]
                found.setdefault(code_of(name.split("/")[-3]), []).extend(text for text in texts if len(text) > 25)
    for code, lines in found.items():
        path = work / "training" / f"{code}.messages.txt"
        if (work / "training" / f"{code}.txt").exists():
            write(path, lines)


if __name__ == "__main__":
    work = Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    sentences(work)
    manual(work)
    messages(work)
