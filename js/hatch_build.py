"""Hatchling's build hook: builds the front end into the package.

It runs for wheels, editable installs and source distributions, so all of them contain
``nz_explorer/widget/static``. Nothing is run where the built files are there and not older than
what they are made from – which is always so in an unpacked source distribution: installing from
one needs no npm.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = (
    "widget/static/widget.js",
    "widget/static/widget.css",
    "widget/static/saved.js",
    "lab/labextensions/nz-explorer/package.json",
)
NOT_SOURCES = frozenset({"node_modules", "coverage", "dist", "hatch_build.py", "__pycache__"})


class FrontEnd(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is the builder's config
    """Runs ``npm run build`` where the front end is missing or out of date."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the front end, and add the conformance corpus, before hatchling collects the files."""
        root = Path(self.root)
        if self.target_name == "wheel" and version == "standard":
            build_data["force_include"].update(corpus(root))
        built = [root / "nz_explorer" / name for name in BUILT]
        if is_fresh(root / "js", built):
            return
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit(
                "nz_explorer: the front end has to be built and npm was not found. "
                "Install Node.js (which brings npm), or install a wheel, which needs neither."
            )
        self.app.display_info("Building the front end of nz_explorer")
        if not is_fresh(
            root / "js",
            [root / "js" / "node_modules" / ".package-lock.json"],
            ["package-lock.json"],
        ):
            run(npm, "ci", "--no-audit", "--no-fund", cwd=root / "js")
        run(npm, "run", "build", cwd=root / "js")
        missing = [str(file.relative_to(root)) for file in built if not file.is_file()]
        if missing:
            raise SystemExit(f"nz_explorer: `npm run build` did not write {', '.join(missing)}")


def corpus(root: Path) -> dict[str, str]:
    """Return where the definitions of the conformance corpus go in a wheel; a checkout has them in ``tests``."""
    place = "nz_explorer/testing/corpus/definitions"
    return {str(file): f"{place}/{file.name}" for file in (root / "tests/corpus").glob("*.json")}


def is_fresh(js: Path, outputs: list[Path], sources: list[str] | None = None) -> bool:
    """Whether all outputs exist and none is older than any source.

    Parameters
    ----------
    js
        The folder of the front end.
    outputs
        Files that were made.
    sources
        Names in ``js`` that they are made from; everything that is a source where None.
    """
    if not all(output.is_file() for output in outputs):
        return False
    made_from = [js / name for name in sources] if sources is not None else list(_sources(js))
    oldest = min(output.stat().st_mtime for output in outputs)
    return all(source.stat().st_mtime <= oldest for source in made_from)


def _sources(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name in NOT_SOURCES or entry.name.startswith(".") or ".test." in entry.name:
            continue
        if entry.is_dir():
            yield from _sources(entry)
        else:
            yield entry


def run(*command: str, cwd: Path) -> None:
    """Run a command; its failure ends the build with its own output, not with our traceback."""
    done = subprocess.run(command, cwd=cwd, check=False)
    if done.returncode:
        raise SystemExit(f"nz_explorer: `{' '.join(command)}` failed in {cwd}")
