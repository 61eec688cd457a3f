"""Changes the modules that verdicts and writing stand on in small ways, and counts which changes no test sees.

``make mutation``, or ``python -m tests.mutation [MODULE …]``. cosmic-ray makes the changes, in a copy of the checkout;
each is tried with the tests of `MODULES` alone, and a choice of them is taken, the same for the same ``--seed``, so that the
whole is done in less than an hour. Not on Windows, which cannot fork.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
"""Changes that change nothing anyone could see, each with the reason."""
LEFT_OUT = ("node_modules", ".venv", ".git", "__pycache__", ".*_cache", "build", "dist")


@dataclass(frozen=True)
class Module:
    """A module that is changed.

    Parameters
    ----------
    path : str
        The file.
    tests : tuple of str
        What pytest is called with; the quickest that see most comes first.
    changes : int
        How many changes are tried.
    """

    path: str
    tests: tuple[str, ...]
    changes: int


EVALUATION = (
    *(
        "tests/engine/test_conformance.py",
        "tests/engine/test_records.py",
        "tests/engine/test_evaluation.py",
        "tests/engine/test_configuration.py",
        "tests/remote/test_comparison.py",
    ),
    *("-k", "not reading_while_feeding"),
)
MEMO_KEYS = (
    *(
        "tests/engine/test_memo_keys.py",
        "tests/engine/test_shared_results.py",
        "tests/engine/test_evaluation.py",
    ),
    *("-k", "memo_keys or whatever_else or gets_past or keys_have or not_judged_again"),
)
FILL = ("tests/model/test_fill_values.py",)
JSON = ("tests/documents/test_json_edit_layout.py", "tests/documents/test_json_edit.py")
WRITING = ("tests/store/test_writing.py", "-k", "not killed_at and not s3")
MODULES = (
    Module("nz_explorer/engine/evaluation/evaluation.py", EVALUATION, 30),
    Module("nz_explorer/engine/evaluation/records.py", EVALUATION, 25),
    Module("nz_explorer/engine/evaluation/conformance.py", EVALUATION, 25),
    Module("nz_explorer/engine/plan.py", ("tests/engine/test_plan.py",), 40),
    Module("nz_explorer/engine/registry.py", ("tests/engine/test_registry.py",), 40),
    Module("nz_explorer/engine/memo_keys.py", MEMO_KEYS, 40),
    Module("nz_explorer/model/fill_values/decoding.py", FILL, 40),
    Module("nz_explorer/model/fill_values/matching.py", FILL, 25),
    Module("nz_explorer/model/fill_values/spelling.py", FILL, 25),
    Module("nz_explorer/values/window.py", ("tests/values/test_window.py", "-k", "not million"), 40),
    Module("nz_explorer/documents/json_edit.py", JSON, 25),
    Module("nz_explorer/documents/json_layout.py", JSON, 25),
    Module("nz_explorer/documents/json_pieces.py", JSON, 25),
    Module("nz_explorer/store/writing/folder_writer.py", WRITING, 30),
    Module("nz_explorer/store/writing/store_writer.py", WRITING, 25),
    Module("nz_explorer/store/writing/journal.py", WRITING, 25),
    Module("nz_explorer/store/remote/retry.py", ("tests/store/test_retry.py",), 60),
)  # fmt: skip
"""The table of what is changed and tested by what."""

GOAL = 85
"""Percent of the changes that tests should see."""


def main() -> int:
    """Try the changes, and print those that survive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="parts of the paths of modules; all by default")
    parser.add_argument(
        "--changes", type=int, help="changes of each module; as the table says by default"
    )
    parser.add_argument("--seed", type=int, default=1, help="another choice of changes")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(REPOSITORY, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
        for module in MODULES:
            if given.modules and not any(part in module.path for part in given.modules):
                continue
            found = tried(copy, module, given.changes or module.changes, given.seed)
            total.update(found)
            figures[module.path] = dict(found)
            print(f"{module.path}: {told(found)}\n", flush=True)
    print(f"all: {told(total)}; the goal is {GOAL} %")
    if given.json is not None:
        given.json.write_text(json.dumps({**figures, "all": dict(total)}, indent=2))
    return int(percent(total) < GOAL)


def percent(found: Counter[str]) -> float:
    """Return how many of the changes were seen."""
    return 100 * found["killed"] / ((found["killed"] + found["survived"]) or 1)


def told(found: Counter[str]) -> str:
    """Return the figures as text."""
    counted = found["killed"] + found["survived"]
    same = f", {found['equivalent']} that change nothing left out" if found["equivalent"] else ""
    return f"{found['killed']} of {counted} changes seen ({percent(found):.0f} %){same}"


def tried(copy: Path, module: Module, changes: int, seed: int) -> Counter[str]:
    """Try changes of a module, and print those that survive."""
    reasons = equivalent(module.path)
    found: Counter[str] = Counter()
    command = [sys.executable, "-m", "tests.mutation.trials", module.path, str(changes), str(seed)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        [*command, *module.tests], cwd=copy, env=environment, stdout=subprocess.PIPE, text=True
    ) as trials:
        for line in trials.stdout or ():
            change = json.loads(line)
            same = change["after"] in reasons or is_tuned(change)
            outcome = "equivalent" if same else "survived" if change["survived"] else "killed"
            if same and not change["survived"]:
                outcome = "killed"
                if change["after"] in reasons:
                    print(f"seen, though it is listed as equivalent: {change['after']}")
            found[outcome] += 1
            if outcome == "survived":
                print(f"survived: {module.path}:{change['line']} {change['kind']}")
                print(f"    - {change['before']}\n    + {change['after']}", flush=True)
    if trials.returncode:
        raise SystemExit(trials.returncode)
    return found


def equivalent(path: str) -> dict[str, str]:
    """Return the changed lines of a module that do the same as before, and why they do."""
    listed = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    return {one["line"]: one["reason"] for one in listed.get(path, ())}


def is_tuned(change: dict[str, Any]) -> bool:
    """Whether a change is of a constant that was chosen by feel, such as a time limit: 14 s are as good as 15 s."""
    constant = re.match(r"[A-Z_]+ = [\d._]+( \* \w+)?$", change["before"])
    return constant is not None and change["kind"].endswith("NumberReplacer")


if __name__ == "__main__":
    sys.exit(main())
