"""Makes unicode.txt and the reference hashes of this folder with Hugging Face tokenizers.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install tokenizers==0.23.3
    /tmp/venv/bin/python reference.py TOKENIZER.json SHARED

TOKENIZER.json is a model's tokenizer.json, SHARED the folder that holds
mobium-docs and ir/nfcorpus. Texts are hashed, never written. A hash is the first
16 hex digits of the sha256 of numbers in decimal, joined by blanks.

unicode.txt is what BertNormalizer and BertPreTokenizer do with each code point,
asked of them one at a time; its head tells how it is written. The tables inside
tokenizers are of several Unicode versions, none of them Go's.
"""

import hashlib
import json
import pathlib
import sys

import tokenizers
from tokenizers import Tokenizer, normalizers

VERSION = "0.23.3"
HERE = pathlib.Path(__file__).parent
SEED = 0x6D6F6269756D  # "mobium"
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def digest(parts):
    return hashlib.sha256(" ".join(map(str, parts)).encode()).hexdigest()[:16]


def load(path):
    t = Tokenizer.from_file(path)
    t.no_padding()
    t.no_truncation()
    return t


def words(t, text):
    return [w for w, _ in t.pre_tokenizer.pre_tokenize_str(t.normalizer.normalize_str(text))]


# --- unicode.txt


def combining():
    """The marks that NFD reorders, ranked by canonical combining class: by what swaps with what."""
    nfd = normalizers.NFD().normalize_str
    moves = lambda a, b: nfd(a + b) == b + a and a != b
    low, high = "\u0334", "\u0345"  # classes 1 and 240, the lowest and the highest
    marks = [c for c in CODE_POINTS if moves(chr(c), low) or moves(high, chr(c))]
    # Sort by class: a moves behind b if its class is higher.
    classes = []  # groups of equal class, ascending
    for c in marks:
        for i, group in enumerate(classes):
            if moves(group[0], chr(c)):  # group's class is higher
                classes.insert(i, [chr(c)])
                break
            if not moves(chr(c), group[0]):
                group.append(chr(c))
                break
        else:
            classes.append([chr(c)])
    return {c: i + 1 for i, group in enumerate(classes) for c in group}


def unicode_rules(t):
    normalize = t.normalizer.normalize_str
    rank = combining()
    rules = {}
    for c in CODE_POINTS:
        if 0xAC00 <= c <= 0xD7A3:
            continue  # Hangul syllables are computed
        char = chr(c)
        got = normalize(char)
        if got == "":
            # Between two marks that stay and want to swap: do they?
            swapped = normalize("\U0001D16D" + char + "\U0001D165") == "\U0001D165\U0001D16D"
            rules[c] = ("drop",) if swapped else ("border",)
        elif got == " ":
            rules[c] = ("space",)
        elif got.startswith(" "):
            assert len(got) == 3 and got[2] == " ", hex(c)
            rules[c] = ("alone", ord(got[1]) - c)
        elif len(words(t, "a" + char + "b")) == 3 and got == char:
            rules[c] = ("punct",)
        elif got == char:
            if char in rank:
                rules[c] = ("mark", rank[char])
        elif len(got) == 1:
            rules[c] = ("to", ord(got) - c)
        else:
            rules[c] = ("list",) + tuple("%X" % ord(x) for x in got)
        if got and char in rank:
            assert got == char, hex(c)  # a mark that stays is not changed
    return rules


def write_unicode(t):
    groups = {}
    for c, rule in unicode_rules(t).items():
        groups.setdefault(rule, []).append(c)
    lines = []
    for rule, points in groups.items():
        i = 0
        while i < len(points):
            step = points[i + 1] - points[i] if i + 1 < len(points) and points[i + 1] - points[i] <= 2 else 1
            j = i
            while j + 1 < len(points) and points[j + 1] - points[j] == step:
                j += 1
            lines.append((points[i], points[j], step, rule))
            i = j + 1
    lines.sort()
    with open(HERE.parent / "unicode.txt", "w") as f:
        f.write(HEAD)
        for lo, hi, step, rule in lines:
            f.write(" ".join(["%X" % lo, "%X" % hi, str(step), *map(str, rule)]) + "\n")


HEAD = f"""\
# Made by testdata/reference.py from Hugging Face tokenizers {VERSION}; do not edit.
# What the uncased BERT normaliser and pre-tokeniser do with a code point:
#   LO HI STEP KIND ...   for LO, LO+STEP, ... HI (hexadecimal; STEP is 1 or 2)
# drop     removed (controls, combining marks)
# border   removed, and combining marks are not reordered across it
# space    a blank
# punct    a word of its own
# alone D  a word of its own, as the code point D higher
# to D     becomes the code point D higher (lower case, without its accent)
# list R.. becomes these code points (hexadecimal)
# mark N   stays, but moves before a neighbour of higher N (canonical reordering)
# All others stay as they are, but for Hangul syllables, which are computed.
"""


# --- texts made from a seed, the same in reference_test.go


class Source:
    """splitmix64"""

    def __init__(self, seed):
        self.state = seed & MASK

    def pick(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return (z ^ (z >> 31)) % n


MASK = (1 << 64) - 1
SPECIAL = ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[cls]", "[CLS", "[[SEP]]", " [MASK] ", "[unused0]"]
MARKS = [0x1D165, 0x1D16D, 0x302E, 0x302F, 0x16FF0, 0x1E4EC, 0x1E4EE, 0x334, 0x345, 0x34F, 0x200D, 0x1D160]
WORDS = ["the", "Mobium", "déjà", "Ångström", "NAÏVE", "ﬁx", "İstanbul", "straße", "한국", "日本語", "don't", "e.g."]


def random_text(s, special):
    text = ""
    for _ in range(1 + s.pick(40)):
        kind = s.pick(13 if special else 12)
        if kind == 0:
            text += "".join(chr(97 + s.pick(26)) for _ in range(1 + s.pick(8)))
        elif kind == 1:
            text += " "
        elif kind == 2:
            text += chr(32 + s.pick(95))
        elif kind == 3:
            text += chr(0x80 + s.pick(0x1D0))
        elif kind == 4:
            text += chr(0x300 + s.pick(0x70))
        elif kind == 5:
            text += chr(0x250 + s.pick(0x2EB0))
        elif kind == 6:
            text += chr(0x3100 + s.pick(0xA700))
        elif kind == 7:
            text += chr(0xE000 + s.pick(0x2000))
        elif kind == 8:
            text += chr(0x10000 + s.pick(0x20000))
        elif kind == 9:
            text += chr(CODE_POINTS[s.pick(len(CODE_POINTS))])
        elif kind == 10:
            text += chr(MARKS[s.pick(len(MARKS))])
        elif kind == 11:
            text += WORDS[s.pick(len(WORDS))]
        else:
            text += SPECIAL[s.pick(len(SPECIAL))]
    return text


def random_words(s):
    n = [0, 1, 5, s.pick(40), s.pick(700)][s.pick(5)]
    return " ".join(WORDS[s.pick(len(WORDS))] for _ in range(n))


LENGTHS = [3, 4, 5, 16, 17, 64, 128, 511, 512]


# --- the files


def write_blocks(t):
    with open(HERE / "blocks.txt", "w") as f:
        for block in range(0x1100):
            if 0xD8 <= block < 0xE0:
                continue
            parts = []
            for c in range(block << 8, (block + 1) << 8):
                for text in (chr(c), "a" + chr(c) + "b"):
                    parts += words(t, text)
                    parts += t.encode(text, add_special_tokens=False).ids
            f.write("%X %s\n" % (block, digest(parts)))


def write_random(t):
    with open(HERE / "random.txt", "w") as f:
        for i in range(4096):
            text = random_text(Source(SEED + i), i % 2 == 1)
            parts = t.encode(text).ids
            if i % 2 == 0:
                parts = parts + words(t, text)
            f.write(digest(parts) + "\n")


def write_pairs(t):
    with open(HERE / "pairs.txt", "w") as f:
        for i in range(1024):
            s = Source(SEED + 1_000_000 + i)
            a, b, length = random_words(s), random_words(s), LENGTHS[s.pick(len(LENGTHS))]
            t.no_truncation()
            full = [len(t.encode(a, b).ids), len(t.encode(a).ids)]
            t.enable_truncation(length)
            pair, single = t.encode(a, b), t.encode(a)
            f.write(digest(full + pair.ids + pair.type_ids + single.ids) + "\n")
    t.no_truncation()


def write_mobium(t, shared):
    with open(HERE / "mobium.txt", "w") as f:
        for path in sorted((shared / "mobium-docs").rglob("*.md")):
            text = path.read_bytes().decode()
            ids = t.encode(text).ids
            lines = []
            for line in text.split("\n"):
                lines += t.encode(line).ids
            name = path.relative_to(shared / "mobium-docs").as_posix()
            f.write(f"{name} {len(ids)} {digest(ids)} {digest(lines)}\n")


def write_nfcorpus(t, shared):
    with open(HERE / "nfcorpus.txt", "w") as f:
        for name in ("corpus", "queries"):
            for line in open(shared / "ir" / "nfcorpus" / f"{name}.jsonl", encoding="utf-8"):
                r = json.loads(line)
                text = r["title"] + " " + r["text"] if name == "corpus" else r["text"]
                ids = t.encode(text).ids
                f.write(f"{r['_id']} {len(ids)} {digest(ids)}\n")


if __name__ == "__main__":
    if tokenizers.__version__ != VERSION:
        sys.exit(f"tokenizers is {tokenizers.__version__}, want {VERSION}")
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tokenizer, shared = load(sys.argv[1]), pathlib.Path(sys.argv[2])
    write_unicode(tokenizer)
    write_blocks(tokenizer)
    write_random(tokenizer)
    write_pairs(tokenizer)
    write_mobium(tokenizer, shared)
    write_nfcorpus(tokenizer, shared)
