"""Every sentence of a text has its rules or a reason to have none, and every rule its sentence."""

from __future__ import annotations

import pytest

from nz_explorer.conventions import rules
from tests.corpus.coverage import Sentence, texts
from tests.engine.test_catalogue import HEADINGS

TEXTS = texts()
WITHOUT_TABLE = {
    "practice": "no text, but what readers and writers do",
    "nz_explorer": "limits of this program",
    "RFC 8259": "any JSON parser keeps it; the rules name what parsers let pass or say of it",
    "CF-1.11": "of its 200 pages, what readers act on; checkers for the rest exist",
    "OME-NGFF": "what viewers act on; its own schemas have the rest",
    "Unicode Technical Standard 39": "one table of it",
    "PKWARE APPNOTE": "one sentence of it",
    "Amazon S3": "the documentation of a service",
    "Zarr": "the documentation of zarr-python",
    "zarr-python": "what it writes without a text",
    "xarray": "its documentation",
    "anndata": "signs by which its stores are known",
    "hdmf-zarr": "signs by which its stores are known",
    "kerchunk": "signs by which its references are known",
}
"""What rules cite and what has not been gone through sentence by sentence, and why not."""

CITED = {rule.source.doc for rule in rules().values()}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [(text, sentence) for text, found in TEXTS.items() for sentence in found],
    ids=lambda given: given.says[:40] if isinstance(given, Sentence) else given,
)
def test_a_sentence_has_rules_or_a_reason(text: str, sentence: Sentence) -> None:
    assert bool(sentence.rules) is not bool(sentence.none)
    assert set(sentence.rules) <= set(rules())
    assert text not in HEADINGS or sentence.section in HEADINGS[text]


@pytest.mark.parametrize("text", sorted(CITED - WITHOUT_TABLE.keys()))
def test_a_rule_has_its_sentence(text: str) -> None:
    cited = {rule for sentence in TEXTS[text] for rule in sentence.rules}
    assert {rule.id for rule in rules().values() if rule.source.doc == text} <= cited


def test_what_has_no_table_is_cited_and_has_none() -> None:
    assert WITHOUT_TABLE.keys() <= CITED - TEXTS.keys()
