"""Every sentence of a text has its rules or a reason to have none, and every rule its sentence."""

from __future__ import annotations

import pytest

from nz_explorer.conventions import rules
from tests.corpus.coverage import Sentence, texts
from tests.engine.test_catalogue import HEADINGS

TEXTS = texts()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [(text, sentence) for text, found in TEXTS.items() for sentence in found],
    ids=lambda given: given.says[:40] if isinstance(given, Sentence) else given,
)
def test_a_sentence_has_rules_or_a_reason(text: str, sentence: Sentence) -> None:
    assert bool(sentence.rules) is not bool(sentence.none)
    assert set(sentence.rules) <= set(rules())
    assert text not in HEADINGS or sentence.section in HEADINGS[text]


@pytest.mark.parametrize("text", TEXTS)
def test_a_rule_has_its_sentence(text: str) -> None:
    cited = {rule for sentence in TEXTS[text] for rule in sentence.rules}
    assert {rule.id for rule in rules().values() if rule.source.doc == text} <= cited
