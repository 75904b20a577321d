"""What only the host may know, and where it leaks: two searches of texts.

Letters and digits alone count: neither line breaks nor hyphens, case or punctuation hide a leak.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

from kit_builder.errors import Location, Text

# A host text with fewer letters and digits may stand in a player file by chance.
_LEAST = 12
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else None for code in range(128)}
# Where a sentence ends in a Markdown text, whatever its last character: at a blank line, at the
# mark of an item, and at the edges of a table's rows and cells.
_EDGE = re.compile(r"^\s*?\n|^\s*(?:[-*+]|\d+[.)]|#{1,6}|>)[^\S\n]+", re.MULTILINE)
_ROW = re.compile(r"\n?^.*(?<!\\)\|.*$\n?", re.MULTILINE)
_CELL_EDGE = re.compile(r"(?<!\\)\||\n")
_SENTENCE = re.compile(r"[^\s\0][^\0]*?(?:[.!?…]+[*_\"'”’»)\]]*(?=[\s\0])|(?=\0)|\Z)")
_MARKS = " \t*_`"
# In capitals they have no accents.
_GREEK = re.compile("[\u0386-\u03ce\u1f00-\u1fff]")


@dataclass(frozen=True, slots=True)
class Leak:
    """A text of the host's that stands in a player file, and where: "page 2", "metadata" ..."""

    text: Text
    place: str


def host_only(
    player_texts: Iterable[str], host_texts: Iterable[Text], secrets: Iterable[Text]
) -> tuple[Text, ...]:
    """What of the host's texts must not stand in a player file.

    Args:
        player_texts: everything a player file says, in the order in which it is printed.
        host_texts: Markdown; each sentence, table cell and list item of it counts by itself if it
            has at least 12 letters and digits and the players do not read the same.
        secrets: these count always, however short.

    Returns:
        The secrets, then the sentences; each with its own place.
    """
    known = _squeezed(" ".join(player_texts))
    found = {_squeezed(secret) or secret: secret for secret in secrets}
    for text in host_texts:
        for sentence, start in _sentences(text):
            key = _squeezed(sentence)
            if len(key) >= _LEAST and key not in known and key not in found:
                line = text.line(text.count("\n", 0, start))
                found[key] = Text(sentence, _place(line, sentence))
    return tuple(found.values())


def find(host_texts: Iterable[Text], places: Mapping[str, Collection[str]]) -> tuple[Leak, ...]:
    """Where host-only texts stand in a player file.

    Args:
        host_texts: as `host_only` returns them. One of fewer than 12 letters and digits is a
            secret: it is found as a whole word, or as such words, however they are spaced.
        places: what stands in the file, its name included, by the place where it stands.
    """
    keys = [(text, _squeezed(text)) for text in host_texts]
    sentences = [(text, key) for text, key in keys if len(key) >= _LEAST]
    secrets = [(text, _pattern(text)) for text, key in keys if len(key) < _LEAST]
    found: list[Leak] = []
    for place, texts in places.items():
        if secrets:
            spaced = "\n".join(map(_folded, texts))
            found += (Leak(text, place) for text, pattern in secrets if pattern.search(spaced))
        squeezed = "\n".join(map(_squeezed, texts))
        found += (Leak(text, place) for text, key in sentences if key in squeezed)
    return tuple(found)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = normalize("NFKC", normalize("NFKC", text).casefold())
    return _GREEK.sub(lambda letter: normalize("NFD", letter[0])[0], folded)


def _squeezed(text: str) -> str:
    # Nothing is composed across white space, so that words can be squeezed by themselves.
    return "".join(map(_squeezed_word, text.split()))


@lru_cache(maxsize=4096)  # the rules and the pages of a kit have the same words
def _squeezed_word(word: str) -> str:
    return word.translate(_ASCII) if word.isascii() else _NOT_ALPHANUMERIC.sub("", _folded(word))


def _sentences(text: Text) -> Iterator[tuple[str, int]]:
    """The sentences, table cells and list items of a Markdown text, without its marks.

    Each with the place in the text where it starts, from 0.
    """
    # Every edge becomes as many zeros as it has characters, so that each sentence keeps its place.
    whole = _EDGE.sub(lambda edge: "\0" * len(edge[0]), text)
    if "|" in whole:
        whole = _ROW.sub(lambda row: _CELL_EDGE.sub("\0", row[0]), whole)
    for match in _SENTENCE.finditer(whole):
        sentence = " ".join(map(str.strip, match[0].split("\n"))).strip(_MARKS)
        if sentence:
            yield sentence, match.start()


def _place(line: Location, sentence: str) -> Location:
    """Where on its line a sentence starts; the line where that cannot be told."""
    start = line.of(sentence.split()[0])
    return start if start.line == line.line else line


def _pattern(secret: str) -> re.Pattern[str]:
    """A secret as whole words of a folded text.

    Its letters may be spaced or hyphenated, but lie in one text object, unless the secret itself
    is spaced: three cards A, B and C side by side are not the word "ABC".
    """
    words = [re.findall(r"[^\W_]", word) for word in _folded(secret).split()]
    if any(words):
        within, between = r"(?:[^\w\n]|_)*", r"[\W_]*"
    else:
        words, within, between = [list(word) for word in secret.split()], r"[^\S\n]*", r"\s*"
    spaced = between.join(within.join(map(re.escape, word)) for word in words if word)
    return re.compile(rf"(?<![^\W_]){spaced}(?![^\W_])")
