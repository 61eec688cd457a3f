"""Where a person was when a cell was run before: a cell that is run again, also after a restart, comes back to it.

Kept in the user's state folder (`platformdirs.user_state_path`), in a small file for each cell of each notebook. Outside of
notebooks, and in hosts that do not name the cell, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from nz_explorer.model import NodeNotFound
from nz_explorer.store import ReadError
from nz_explorer.widget.explorer.after_changes import after_changes

if TYPE_CHECKING:
    from nz_explorer.widget.explorer.explorer import Explorer

KEPT = ("path", "index", "view", "bookmarks", "pins")
"""In the order in which they are set again: a path has a view of its own."""
QUIET_SECONDS = 0.3
"""A slider on its way is not written down."""
_MOST_FILES = 300


def running_cell() -> str | None:
    """Return a name for the cell that runs: its notebook and its id; None where there is none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    parent: dict[str, Any] = getattr(getattr(shell, "kernel", None), "get_parent", dict)()
    cell = parent.get("metadata", {}).get("cellId")
    notebook = os.environ.get("JPY_SESSION_NAME")
    return f"{notebook}\n{cell}" if cell and notebook else None


def keep_place(explorer: Explorer, given: str) -> None:
    """Bring an explorer back to where it was when the same cell was run before, and keep where it goes from now on.

    Parameters
    ----------
    explorer
        Just opened.
    given
        What it was opened with: another source is another place.
    """
    cell = running_cell()
    if cell is None:
        return
    from platformdirs import user_state_path

    name = hashlib.sha256(f"{cell}\n{given}".encode()).hexdigest()[:24]
    file = user_state_path("nz_explorer", appauthor=False) / "places" / f"{name}.json"
    _come_back(explorer, file)
    # a slow store knows the limits of a picture long after it was selected
    after_changes(explorer, (*KEPT, "_limits_set"), QUIET_SECONDS, partial(_write, file))


def _come_back(explorer: Explorer, file: Path) -> None:
    try:
        known = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):  # nobody was there before
        return
    if not isinstance(known, dict):
        return
    with contextlib.suppress(ValueError):
        explorer.held_limits = known.get("limits", [])
    for trait in KEPT:
        # The store may have changed since.
        with contextlib.suppress(traitlets.TraitError, NodeNotFound, ReadError, ValueError):
            if trait in known:
                setattr(explorer, trait, known[trait])


def _write(file: Path, explorer: Explorer) -> None:
    place = {name: getattr(explorer, name) for name in KEPT}
    text = json.dumps({**place, "limits": explorer.held_limits})
    # A home that is full or cannot be written is no reason to bother anybody.
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch = file.with_suffix(f".{os.getpid()}")
        scratch.write_text(text, "utf-8")
        scratch.replace(file)
        files = sorted(file.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)
        for old in files[:-_MOST_FILES]:
            old.unlink(missing_ok=True)
