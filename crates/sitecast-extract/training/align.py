"""Which segments of a page are in its marked content?

The marked content is plain text, in the order of the page. Segments and text are compared as
sequences of words: the heaviest chain of words that are the same in both, in order, is what they
share. A segment is content if more than half of its words are in the chain. So a short label that
stands in the menu and in the article is content only where it is in the chain, that is, between
its neighbours. What is left over on both sides is compared again, for parts that are out of order.
"""

import collections
import re

WORD = re.compile(r"\w+")


def words(text):
    return WORD.findall(text.lower())


def lines_of(text):
    """The words of a text, and where each of its lines begins and ends among them."""
    all_words, lines = [], []
    for line in text.split("\n"):
        found = words(line)
        if found:
            lines.append((len(all_words), len(all_words) + len(found)))
            all_words += found
    return all_words, lines


def candidates(page, blocks, truth, lines, used_page, used_truth, run, whole_lines, most=400):
    """For each word of the page, the places in the truth it may stand for: those where `run` words
    in a row are the same, or, for a short segment, where a whole line is."""
    index = collections.defaultdict(list)
    for at in range(len(truth) - run + 1):
        if not any(used_truth[at : at + run]):
            index[tuple(truth[at : at + run])].append(at)
    found = [None] * len(page)
    for at in range(len(page) - run + 1):
        if any(used_page[at : at + run]):
            continue
        places = index.get(tuple(page[at : at + run]))
        if places and len(places) <= most:
            for offset in range(run):
                if found[at + offset] is None:
                    found[at + offset] = set()
                found[at + offset].update(place + offset for place in places)
    if whole_lines:
        index = collections.defaultdict(list)
        for start, end in lines:
            if end - start < 8 and not any(used_truth[start:end]):
                index[tuple(truth[start:end])].append(start)
        for start, end in blocks:
            if 0 < end - start < 8 and not any(used_page[start:end]):
                places = index.get(tuple(page[start:end]))
                if places and len(places) <= most:
                    for offset in range(end - start):
                        if found[start + offset] is None:
                            found[start + offset] = set()
                        found[start + offset].update(place + offset for place in places)
    return found


def chain(found, truth_length, weights):
    """The heaviest chain of pairs (page word, truth word), both rising. A word counts its weight,
    and once more where it continues the pair before it. A Fenwick tree holds the best so far."""
    tree = [(0.0, -1)] * (truth_length + 1)
    pairs, back, before = [], [], {}
    for at, places in enumerate(found):
        now = {}
        for place in places or ():
            best, link, node = 0.0, -1, place
            while node > 0:
                if tree[node][0] > best:
                    best, link = tree[node]
                node &= node - 1
            best += weights[at]
            diagonal = before.get(place - 1)
            if diagonal is not None and diagonal[0] + 2 * weights[at] > best:
                best, link = diagonal[0] + 2 * weights[at], diagonal[1]
            pairs.append((at, place))
            back.append(link)
            now[place] = (best, len(pairs) - 1)
        for place, value in now.items():
            node = place + 1
            while node <= truth_length:
                if tree[node][0] < value[0]:
                    tree[node] = value
                node += node & -node
        before = now
    best, link, node = 0.0, -1, truth_length
    while node > 0:
        if tree[node][0] > best:
            best, link = tree[node]
        node &= node - 1
    path = []
    while link >= 0:
        path.append(pairs[link])
        link = back[link]
    return path


def align(segments, truth_text, weights):
    """The segments (lists of words) that are content, as a set of indexes, and those that say what
    the content says without being in it: duplicates, of which nothing should be learnt."""
    page, owner, blocks = [], [], []
    for number, segment in enumerate(segments):
        blocks.append((len(page), len(page) + len(segment)))
        page += segment
        owner += [number] * len(segment)
    truth, lines = lines_of(truth_text)
    used_page, used_truth = [False] * len(page), [False] * len(truth)
    word_weights = [weights[number] for number in owner]
    for turn in range(8):
        found = candidates(page, blocks, truth, lines, used_page, used_truth, 3 if turn == 0 else 4, turn == 0)
        path = chain(found, len(truth), word_weights)
        matched = collections.Counter(owner[at] for at, _ in path)
        accepted = {number for number, count in matched.items() if 2 * count > len(segments[number])}
        new = 0
        for at, place in path:
            if owner[at] in accepted:
                used_page[at] = used_truth[place] = True
                new += 1
        if new < (4 if turn else 1):
            break
    kept = {
        number for number, (start, end) in enumerate(blocks) if 2 * sum(used_page[start:end]) > end - start
    }
    trigrams = {tuple(truth[at : at + 3]) for at in range(len(truth) - 2)}
    covered = [coverage(segment, trigrams) for segment in segments]
    kept = toggle(segments, kept, truth, {number for number, share in enumerate(covered) if share > 0.5})
    duplicates = {
        number
        for number, share in enumerate(covered)
        if number not in kept and len(segments[number]) >= 4 and share >= 0.8
    }
    return kept, duplicates


def coverage(segment, trigrams):
    """The share of a segment's words that are in trigrams of the truth."""
    inside = [False] * len(segment)
    for at in range(len(segment) - 2):
        if tuple(segment[at : at + 3]) in trigrams:
            inside[at] = inside[at + 1] = inside[at + 2] = True
    return sum(inside) / len(segment) if segment else 0.0


def toggle(segments, kept, truth, may_join):
    """Takes segments out, and puts covered ones in, as long as that makes the F1 of words better."""
    wanted, have = collections.Counter(truth), collections.Counter()
    for number in kept:
        have.update(segments[number])
    size, shared = sum(have.values()), sum((have & wanted).values())
    kept = set(kept)

    def f1(shared, size):
        return 2 * shared / (size + len(truth)) if size + len(truth) else 0.0

    for _ in range(3):
        changed = False
        for number, segment in enumerate(segments):
            if not segment:
                continue
            counts = collections.Counter(segment)
            if number in kept:
                less = sum(
                    min(have[word], wanted[word]) - min(have[word] - count, wanted[word])
                    for word, count in counts.items()
                )
                if f1(shared - less, size - len(segment)) > f1(shared, size) + 1e-12:
                    kept.discard(number)
                    have.subtract(counts)
                    shared, size, changed = shared - less, size - len(segment), True
            elif number in may_join:
                more = sum(
                    min(have[word] + count, wanted[word]) - min(have[word], wanted[word])
                    for word, count in counts.items()
                )
                if f1(shared + more, size + len(segment)) > f1(shared, size) + 1e-12:
                    kept.add(number)
                    have.update(counts)
                    shared, size, changed = shared + more, size + len(segment), True
        if not changed:
            break
    return kept
