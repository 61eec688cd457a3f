"""Plurals and articles as people write them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nz_explorer.text.phrases import SHOWN, article, capitalized, every, listed, noun, plural

NOUNS = {
    "array": "arrays",
    "axis": "axes",
    "byte": "bytes",
    "chunk object": "chunk objects",
    "dimension": "dimensions",
    "entry": "entries",
    "hex digit": "hex digits",
    "index": "indices",
    "is": "are",
    "key": "keys",
    "more finding": "more findings",
    "patch": "patches",
    "tile matrix": "tile matrices",
}
NUMBERS = st.integers(0, 10**12)


@given(NUMBERS, st.sampled_from(sorted(NOUNS)))
def test_only_one_of_a_thing_is_in_the_singular(number: int, word: str) -> None:
    assert noun(number, word) == (word if number == 1 else NOUNS[word])
    count, _, rest = plural(number, word).partition(" ")
    assert int(count.replace(",", "")) == number
    assert rest == noun(number, word)


@given(st.integers(1, 10**6), st.sampled_from(sorted(NOUNS)))
def test_all_of_one_thing_is_the_only_one(number: int, word: str) -> None:
    assert every(number, word) == (
        f"the only {word}" if number == 1 else f"all {number:,} {NOUNS[word]}"
    )


@pytest.mark.parametrize(
    "phrase",
    [
        "array",
        "int16",
        "object",
        "error",
        "8-bit",
        "11",
        "18,000",
        "86400",
        "S3",
        "f4",
        "r16",
        "h5",
        "i8",
        "xarray",
        "HTTP",
        "NZ-1.0",
        "x",
        "hour",
        "fsspec",
        "XML",
    ],
)
def test_an_before_the_sound_of_a_vowel(phrase: str) -> None:
    assert article(phrase) == f"an {phrase}"


@pytest.mark.parametrize(
    "phrase",
    [
        "group",
        "uint8",
        "float32",
        "string",
        "uniform",
        "unit",
        "user",
        "URL",
        "UTF-8",
        "one-dimensional",
        "once",
        "1",
        "12",
        "110",
        "7",
        "NUG",
        "u1",
        "bool",
        "JSON",
        "zarr.json",
        "European",
        "MemoryStore",
        "...",
        "–",
    ],
)
def test_a_before_any_other_sound(phrase: str) -> None:
    assert article(phrase) == f"a {phrase}"


@given(st.text())
def test_any_text_gets_an_article_and_stays_as_it_is(phrase: str) -> None:
    found = re.fullmatch(r"(an?) (.*)", article(phrase), re.DOTALL)
    assert found is not None
    assert found[2] == phrase


@given(st.lists(st.text(st.characters(exclude_characters=","), min_size=1), max_size=30))
def test_a_list_names_some_and_counts_the_others(names: list[str]) -> None:
    text = listed(names)
    assert text.startswith(", ".join(names[:SHOWN]))
    more = len(names) - SHOWN
    assert text.endswith(f" and {more} more") if more > 0 else text == ", ".join(names)


def test_a_sentence_begins_with_a_capital_letter_and_keeps_the_others() -> None:
    assert capitalized("reading /SST of NEMO") == "Reading /SST of NEMO"
    assert capitalized("") == ""
