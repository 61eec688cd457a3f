"""zarrita, in Node.js: the other process becomes Node, confined as it is, and runs ``zarrita.mjs``."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nz_explorer.diagnosis.probes.answers import Answers, Asked

SCRIPT = Path(__file__).with_name("zarrita.mjs")
MOST_ARRAYS = 500
"""What is asked goes through an environment variable."""
SECONDS = 10


def find() -> tuple[str, Path] | None:
    """Return where Node.js is, and the folder of its package zarrita; None where one of them is missing.

    Looked for in the folders of ``NODE_PATH``, and where ``npm install --global`` puts it.
    """
    node = shutil.which("node")
    if node is None:
        return None
    return next(
        ((node, folder) for folder in _folders(node) if (folder / "package.json").is_file()), None
    )


def _folders(node: str) -> Iterator[Path]:
    for place in os.environ.get("NODE_PATH", "").split(os.pathsep):
        if place:
            yield Path(place).absolute() / "zarrita"
    above = Path(node).resolve().parent.parent
    yield above / "lib" / "node_modules" / "zarrita"
    yield above / "node_modules" / "zarrita"


def version_of(folder: Path) -> str:
    """Return the version of the package in a folder."""
    return str(json.loads((folder / "package.json").read_text("utf-8")).get("version", ""))


def flags(node: str) -> list[str]:
    """Return what makes Node refuse to write and to start programs, in the spelling of its version.

    Parameters
    ----------
    node : str
        The program; it is asked for its version.
    """
    done = subprocess.run(  # noqa: S603  # Node as it is installed, with a fixed argument
        [node, "--version"], capture_output=True, text=True, check=False, timeout=SECONDS
    )
    found = re.match(r"v(\d+)\.(\d+)", done.stdout)
    numbers = (int(found[1]), int(found[2])) if found else (0, 0)
    if numbers < (20, 0):
        return []
    stable = numbers >= (23, 5) or (22, 13) <= numbers < (23, 0)
    return [
        "--permission" if stable else "--experimental-permission",
        "--allow-fs-read=*",
        "--no-warnings",
    ]


def run(asked: Asked, answers: Answers) -> None:
    """Become Node.js, which answers in place of this process.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    """
    node, folder, options = asked.program[0], asked.program[1], asked.program[2:]
    given: dict[str, Any] = {
        "location": asked.location,
        "arrays": asked.arrays[:MOST_ARRAYS],
        "followLinks": asked.follow_links,
        "zarrFormat": asked.zarr_format,
        "zarrita": folder,
    }
    answers.write(path="/")
    os.dup2(answers.fileno(), 1)
    environment = {**os.environ, "NZ_EXPLORER_ASKED": json.dumps(given)}
    os.execve(node, [node, "--max-old-space-size=1024", *options, str(SCRIPT)], environment)  # noqa: S606
