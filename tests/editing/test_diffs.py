"""Diffs: applied to the old text they give the new one, also in large documents."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from nz_explorer.editing import diffs
from nz_explorer.editing.diffs import Diff, unified


def _patched(before: str, diff: str, folder: Path) -> str:
    """Apply a diff with the patch program, which others wrote."""
    if not shutil.which("patch"):
        pytest.skip("the program patch is not here")
    file = folder / "zarr.json"
    file.write_text(before + "\n")
    subprocess.run(["patch", "-s", str(file)], input=diff + "\n", text=True, check=True, cwd=folder)
    return file.read_text().removesuffix("\n")


@pytest.mark.parametrize("many", [0, 2000])
def test_a_diff_says_what_changed(
    many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diffs, "MANY_LINES", many)
    chance = random.Random(1)
    for _ in range(60):
        before = [
            chance.choice("abcdefghijklmnopqrstuvwxyz{}") for _ in range(chance.randrange(80))
        ]
        after = list(before)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(after) + 1)
            after[at : at + chance.randrange(3)] = chance.choices("abcxyz}", k=chance.randrange(3))
        if before == after or not before or not after:
            continue
        diff = unified("zarr.json", "\n".join(before).encode(), "\n".join(after).encode())
        assert _patched("\n".join(before), diff, tmp_path) == "\n".join(after)


def test_large_documents() -> None:
    lines = []
    for i in range(40_000):
        lines += [
            f'  "g/a{i}": {{',
            '    "zarr_format": 3,',
            '    "shape": [',
            "      1",
            "    ]",
            "  },",
        ]
    changed = list(lines)
    for i in range(0, 40_000, 1000):
        changed[6 * i + 3] = "      2"
    begin = time.process_time()
    diff = unified("zarr.json", "\n".join(lines).encode(), "\n".join(changed).encode())
    assert time.process_time() - begin < 20
    assert diff.count("\n-      1") == diff.count("\n+      2") == 40
    assert "@@ -1,7 +1,7 @@" in diff
    assert "@@ -6001,7 +6001,7 @@" in diff


def test_one_line_is_broken_up() -> None:
    before = '{"zarr_format": 3, "fill_value": 1e20, "attributes": {"a": "' + 200 * "x" + '"}}'
    diff = unified("a/zarr.json", before.encode(), before.replace("1e20", "-9999.0").encode())
    assert '\n-  "fill_value": 1e20,\n+  "fill_value": -9999.0,\n' in diff
    assert diff.startswith("--- a/zarr.json\n+++ a/zarr.json\n@@ -1,")


def test_new_and_removed_documents() -> None:
    assert unified("a", None, b"{}") == "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+{}"
    assert unified("a", b"{}", None) == "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-{}"


def test_a_byte_order_mark_shows() -> None:
    assert "\n-\ufeff{}\n+{}" in unified("a", b"\xef\xbb\xbf{}", b"{}")


def test_all_of_them() -> None:
    diff = Diff({"a": "x", "b": "y"})
    assert (str(diff), list(diff), diff["a"], len(diff)) == ("x\ny", ["a", "b"], "x", 2)
    assert repr(Diff({})) == "<Diff: no changes>"
