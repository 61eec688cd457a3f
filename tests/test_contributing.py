"""What CONTRIBUTING shows of the four first changes works as it is printed there."""

from __future__ import annotations

import re
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from nz_explorer.conventions import rules
from nz_explorer.model import open_store
from nz_explorer.plots import figure, make
from nz_explorer.plots import registry as kinds
from tests.engine.test_catalogue import HEADINGS

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
NEW = ("history", "isolines", "tide_names", "port_codes")
"""Parts of the paths of files that a reader of the text writes."""


MADE = {"js/node_modules", "tests/e2e/failures"}
"""What make and tests leave behind."""


def printed(section: str, language: str) -> list[str]:
    """Return the code of a language in a section."""
    _, _, rest = TEXT.partition(f"### {section}\n")
    part = re.split(r"^##", rest, maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```", part, re.DOTALL | re.MULTILINE)
    assert found
    return [textwrap.dedent(one) for one in found]


def test_its_files_exist() -> None:
    named = set(re.findall(r"`((?:nz_explorer|tests|js|docs|notebooks)/[\w./-]+)`", TEXT))
    assert len(named) > 20
    gone = {name for name in named if not (ROOT / name).exists()} - MADE
    assert not {name for name in gone if not any(new in name for new in NEW)}


def test_the_rule() -> None:
    entry = tomllib.loads(printed("A rule", "toml")[0])["NZ-NAME-090"]
    known = rules()["NZ-NAME-001"]
    assert entry["scope"] in {rule.scope for rule in rules().values()}
    assert all(hasattr(known, member) for member in entry)
    assert entry["source"]["doc"] not in HEADINGS
    source = printed("A rule", "python")[0]
    given: dict[str, Any] = {}
    head = "from nz_explorer.conventions.nz.names import Fail, Iterator, json_text\n"
    exec(head + source.replace('@rule("NZ-NAME-090", on="name")\n', ""), given)
    (found,) = given["short_name"]("n" * 65)
    assert found.message.endswith("has 65 characters")
    assert list(given["short_name"]("n" * 64)) == []


def test_the_kind_of_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    exec(printed("A kind of picture", "python")[0], given)
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))
    kinds.register(given["ISOLINES"])
    group = zarr.open_group(tmp_path / "store.zarr")
    group.create_array("hill", data=np.hypot(*np.mgrid[-6:6, -8:8]))
    look = make(open_store(tmp_path / "store.zarr"), "/hill", kind="isolines")
    assert look.kind == "isolines"
    assert figure(look).axes[0].collections
