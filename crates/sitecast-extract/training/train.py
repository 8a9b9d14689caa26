"""Trains the model that tells content from the rest.

    python3 train.py first MODEL SEGMENTS[=WEIGHT]… [--folds N] [--without FEATURE…]
    python3 train.py second MODEL SEGMENTS[=WEIGHT]… [--folds N]

SEGMENTS are folders that `cargo run --release -p sitecast-extract --example segments` wrote, one for each
corpus; with a WEIGHT its pages count that much. MODEL is the file to write.

`first` trains two forests, the general one on the first corpus alone and the first judgement of articles on all of
them. It writes both to MODEL.first, and to each folder `first.f32`: what was thought of each segment by a forest for
articles that was trained without its site. `segments --again` makes descriptions of these, and `second` trains the
second judgement of articles on them and puts all three into MODEL.

MODEL.0 … MODEL.N-1 are each trained without one part of the sites, and MODEL.0.ids … have the pages of that
part, for honest figures:

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

# Small trees, each seeing a part of the features: nothing that holds for one site only survives.
PARAMETERS = dict(
    objective="binary",
    learning_rate=0.1,
    bagging_fraction=0.7,
    bagging_freq=1,
    max_bin=63,
    seed=1,
    deterministic=True,
    force_row_wise=True,
    num_threads=2,
    verbose=-1,
)
FIRST = dict(PARAMETERS, num_leaves=31, min_data_in_leaf=150, feature_fraction=0.25, lambda_l2=20, num_iterations=120)
SECOND = dict(PARAMETERS, num_leaves=16, min_data_in_leaf=400, feature_fraction=0.4, lambda_l2=50, num_iterations=100)


# As in src/content/second.rs.
HOPELESS = 0.02


class Corpus:
    """Pages with their segments, labels and weights, and the features of all segments."""

    def __init__(self, argument):
        folder, _, weight = argument.partition("=")
        self.folder = pathlib.Path(folder)
        self.names = json.loads((self.folder / "names.json").read_text())
        self.features = self.read("features.f32", len(self.names))
        self.column = {name: number for number, name in enumerate(self.names)}
        self.ids, self.hosts, self.kinds, self.ranges, labels, weights = [], [], [], [], [], []
        taught = 0
        for line in open(self.folder / "segments.jsonl"):
            page = json.loads(line)
            at = len(labels)
            segments = [words(text) for text in page["texts"]]
            page_labels, page_weights = self.label(page, segments, self.features[at : at + len(segments)])
            labels += page_labels
            weights += page_weights
            taught += any(page_weights)
            self.ids.append(page["id"])
            self.kinds.append(page["type"])
            self.hosts.append(urllib.parse.urlparse(page["url"]).netloc or page["id"])
            self.ranges.append((at, len(labels)))
        self.labels = numpy.array(labels, dtype=int)
        weights = numpy.array(weights)
        self.weights = weights / weights.sum() * taught * float(weight or 1)

    def read(self, name, width):
        return numpy.fromfile(self.folder / name, dtype="<f4").reshape(-1, width)

    def label(self, page, segments, rows):
        """Whether each segment is content, and what it weighs."""
        truth = page["truth"] or page["supposed"] or ""
        length = len(words(truth))
        if not length:
            # Pages without truth teach nothing.
            return [False] * len(segments), [0.0] * len(segments)
        chrome = [self.column[name] for name in ("up_nav", "up_footer", "up_aside", "up_dialog")]
        # Of two copies of a text the one outside of menus and hidden parts is the content.
        prior = [
            (0.9 if row[self.column["hidden"]] > 0 else 1.0) * (0.85 if (row[chrome] < 40).any() else 1.0)
            for row in rows
        ]
        kept, duplicates = align(segments, truth, prior)
        labels = [number in kept for number in range(len(segments))]
        # What a word is worth for the F1 of its page.
        weights = [
            min(len(segment), 100) ** 0.8 / (length + 50) * (0.05 if number in duplicates else 1.0)
            for number, segment in enumerate(segments)
        ]
        if not page["truth"]:
            apply_snippets(page, segments, words(truth), labels, weights)
        return labels, weights


# What is known weighs more than what is supposed, and that less where it is known to be wrong.
KNOWN, WRONG = 2.0, 0.2


def apply_snippets(page, segments, supposed, labels, weights):
    """Of some pages only sentences are marked; the rest is what another tool found."""
    wanted, unwanted = ([" ".join(words(text)) for text in page[name]] for name in ("with", "without"))
    is_right = all(text in " ".join(supposed) for text in wanted)
    for number, segment in enumerate(segments):
        text = " ".join(segment)
        is_wanted = any(part and part in text for part in wanted)
        # Not where it is a part of something longer.
        is_unwanted = any(part and part in text and 2 * len(part) >= len(text) for part in unwanted)
        if is_wanted or is_unwanted:
            labels[number] = is_wanted
            weights[number] *= KNOWN
        elif not is_right:
            weights[number] *= WRONG


def parts_of_hosts(corpora, count):
    """The part that each page is in, and each segment. Pages of one host are in the same part: a site must not teach about itself."""
    hosts = sorted({host for corpus in corpora for host in corpus.hosts})
    numpy.random.RandomState(7).shuffle(hosts)
    part = {host: number % count for number, host in enumerate(hosts)}
    pages = [part[host] for corpus in corpora for host in corpus.hosts]
    sizes = [end - start for corpus in corpora for start, end in corpus.ranges]
    return numpy.array(pages), numpy.repeat(pages, sizes)


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


def written(model, names, what):
    trees = [info["tree_structure"] for info in model.dump_model()["tree_info"]]
    lines = [f"# {len(trees)} trees over {len(names)} features, {what}; training/README.md says where from"]
    lines += [write_tree(tree) for tree in trees]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stage", choices=["first", "second"])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("segments", nargs="+")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--without", nargs="*", default=[], metavar="FEATURE", help="features of the first judgement to do without")
    arguments = parser.parse_args()
    is_first = arguments.stage == "first"
    corpora = [Corpus(argument) for argument in arguments.segments]
    labels = numpy.concatenate([corpus.labels for corpus in corpora])
    weights = numpy.concatenate([corpus.weights for corpus in corpora])
    weights /= weights.mean()
    if is_first:
        names, parameters = corpora[0].names, FIRST
        features = numpy.concatenate([corpus.features for corpus in corpora])
        for name in arguments.without:
            features[:, [name in (other, other.split("_")[0] + "_*") for other in names]] = 0
    else:
        # What is hopeless is not judged again.
        weights *= numpy.concatenate([corpus.read("first.f32", 1)[:, 0] for corpus in corpora]) >= HOPELESS
        names, parameters = json.loads((corpora[0].folder / "second-names.json").read_text()), SECOND
        features = numpy.concatenate([corpus.read("second.f32", len(names)) for corpus in corpora])
    print(f"{sum(len(corpus.ids) for corpus in corpora)} pages, {len(labels)} segments, {labels.sum()} of them content")

    def train(rows):
        rows = rows & (weights > 0)
        return lightgbm.train(parameters, lightgbm.Dataset(features[rows], labels[rows], weight=weights[rows]))

    is_general = numpy.arange(len(labels)) < len(corpora[0].labels)

    def train_and_save(rows, path):
        first = path.with_name(path.name + ".first")
        model = train(rows)
        if is_first:
            general = written(train(rows & is_general), names, "of all pages")
            first.write_text(general + written(model, names, "of articles"))
        else:
            path.write_text(first.read_text() + written(model, names, "of articles once more"))
        return model

    model = train_and_save(numpy.ones(len(labels), dtype=bool), arguments.model)
    gain = model.feature_importance("gain")
    for number in numpy.argsort(-gain)[:12]:
        print(f"{100 * gain[number] / gain.sum():5.1f} %  {names[number]}")

    page_parts, parts = parts_of_hosts(corpora, arguments.folds)
    thought = numpy.zeros(len(labels), dtype="<f4")
    for fold in range(arguments.folds):
        without = train_and_save(parts != fold, arguments.model.with_name(f"{arguments.model.name}.{fold}"))
        thought[parts == fold] = without.predict(features[parts == fold])
        ids = [page for corpus in corpora for page in corpus.ids]
        ids = [page for page, part in zip(ids, page_parts) if part == fold]
        arguments.model.with_name(f"{arguments.model.name}.{fold}.ids").write_text("\n".join(ids) + "\n")
    if is_first:
        start = 0
        for corpus in corpora:
            end = start + len(corpus.labels)
            thought[start:end].tofile(corpus.folder / "first.f32")
            start = end


if __name__ == "__main__":
    main()
