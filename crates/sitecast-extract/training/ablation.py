"""Measures what each group of features is worth: trains the first judgement of articles without it.

    python3 ablation.py SEGMENTS[=WEIGHT]… [--parts N]

Takes the folders that `train.py first` takes. Each page is judged by a forest that was trained without its site. Prints the F1 of
words that the best choice of segments by these judgements has, by kind of page, with all features and without each group in turn:
the steps that keep tables and lists together are not part of it, so the figures are lower than those of `evaluate`.
"""

import argparse
import collections

import lightgbm
import numpy

from train import FIRST, Corpus, parts_of_hosts


def groups_of(names):
    """The features by the first word of their names; those with a name of their own are one group."""
    groups = collections.defaultdict(list)
    for number, name in enumerate(names):
        groups[name.split("_")[0]].append(number)
    alone = [numbers for numbers in groups.values() if len(numbers) == 1]
    groups = {group: numbers for group, numbers in groups.items() if len(numbers) > 1}
    groups["others"] = [number for numbers in alone for number in numbers]
    return groups


def best_f1(likely, content, words):
    """F1 of the choice that promises the best F1, as `content/select.rs` makes it."""
    order = numpy.argsort(-likely, kind="stable")
    likely, content, words = likely[order], content[order], words[order]
    expected = 2 * numpy.cumsum(likely * words) / (numpy.cumsum(words) + (likely * words).sum())
    most = int(numpy.argmax(expected)) + 1
    found, taken = (content[:most] * words[:most]).sum(), words[:most].sum()
    return 2 * found / (taken + (content * words).sum())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("segments", nargs="+")
    parser.add_argument("--parts", type=int, default=2)
    arguments = parser.parse_args()
    corpora = [Corpus(argument) for argument in arguments.segments]
    names = corpora[0].names
    features = numpy.concatenate([corpus.features for corpus in corpora])
    labels = numpy.concatenate([corpus.labels for corpus in corpora])
    weights = numpy.concatenate([corpus.weights for corpus in corpora])
    weights /= weights.mean()
    words = numpy.maximum(features[:, names.index("words")], 1)
    page_parts, parts = parts_of_hosts(corpora, arguments.parts)
    ranges, kinds, start = [], [], 0
    for number, corpus in enumerate(corpora):
        ranges += [(start + begin, start + end) for begin, end in corpus.ranges]
        kinds += [kind if number == 0 else corpus.folder.name for kind in corpus.kinds]
        start += len(corpus.labels)

    def scores(without):
        kept = numpy.setdiff1d(numpy.arange(len(names)), without)
        likely = numpy.zeros(len(labels))
        for part in range(arguments.parts):
            rows = (parts != part) & (weights > 0)
            data = lightgbm.Dataset(features[rows][:, kept], labels[rows], weight=weights[rows])
            likely[parts == part] = lightgbm.train(FIRST, data).predict(features[parts == part][:, kept])
        found = collections.defaultdict(list)
        for kind, (begin, end) in zip(kinds, ranges):
            if labels[begin:end].any():
                found[kind].append(best_f1(likely[begin:end], labels[begin:end], words[begin:end]))
        return {kind: float(numpy.mean(values)) for kind, values in found.items()}

    whole = scores([])
    print(f"{'':<16}{'features':>9}" + "".join(f"{kind[:12]:>14}" for kind in whole))
    print(f"{'all':<16}{len(names):>9}" + "".join(f"{value:>14.4f}" for value in whole.values()), flush=True)
    for group, numbers in sorted(groups_of(names).items(), key=lambda item: -len(item[1])):
        less = scores(numbers)
        print(f"{'without ' + group:<16}{len(numbers):>9}" + "".join(f"{less[kind] - whole[kind]:>+14.4f}" for kind in whole), flush=True)


if __name__ == "__main__":
    main()
