"""The conformance corpus: small stores, and what a checker must find in them.

`cases` are its definitions, `write_corpus` writes each as a store with an ``expect.json``, and `Scoring` runs
any command that speaks the report's schema on them.
"""

from nz_explorer.testing.corpus.cases import bases, cases, contents, pack, write
from nz_explorer.testing.corpus.scoring import NoReport, Score, Scoring
from nz_explorer.testing.corpus.writing import CORPUS, EXPECT, write_corpus

__all__ = [
    "CORPUS",
    "EXPECT",
    "NoReport",
    "Score",
    "Scoring",
    "bases",
    "cases",
    "contents",
    "pack",
    "write",
    "write_corpus",
]
