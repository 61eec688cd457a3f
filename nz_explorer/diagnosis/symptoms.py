"""Symptoms: what people come with, in their words, and the rules that may be why."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import chain
from pathlib import Path

from nz_explorer.diagnosis.attribution import TOPICS, error_types
from nz_explorer.diagnosis.likeness import Likeness, words_of
from nz_explorer.engine.catalogue import RuleInfo, has_prefix
from nz_explorer.engine.impact import HARMLESS, HARMS

MOST_RULES = 10
RARE, USUAL = 6, 40
"""In how many rules a word may occur that tells much, or something, of which of them is meant."""
LIKELY = 4
"""Points that a rule needs to be named for a message."""
NEAR = 0.5
"""The share of the points of the likeliest rule that another one needs to be named beside it."""
MOST_BEHIND_A_KNOWN_ONE = 5
"""How many rules are named for a message that readers are known to raise, unless more are known to cause it."""
SHORTEST_RUN = 3
"""Words in a row that do not come together by chance."""
_SPOKEN = re.compile(r"\w+")
_COMMON = frozenset(
    [
        "ValueError",
        "KeyError",
        "TypeError",
        "FileNotFoundError",
        "dtype",
        "append",
        "version",
        "buffer",
    ]
)
"""Words of symptoms that many messages have."""
_FORMATS = {
    "Z3-": re.compile(r"V2Metadata|\.zarray|\.zattrs|\.zgroup|_ARRAY_DIMENSIONS"),
    "Z2-": re.compile(r"V3Metadata|zarr\.json|dimension_names"),
}
"""What is said of one format only, by what the ids of rules on the other begin with."""
_WORDS = re.compile(r"[^\W\d_]{3,}")
FILE = Path(__file__).parent / "symptoms.toml"
MESSAGES = Path(__file__).parent / "messages.toml"
REPORTS = Path(__file__).parent / "reports.json"
TOLD, POINTED = 1.0, 0.2
"""How much it counts beside what is noticed where a rule is broken that its text is like, and that points speak for it."""
FEWEST_SHARED = 2
"""Words that what is said shares with a sentence that it is like: a single one is met by chance."""
LEAST_LIKE = 0.1
"""How like a rule has to be to be named at all."""
LEAST_BESIDE = 0.35
"""How like it has to be beside those that are known to be behind a message."""
SAME_AGAIN = 0.4
"""How like a report has to be to be shown."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """Something that people notice.

    Attributes
    ----------
    key : str
        Names it.
    text : str
        What they say, as the end of a sentence or one by itself.
    words : tuple of str
        What else they may type to find it: parts of messages, names of programs and settings.
    prefixes : tuple of str
        Rules that may be why, by id or by what their ids begin with.
    """

    key: str
    text: str
    words: tuple[str, ...]
    prefixes: tuple[str, ...]

    def may_come_from(self, rule_id: str) -> bool:
        """Return whether breaking a rule may be why.

        Parameters
        ----------
        rule_id : str
            Such as ``NZ-DIM-010``.
        """
        return any(has_prefix(rule_id, prefix) for prefix in self.prefixes)


@dataclass(frozen=True, slots=True)
class Message:
    """What readers are known to say.

    Attributes
    ----------
    said : re.Pattern
        Found in the message.
    rules : tuple of str
        Ids of the rules that are broken then, the likeliest first.
    meaning : str
        What the reader needs, where it is not the store that is wrong.
    """

    said: re.Pattern[str]
    rules: tuple[str, ...]
    meaning: str


@cache
def messages() -> tuple[Message, ...]:
    """Return what readers are known to say, the more special messages first."""
    entries = tomllib.loads(MESSAGES.read_text("utf-8"))["message"]
    return tuple(
        Message(re.compile(given["said"]), tuple(given["rules"]), given.get("meaning", ""))
        for given in entries
    )


@dataclass(frozen=True, slots=True)
class Reported:
    """A failure that was reported in public, which the field guide has as a store.

    Attributes
    ----------
    url : str
        Where.
    symptom : str
        What was noticed.
    rule : str
        What was broken.
    """

    url: str
    symptom: str
    rule: str


@cache
def reports() -> tuple[Reported, ...]:
    """Return the failures that the field guide has."""
    return tuple(Reported(**given) for given in json.loads(REPORTS.read_text("utf-8")))


@cache
def _words_of_reports() -> tuple[frozenset[str], ...]:
    return tuple(words_of(one.symptom) for one in reports())


def report_like(message: str) -> Reported | None:
    """Return the report that is most like a message, None where none is.

    Parameters
    ----------
    message : str
        What a reader says, or what somebody notices.
    """
    said, known = words_of(message), _words_of_reports()
    likeness = Likeness(known)
    likes = [likeness.of(said, words) for words in known]
    like, found = max(zip(likes, reports(), strict=True), key=lambda one: one[0])
    return found if like >= SAME_AGAIN else None


def _known(message: str) -> Message | None:
    return next((known for known in messages() if known.said.search(message)), None)


def meaning_of(message: str) -> str:
    """Return what a message means that no rule of a store is behind, or nothing.

    Parameters
    ----------
    message : str
        What a reader says.
    """
    known = _known(message)
    return known.meaning if known else ""


@cache
def symptoms() -> tuple[Symptom, ...]:
    """Return all symptoms, in the order of a list to choose from."""
    entries = tomllib.loads(FILE.read_text("utf-8"))
    return tuple(
        Symptom(key, given["symptom"], tuple(given["words"]), tuple(given["rules"]))
        for key, given in entries.items()
    )


def symptoms_of(rule_ids: Iterable[str]) -> list[Symptom]:
    """Return the symptoms that some rules, all broken, may be why.

    Parameters
    ----------
    rule_ids : iterable of str
        Ids of rules.
    """
    broken = set(rule_ids)
    return [one for one in symptoms() if any(map(one.may_come_from, broken))]


def rules_behind(message: str, rules: Iterable[RuleInfo]) -> list[RuleInfo]:
    """Return the rules that a message of a reader may come from, the likeliest first.

    Parameters
    ----------
    message : str
        What a reader says, such as ``ValueError: conflicting sizes for dimension 'x'``, or what somebody notices.
    rules : iterable of RuleInfo
        All rules.
    """
    noticed = [(one, weight) for one in symptoms() if (weight := _weight(one, message))]
    topics = [topic.rules for topic in TOPICS if topic.pattern.search(message)]
    others = tuple(prefix for prefix, marks in _FORMATS.items() if marks.search(message))
    meant = [
        info for info in rules if info.works and (len(others) > 1 or not info.id.startswith(others))
    ]
    about = [(info, _words(_about(info))) for info in meant]
    frequency = Counter(chain.from_iterable(words for _, words in about))
    said = _words(message)
    scored = []
    for info, words in about:
        points = _points(info, message, noticed, topics)
        if points:
            telling = sum(
                1 + (frequency[word] <= RARE) for word in said & words if frequency[word] <= USUAL
            )
            scored.append((points + telling + _run(message, _says(info)), info))
    scored.sort(key=lambda one: -one[0])
    least = max(LIKELY, scored[0][0] * NEAR) if scored else 0
    pointed = [info for points, info in scored[:MOST_RULES] if points >= least]
    known = _known(message)
    likely = _likest(message, meant, pointed, LEAST_LIKE if known is None else LEAST_BESIDE)
    if known is None:
        return likely
    by_id = {info.id: info for info in meant}
    behind = [by_id[rule_id] for rule_id in known.rules if rule_id in by_id]
    rest = [info for info in likely if info not in behind] if behind else []
    return [*behind, *rest[: max(0, MOST_BEHIND_A_KNOWN_ONE - len(behind))]]


def _likest(
    message: str, meant: list[RuleInfo], pointed: list[RuleInfo], least_like: float
) -> list[RuleInfo]:
    """Return the rules whose texts, or what is noticed and reported of which, are like a message, with those that points speak for."""
    texts = {info.id: words_of(f"{_about(info)} {info.bad_example or ''}") for info in meant}
    noticed = [(info.id, words_of(one)) for info in meant for one in info.noticed]
    reported = [
        (one.rule, words) for one, words in zip(reports(), _words_of_reports(), strict=True)
    ]
    seen = [*noticed, *reported]
    likeness = Likeness([*texts.values(), *(words for _, words in seen)])
    said = words_of(message)
    scores = {info.id: TOLD * likeness.of(said, texts[info.id]) for info in meant}
    nearest: dict[str, float] = {}
    for rule_id, words in seen:
        if len(said & words) >= min(FEWEST_SHARED, len(said)):
            nearest[rule_id] = max(nearest.get(rule_id, 0), likeness.of(said, words))
    for rule_id, like in nearest.items():
        if rule_id in scores:
            scores[rule_id] += like
    for place, info in enumerate(pointed, start=1):
        scores[info.id] += POINTED / place
    best = sorted(meant, key=lambda info: -scores[info.id])[:MOST_RULES]
    least = max(least_like, scores[best[0].id] * NEAR) if best else 0
    return [info for info in best if scores[info.id] >= least]


def _run(message: str, says: str) -> int:
    """Return the length of the longest run of words that a message has in common with what readers are known to say."""
    one, other = (_SPOKEN.findall(text.casefold()) for text in (message, says))
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return match.size if match.size >= SHORTEST_RUN else 0


def _about(info: RuleInfo) -> str:
    return f"{_says(info)} {info.title} {info.statement} {info.rationale}"


def _says(info: RuleInfo) -> str:
    return " ".join(text for text in info.readers.values() if not text.startswith(HARMLESS))


def _weight(symptom: Symptom, message: str) -> int:
    """Return how much a message speaks for a symptom: a type of errors alone is little."""
    text = message.casefold()
    found = [word for word in symptom.words if word.casefold() in text]
    return max((1 if word in _COMMON else 4 for word in found), default=0)


def _points(
    info: RuleInfo, message: str, noticed: list[tuple[Symptom, int]], topics: list[re.Pattern[str]]
) -> int:
    """Count what speaks for a rule: the symptoms that it may cause, what the message is about, what readers are known to raise."""
    points = max(
        (weight for symptom, weight in noticed if symptom.may_come_from(info.id)), default=0
    )
    points += 2 * any(topic.match(info.id) for topic in topics)
    points += bool(topics and topics[0].match(info.id))
    if not points:
        return 0
    points += info.impact in HARMS
    kinds = error_types(_says(info)) & error_types(message)
    points += 2 * bool(kinds - _COMMON) or bool(kinds)
    return points


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORDS.findall(text)}
