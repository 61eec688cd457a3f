"""A package of its own adds a convention: it is seen by the engine, the command line and the widget."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = {
    "sea_names/__init__.py": """
from pathlib import Path
from nz_explorer.conventions import Convention

SEA = Convention(
    key="sea",
    name="Sea names",
    title="Names that our ships understand",
    families=("SEA",),
    rules=("sea_names.rules",),
    catalogue=(Path(__file__).parent / "catalogue.toml",),
    declared_how=lambda attributes: "sea" in str(attributes.get("conventions", "")),
    wanted=lambda hierarchy, _: "ship" in hierarchy.root.attributes,
)
""",
    "sea_names/rules.py": '''
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule

@rule("SEA-001", on="node")
def captain(node):
    """Require a captain."""
    if node.kind == "group" and "captain" not in node.attributes:
        yield Fail("/attributes", "there is no captain")

@rule("SEA-002", on="array")
def ranks(array):
    """Require two dimensions."""
    if len(array.shape or ()) != 2:
        yield Fail("/shape", "a chart has two dimensions")
''',
    "sea_names/catalogue.toml": """
[SEA-001]
slug = "sea/captain"
title = "A group has a captain"
source = { doc = "Sea names", section = "Crew" }
statement = "Every group MUST name its captain."
level = "MUST"
scope = "group"
cost = "M"

[SEA-002]
slug = "sea/charts"
title = "Arrays are charts"
source = { doc = "Sea names", section = "Charts" }
level = "SHOULD"
scope = "array"
cost = "M"
""",
    "sea_names-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: sea_names\nVersion: 1.0\n",
    "sea_names-1.0.dist-info/entry_points.txt": "[nz_explorer.conventions]\nsea = sea_names:SEA\n",
}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder with the installed package and a store that breaks one rule of it."""
    for name, text in PACKAGE.items():
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text, "utf-8")
    store = tmp_path / "store.zarr"
    store.mkdir()
    root = {"zarr_format": 3, "node_type": "group", "attributes": {"ship": "Beagle"}}
    (store / "zarr.json").write_text(json.dumps(root), "utf-8")
    return tmp_path


def run(folder: Path, *command: str) -> str:
    """Return what a Python process prints that has the package on its path."""
    places = f"{folder / 'site'}:{Path(__file__).parents[2]}"
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": places, "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        cwd=folder,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_check_has_its_findings(installed: Path) -> None:
    printed = run(installed, "-m", "nz_explorer.cli", "check", "store.zarr", "--format", "json")
    report = json.loads(printed)
    assert report["conforms"]["Sea names"] is False
    found = {finding["rule"]: finding for finding in report["findings"]}
    assert found["SEA-001"]["message"] == "there is no captain"
    assert found["SEA-001"]["severity"] == "error"
    assert "SEA-002" not in found


def test_it_can_be_asked_for_by_its_key(installed: Path) -> None:
    arguments = ("check", "store.zarr", "--conventions", "sea", "--format", "json")
    report = json.loads(run(installed, "-m", "nz_explorer.cli", *arguments))
    assert report["conforms"] == {"Sea names": False}


def test_explain_knows_its_rules(installed: Path) -> None:
    printed = run(installed, "-m", "nz_explorer.cli", "explain", "SEA-001")
    assert "Every group MUST name its captain." in printed
    assert "Sea names, Crew" in printed


def test_the_widget_shows_them(installed: Path) -> None:
    code = """
import nz_explorer as nz
ex = nz.explore("store.zarr")
ex.wait()  # the report grows until everything is evaluated
print([(f.rule, f.path) for f in ex.report.findings if f.rule.startswith("SEA")])
ex.close()
"""
    assert "('SEA-001', '/')" in run(installed, "-c", code)


def test_an_entry_point_that_is_no_convention_is_an_error(installed: Path) -> None:
    file = installed / "site" / "sea_names-1.0.dist-info" / "entry_points.txt"
    file.write_text("[nz_explorer.conventions]\nsea = json:dumps\n", "utf-8")
    code = "import nz_explorer as nz\ntry:\n    nz.check('store.zarr')\nexcept TypeError as e:\n    print(e)"
    assert "the entry point sea of nz_explorer.conventions must be a Convention" in run(
        installed, "-c", code
    )
