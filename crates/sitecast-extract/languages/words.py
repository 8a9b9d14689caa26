"""Learns which words and letters are frequent in which language: words.py WORK > ../src/metadata/languages.words

Naive Bayes over the words that are frequent in any of the languages, and over the letters beyond ASCII. Numbers are costs: ten
times the negative logarithm of how frequent a word is among all words, or a letter among all letters. Languages of which one
cannot be told from another by this are left out: Bosnian (Croatian), Malay (Indonesian), Serbian in Latin letters (Croatian).
"""

import math
import re
import sys
from collections import Counter
from pathlib import Path

LEFT_OUT = {"bs", "ms"}
# Scripts of these show by themselves which language it is, or their words cannot be told apart by spaces.
BY_SCRIPT = {"bn", "el", "he", "hi", "hy", "ja", "ka", "ko", "ta", "te", "th", "zh"}
# Of the languages that are easily taken for others, those of fewer websites have to be shown more plainly.
HANDICAPS = {"nn": 35, "gl": 40, "ca": 30, "la": 30, "eo": 20, "tl": 20, "sw": 20, "af": 10}
WORDS = 100
LONGEST_WORD = 12
# Costs above these are those of a word or a letter that the language does not have.
MOST_WORD = 95
MOST_LETTER = 85

WORD = re.compile(r"[^\W\d_]+")


def cost(count: int, of: int) -> int:
    return round(-10 * math.log(count / of))


def main(work: Path) -> None:
    texts: dict[str, str] = {}
    for path in sorted((work / "training").glob("*.txt")):
        code = path.name.split(".")[0]
        if code not in LEFT_OUT | BY_SCRIPT:
            texts[code] = texts.get(code, "") + path.read_text().lower()
    words = {code: Counter(WORD.findall(text)) for code, text in texts.items()}
    letters = {code: Counter(char for char in text if char.isalpha()) for code, text in texts.items()}
    frequent = set()
    for counts in words.values():
        fitting = [word for word, _ in counts.most_common(2 * WORDS) if len(word.encode()) <= 2 * LONGEST_WORD]
        frequent.update(fitting[:WORDS])
    print("# Made by languages/words.py. Language, handicap, cost of a word that is none of these; words; letters.")
    for code, counts in words.items():
        of = counts.total()
        known = {word: cost(count, of) for word, count in counts.items() if word in frequent}
        known = {word: cost for word, cost in known.items() if cost < MOST_WORD}
        others = cost(of - sum(counts[word] for word in known), of)
        own = letters[code]
        signs = {char: cost(count, own.total()) for char, count in own.items() if char > "\x7f"}
        signs = {char: cost for char, cost in signs.items() if cost < MOST_LETTER}
        for_words = " ".join(f"{word}:{cost}" for word, cost in sorted(known.items()))
        for_signs = " ".join(f"{char}:{cost}" for char, cost in sorted(signs.items()))
        print(f"{code} {HANDICAPS.get(code, 0)} {others}\t{for_words}\t{for_signs}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
