"""The corpus as folders that programs in any language can run: a store and an ``expect.json`` for each case."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nz_explorer.testing.corpus.cases import cases, contents, pack, refer, write

CORPUS = "nz-explorer/corpus/1"
EXPECT = "nz-explorer/expect/1"
"""The versions of the two formats; ``FORMAT.md`` describes them."""
OPTIONS = ("conventions", "select", "profile", "values")
"""What a checker is asked for beside the store."""
SUMMARY = "NZ-BASE-001"
"""A rule that sums up others, and is asked for only in its own cases."""
MOST_LETTERS = 60


def write_corpus(folder: Path, rules: tuple[str, ...] = ()) -> dict[str, Any]:
    """Write all cases, or those of some rules, and return the list of them.

    Parameters
    ----------
    folder : Path
        Where they are written; it is made, and must be empty.
    rules : tuple of str
        Ids of rules, or prefixes of them.

    Returns
    -------
    dict
        The content of ``corpus.json``.

    Raises
    ------
    FileExistsError
        If the folder is not empty.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    numbers: Counter[str] = Counter()
    written, left_out = [], []
    for case in cases():
        rule = case["rule"]
        if rules and not rule.upper().startswith(rules):
            continue
        why = _needs(case)
        numbers[rule] += 1
        place = f"{rule}/{numbers[rule]:02}-{_slug(case['name'].removeprefix(rule))}"
        if why is None:
            why = _write(case, folder / place)
        if why is None:
            written.append({"name": case["name"], "rule": rule, "folder": place})
        else:
            left_out.append({"name": case["name"], "rule": rule, "why": why})
    listed = {
        "schema": CORPUS,
        "written_by": f"nz_explorer {version('nz_explorer')}",
        "cases": written,
        "left_out": left_out,
    }
    (folder / "corpus.json").write_text(_text(listed), "utf-8")
    shutil.copyfile(Path(__file__).with_name("FORMAT.md"), folder / "README.md")
    return listed


def expected(case: dict[str, Any]) -> dict[str, Any]:
    """Return what the ``expect.json`` of a case says, but for where its store is.

    Parameters
    ----------
    case : dict
        Its definition.
    """
    is_failure = any(finding["rule"] == case["rule"] for finding in case["expect"])
    return {
        "schema": EXPECT,
        "name": case["name"],
        "rule": case["rule"],
        "kind": "failure" if is_failure else "near miss",
        "options": {
            name: [given] if isinstance(given, str) and name != "values" else given
            for name in OPTIONS
            if (given := case.get(name))
        },
        "findings": case["expect"],
        "not_evaluated": case.get("undecided", []),
    }


def _needs(case: dict[str, Any]) -> str | None:
    """Return why a case cannot be files in a folder."""
    if case.get("unreadable"):
        return "needs a store that refuses to hand over some keys"
    if not case.get("listable", True):
        return "needs a store that cannot list its keys"
    return "needs a store of objects served over a network" if case.get("served") else None


def _write(case: dict[str, Any], place: Path) -> str | None:
    """Write a case; return why that cannot be done here."""
    documents = contents(case)
    place.mkdir(parents=True)
    said = expected(case)
    try:
        if "packed" in case:
            store = pack(documents, place / "store.zip", **case["packed"])
        elif "references" in case:
            store = refer(documents, place / "references.json", case["references"])
        else:
            store = place / case.get("folder", "store.zarr")
            store.mkdir()
            write(documents, store)
    except OSError as error:
        shutil.rmtree(place)
        return f"cannot be written to this disk: {error}"
    said["source"] = store.name
    if "fragment" in case:
        said["fragment"] = case["fragment"]
    (place / "expect.json").write_text(_text(said), "utf-8")
    return None


def _text(given: Any) -> str:
    return json.dumps(given, indent=2, ensure_ascii=False) + "\n"


def _slug(name: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", name.lower())
    return words[:MOST_LETTERS].strip("-") or "case"
