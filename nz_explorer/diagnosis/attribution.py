"""Which rule stands behind what a reader says: by the type of the error, by where it was raised, and by what was predicted.

Where nothing fits, nothing is named: the nearest finding is not a cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nz_explorer.diagnosis.impact import harms
from nz_explorer.diagnosis.trial import Failure
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.engine.findings import Finding
from nz_explorer.engine.impact import HARMLESS
from nz_explorer.model import paths

MAX_FINDINGS = 3
LIKELY = 6
"""Points that a finding needs to be named."""
WHOLE_GROUPS = frozenset(["xarray", "xarray DataTree"])
"""Readers that open a group with all of its arrays or not at all."""
WHOLE_DATASETS = frozenset(["netCDF-C"])
"""Readers that open all of a dataset, or nothing of it."""
UNPREDICTED = frozenset(["GDAL", "plain NZ", "tensorstore", "zarrita"])
"""Readers of which rules predict little: a finding explains what they say if they quote what it quotes."""
QUOTED = re.compile(r"['\"]([^'\"]+)['\"]")


@dataclass(frozen=True, slots=True)
class Topic:
    """What an error is about, told by its type, the functions it went through, or its words.

    Attributes
    ----------
    pattern : re.Pattern
        Found in types, functions and message of the error.
    rules : re.Pattern
        Matches the ids of the rules that such an error may come from.
    """

    pattern: re.Pattern[str]
    rules: re.Pattern[str]


def _topic(pattern: str, rules: str) -> Topic:
    return Topic(re.compile(pattern), re.compile(rules))


TOPICS = (
    _topic(r"coordinateTransformations|\bOME\b|Field required", r"OME-"),
    _topic(r"without the consolidated metadata it opens", r"(Z[23]-CM|NZ-CONS|JSON|Z2-KEY)-"),
    _topic(
        r"JSONDecodeError|UnicodeDecodeError|json\.decoder:|is no JSON|is there twice", r"JSON-"
    ),
    _topic(
        r"[Cc]onflicting sizes|has several lengths|AlignmentError|not aligned", r"(NZ-DIM|TREE|CF)-"
    ),
    _topic(
        r"parse_zarr_format|parse_indexing_order|parse_node_type", r"(Z2-ARR|Z2-GRP|Z3-DOC|Z3-CM)-"
    ),
    _topic(r"_scale_offset_decoding|array of size 1 to a Python scalar", r"(CF|NZ-PACK)-"),
    _topic(
        r"KeyError: '?(shape|chunks|dtype|zarr_format|codecs|data_type|chunk_grid|chunk_key_encoding)'?$",
        r"(Z2-ARR|Z2-GRP|Z3-DOC)-",
    ),
    _topic(r"ArrayV2Metadata\.__init__\(\) missing", r"Z2-ARR-"),
    _topic(r"Expected dict with string keys", r"Z2-ATT-"),
    _topic(
        r"chunk_key_encodings:|dimension_separator",
        r"(Z3-KEY|Z3-EXT|Z3-DT|Z3-CODEC|Z2-ARR|Z2-KEY)-",
    ),
    _topic(r"Expected dict, got", r"(Z3-EXT|Z3-CODEC|Z3-DT)-"),
    _topic(r"'\w+' object has no attribute 'get'", r"(JSON|Z3-CM|Z2-CM|NZ-CONS)-"),
    _topic(r"'\w+' object has no attribute 'split'", r"CF-"),
    _topic(r"open_store_variable TypeError", r"(Z2-OGC|NZ-DIM|Z3-DIM|Z3-DOC)-"),
    _topic(r"already exists as a scalar", r"CF-COORD-"),
    _topic(r"unpack requires a buffer", r"NZ-FILL-"),
    _topic(r"Expected an (integer or an )?iterable of integers", r"(Z2-ARR|Z3-GRID|Z3-SHAPE)-"),
    _topic(r"coding\.variables:<setcomp>", r"(Z2-OGC|NZ-FILL|CF)-"),
    _topic(r"open_store_variable.*zip\(\) argument", r"(Z2-OGC|Z3-DIM|NCZ)-"),
    _topic(r"cannot reshape array", r"(Z[23]-CHUNK|Z[23]-CM|NZ-CONS)-"),
    _topic(
        r"(Filter|Decompressor) \S+ not handled|object member \"(codecs|filters|compressor)\"",
        r"(Z[23]-CODEC|NZ-CODEC)-",
    ),
    _topic(
        r"UnknownCodec|get_codec|parse_codecs|create_codec|from_dict.*[Cc]odec|[Uu]nsupported codec|Unknown codec"
        r"|codec_pipeline|zarr\.codecs|\b[Cc]odec\b|compressor",
        r"(Z3-CODEC|Z3-CHUNK|Z3-DT|Z2-ARR|Z2-CHUNK|Z2-CODEC|NZ-CODEC|NZ-PACK|Z3-EXT|Z2-DT)-",
    ),
    _topic(
        r"FillValueCoder|decode fill_value|b64decode|Incorrect padding|_FillValue|missing_value",
        r"(NZ-FILL|CF-|CF)",
    ),
    _topic(r"parse_fill_value|from_json_scalar|fill_value", r"(Z3-FV|Z2-FV|Z3-DOC|Z3-DT|NZ-FILL)-"),
    _topic(r"coding\.times|unable to decode time|OutOfBoundsDatetime|calendar", r"(CF|CS-TIME)-"),
    _topic(
        r"_get_zarr_dims_and_attrs|_ARRAY_DIMENSIONS|dimension_names|parse_dimension|has a name|_nczarr_array",
        r"(NZ-DIM|Z3-DIM|Z2-OGC|Z2-ATT|NCZ|NZ-SCAL)-",
    ),
    _topic(
        r"GroupNotFound|ArrayNotFound|NodeNotFound|NodeTypeValidation|ContainsArray|ContainsGroup|FileNotFoundError"
        r"|Unseen|NOT_FOUND|NotFoundError|[Nn]o such|not found in|group:(get)?_?getitem|:open_group\b",
        r"(TREE|Z3-DOC|Z3-NAME|Z3-CM|Z2-ARR|Z2-GRP|Z2-CM|Z2-KEY|Z2-PATH|NZ-CONS|NZ-NAME|NCZ|JSON)-",
    ),
    _topic(r"chunk_grids|chunk_shape|chunks", r"(Z3-GRID|Z2-ARR|Z3-CHUNK|Z3-SHAPE|Z3-CODEC)-"),
    _topic(r"parse_shapelike|\bshape\b", r"(Z3-SHAPE|Z2-ARR|Z3-GRID|NZ-DIM)-"),
    _topic(r"zarr\.core\.dtype|data_type|dtype", r"((Z3-DT|Z2-DT|NZ-TYPE|Z3-FV)-|Z2-OGC-004)"),
    _topic(r"storage_transformers|must_understand|extension", r"(Z3-ST|Z3-DOC|Z3-EXT|Z3-CM)-"),
)
"""The more specific ones first: that of the first pattern that is found is what the error is about."""


def error_types(text: str) -> set[str]:
    """Return the types of errors that a text names; binascii's is called ``Error``.

    Parameters
    ----------
    text : str
        A message, or what readers are known to do.
    """
    return set(re.findall(r"\b(?:[A-Z]\w*)?(?:Error|Exception)\b", text))


def explain(failure: Failure, reader: str, evaluation: Evaluation) -> list[Finding]:
    """Return the findings that explain a failure, the likeliest first.

    Parameters
    ----------
    failure : Failure
        A node, and the reader's message.
    reader : str
        Its name.
    evaluation : Evaluation
        What the rules say.

    Returns
    -------
    list of Finding
        At most three; none where nothing fits.
    """
    scored = [
        (points, finding)
        for finding in dict.fromkeys(_candidates(failure, reader, evaluation))
        if (points := _points(finding, failure, reader)) >= LIKELY
    ]
    if not scored:
        return []
    best = max(points for points, _ in scored)
    likely = sorted((one for one in scored if one[0] >= best - 1), key=lambda one: -one[0])
    return [finding for _, finding in likely[:MAX_FINDINGS]]


def _candidates(failure: Failure, reader: str, evaluation: Evaluation) -> Iterator[Finding]:
    """Yield findings of the node, of those above it, and of those that the reader opens with it."""
    yield from evaluation.findings(failure.path, below=False)
    for path in paths.all_above(failure.path):
        yield from evaluation.findings(path, below=False)
    whole = failure.path == "/" and (
        reader in WHOLE_DATASETS
        or "without the consolidated" in failure.message
        or not failure.where
    )
    if reader in WHOLE_GROUPS or whole:
        deep = whole or reader == "xarray DataTree"
        stem = paths.below(failure.path)
        for path in sorted(
            evaluation.failing(
                lambda violation: (
                    violation.severity != "info"
                    or bool(violation.rule.affects)
                    or bool(violation.fail.readers)
                )
            )
        ):
            if path != "/" and path.startswith(stem) and (deep or "/" not in path[len(stem) :]):
                yield from evaluation.findings(path, below=False)


def _fits(finding: Finding, topics: list[re.Pattern[str]]) -> bool:
    return any(rules.match(finding.rule) for rules in topics)


def _points(finding: Finding, failure: Failure, reader: str) -> int:
    family = reader.partition(" ")[0] if reader in WHOLE_GROUPS else reader
    harm = {how for _, how, who in harms(finding) if who == family or reader == "plain NZ"}
    says = finding.readers.get(family, "")
    plain = finding.info.readers.get(family, "")
    told = QUOTED.findall(finding.message)
    named = (
        reader in UNPREDICTED
        and "netCDF-C" not in finding.message  # what is told of another reader
        and any(word in failure.message for word in told)
    )
    if not harm and not named and (finding.severity != "error" or plain.startswith(HARMLESS)):
        return 0
    text = " ".join((*failure.kind, *failure.where, failure.message))
    points = 4 if "blocks" in harm else 2 if harm else 0
    topics = [topic.rules for topic in TOPICS if topic.pattern.search(text)]
    if topics:
        points += 4 if topics[0].match(finding.rule) else 1 if _fits(finding, topics) else -6
    if predicted := error_types(says):
        points += 3 if predicted & {*failure.kind, *error_types(failure.message)} else -3
    elif (words := says.rpartition(": ")[2]) != says and words in failure.message:
        points += 3
    elif reader in WHOLE_DATASETS and failure.path == "/" and says.startswith("refuses"):
        points += 2
    here = failure.path in (finding.path, *(place.path for place in finding.places))
    inside = reader in WHOLE_GROUPS and paths.above(finding.path) == failure.path
    points += 2 if here else 1 if inside else 0
    name = finding.path.rpartition("/")[2]
    if set(QUOTED.findall(failure.message)) & {name, *told}:
        points += 2
    return points
