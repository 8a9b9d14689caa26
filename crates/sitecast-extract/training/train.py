"""Trains the model that tells content from the rest.

    python3 train.py SEGMENTS MODEL [--folds N]

SEGMENTS is the folder that `cargo run --release -p sitecast-extract --example segments` wrote.
MODEL is the file to write. With --folds also writes MODEL.0 … MODEL.N-1, each trained without one
part of the sites, and MODEL.0.ids … with the pages of that part, for honest figures:

    cargo run --release -p sitecast-extract --example evaluate -- wcxb DIR --folds MODEL

Needs numpy and lightgbm.
"""

import argparse
import json
import pathlib
import urllib.parse

import lightgbm
import numpy

from align import align, words

# Small trees, each seeing a quarter of the features: nothing that holds for one site only survives.
PARAMETERS = dict(
    objective="binary",
    learning_rate=0.1,
    num_leaves=31,
    min_data_in_leaf=150,
    feature_fraction=0.25,
    bagging_fraction=0.7,
    bagging_freq=1,
    lambda_l2=20,
    max_bin=63,
    seed=1,
    deterministic=True,
    force_row_wise=True,
    num_threads=2,
    verbose=-1,
)
ROUNDS = 120


def load(folder):
    """Pages with their segments, labels and weights, and the features of all segments."""
    names = json.loads((folder / "names.json").read_text())
    features = numpy.fromfile(folder / "features.f32", dtype="<f4").reshape(-1, len(names))
    column = {name: number for number, name in enumerate(names)}
    chrome = [column[name] for name in ("up_nav", "up_footer", "up_aside", "up_dialog")]
    pages, labels, weights = [], [], []
    at = 0
    for line in open(folder / "segments.jsonl"):
        page = json.loads(line)
        segments = [words(text) for text in page["texts"]]
        rows = features[at : at + len(segments)]
        at += len(segments)
        # Of two copies of a text the one outside of menus and hidden parts is the content.
        prior = [
            (0.9 if row[column["hidden"]] > 0 else 1.0) * (0.85 if (row[chrome] < 40).any() else 1.0)
            for row in rows
        ]
        truth = page["truth"] or ""
        kept, duplicates = align(segments, truth, prior) if truth else (set(), set())
        length = len(words(truth))
        for number, segment in enumerate(segments):
            labels.append(number in kept)
            # What a word is worth for the F1 of its page. Pages without truth teach nothing.
            weight = min(len(segment), 100) ** 0.8 / (length + 50) if length else 0.0
            weights.append(weight * (0.05 if number in duplicates else 1.0))
        host = urllib.parse.urlparse(page["url"]).netloc or page["id"]
        pages.append((page["id"], host, len(segments)))
    weights = numpy.array(weights)
    return names, features, pages, numpy.array(labels, dtype=int), weights / weights.mean()


def train(features, labels, weights):
    return lightgbm.train(PARAMETERS, lightgbm.Dataset(features, labels, weight=weights), ROUNDS)


def below(threshold):
    """The threshold as a 32-bit float that is not above it: what is at most the one is at most the
    other."""
    rounded = numpy.float32(threshold)
    if float(rounded) > threshold:
        rounded = numpy.nextafter(rounded, numpy.float32(-numpy.inf))
    return repr(float(rounded))


def write_tree(tree):
    nodes, leaves = [], []

    def visit(node):
        if "leaf_value" in node:
            leaves.append(node["leaf_value"])
            return -len(leaves)
        number = len(nodes)
        nodes.append(None)
        at_most, above = visit(node["left_child"]), visit(node["right_child"])
        nodes[number] = f"{node['split_feature']},{below(node['threshold'])},{at_most},{above}"
        return number

    visit(tree)
    return " ".join(nodes) + "|" + " ".join(f"{leaf:.5g}" for leaf in leaves)


def save(model, names, path):
    trees = [info["tree_structure"] for info in model.dump_model()["tree_info"]]
    lines = [f"# {len(trees)} trees over {len(names)} features; training/README.md says where from"]
    lines += [write_tree(tree) for tree in trees]
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("segments", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--folds", type=int, default=0)
    arguments = parser.parse_args()
    names, features, pages, labels, weights = load(arguments.segments)
    print(f"{len(pages)} pages, {len(labels)} segments, {labels.sum()} of them content")

    model = train(features, labels, weights)
    save(model, names, arguments.model)
    gain = model.feature_importance("gain")
    for number in numpy.argsort(-gain)[:20]:
        print(f"{100 * gain[number] / gain.sum():5.1f} %  {names[number]}")

    # Pages of one host are in the same part: a site must not teach about itself.
    hosts = sorted({host for _, host, _ in pages})
    numpy.random.RandomState(7).shuffle(hosts)
    part = {host: number % max(arguments.folds, 1) for number, host in enumerate(hosts)}
    parts = numpy.concatenate([numpy.full(count, part[host]) for _, host, count in pages])
    for fold in range(arguments.folds):
        others = parts != fold
        without = arguments.model.with_name(f"{arguments.model.name}.{fold}")
        save(train(features[others], labels[others], weights[others]), names, without)
        ids = [page for page, host, _ in pages if part[host] == fold]
        without.with_name(f"{without.name}.ids").write_text("\n".join(ids) + "\n")


if __name__ == "__main__":
    main()
