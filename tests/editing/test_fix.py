"""``nz-explorer fix``: what it shows is what it writes, and when it cannot it says what the store holds."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import nz_explorer as nz
from nz_explorer.cli import main
from tests.conftest import REPOSITORY
from tests.editing.test_apply import tree
from tests.store.test_writing import plant

NOBODY = 65534


def _fix(source: Path, *options: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(main, ["fix", str(source), *options], input=answer)


def test_it_shows_asks_and_writes(broken_copy: Path) -> None:
    before = tree(broken_copy)
    shown = _fix(broken_copy, "--dry-run")
    assert shown.exit_code == 1
    assert "+++ zarr.json" in shown.output
    assert "nothing was written; " in shown.output
    declined = _fix(broken_copy, answer="n\n")
    assert "nothing was written" in declined.output
    nobody_there = _fix(broken_copy)
    assert nobody_there.exit_code == 2
    assert "--yes writes without asking" in nobody_there.output
    assert tree(broken_copy) == before
    errors = nz.check(broken_copy, progress=False).counts.error
    written = _fix(broken_copy, answer="y\n")
    assert "documents written and read back" in written.output
    assert written.exit_code == 1  # what takes a person's choice is left
    assert nz.check(broken_copy, progress=False).counts.error < errors
    again = _fix(broken_copy, "--yes")
    assert "every fix needs a person's decision" in again.output


def test_it_lists_what_a_check_finds(broken_copy: Path) -> None:
    done = _fix(broken_copy, "--dry-run")
    listed = set(
        re.findall(r"^  (?:error|warning|info) +([A-Z0-9]+-[A-Z]+-\d+)", done.output, re.MULTILINE)
    )
    assert listed <= {finding.rule for finding in nz.check(broken_copy, progress=False).findings}
    asked = _fix(broken_copy, "--dry-run", "--conventions", "geozarr")
    assert "GZ-META-001" in asked.output


def test_only_the_selected_rules(broken_copy: Path) -> None:
    done = _fix(broken_copy, "--yes", "--select", "NZ-SCAL-001")
    assert done.exit_code == 0, done.output
    assert "2 documents written" in done.output  # the array's, and its consolidated copy
    found = {finding.rule for finding in nz.check(broken_copy, progress=False).findings}
    assert "NZ-SCAL-001" not in found
    assert "NZ-DECL-001" in found


def test_a_convention_by_itself_where_metadata_are_consolidated(tmp_path: Path) -> None:
    bare = {
        "zarr_format": 3, "node_type": "array", "shape": [1], "data_type": "int8", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}},
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}],
        "attributes": {"proj:code": "EPSG:4326"},
    }  # fmt: skip
    inline = {"kind": "inline", "must_understand": False, "metadata": {"a": bare}}
    root = {"zarr_format": 3, "node_type": "group", "consolidated_metadata": inline}
    for key, document in (("zarr.json", root), ("a/zarr.json", bare)):
        (tmp_path / key).parent.mkdir(exist_ok=True)
        (tmp_path / key).write_text(json.dumps(document))
    done = _fix(tmp_path, "--yes", "--conventions", "zcf")
    assert done.exit_code == 0, done.output
    assert "2 documents written" in done.output
    array = json.loads((tmp_path / "a" / "zarr.json").read_text())
    assert array["attributes"]["zarr_conventions"][0]["name"] == "proj"
    assert "attributes" not in json.loads((tmp_path / "zarr.json").read_text())


def test_nothing_to_fix(sample_copy: Path) -> None:
    before = tree(sample_copy)
    done = _fix(sample_copy, "--yes", "--select", "NZ-CONS,NZ-DECL,TREE,JSON")
    assert (done.exit_code, done.output) == (0, "nothing to fix\n")
    assert tree(sample_copy) == before


def _child(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )


KILLED = """
import os, signal, sys
from nz_explorer.cli import main
from nz_explorer.store.writing import FolderWriter

real = FolderWriter._replace
def replace(self, number, edit):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    real(self, number, edit)
FolderWriter._replace = replace
main(["fix", sys.argv[1], "--yes"])
"""


def test_killed_between_two_writes(broken_copy: Path) -> None:
    before = tree(broken_copy)
    assert _child(KILLED, broken_copy).returncode == -signal.SIGKILL
    assert {k: v for k, v in tree(broken_copy).items() if k in before} != before
    told = _fix(broken_copy, "--dry-run")
    assert told.exit_code == 2
    assert "was interrupted" in told.output
    assert "nz-explorer fix --recover" in told.output
    recovered = _fix(broken_copy, "--recover")
    assert recovered.exit_code == 0
    assert "the store was put back to the old one" in recovered.output
    assert tree(broken_copy) == before
    assert "no fix was interrupted" in _fix(broken_copy, "--recover").output
    assert "written and read back" in _fix(broken_copy, "--yes").output


@pytest.mark.parametrize("options", [[], ["--yes"], ["--dry-run"]], ids=["asks", "yes", "dry run"])
@pytest.mark.parametrize("command", ["fix", "convert-metadata"])
def test_a_planted_journal_is_left_alone_whatever_the_answer(
    broken_copy: Path, command: str, options: list[str]
) -> None:
    """It once was recovered, with a chunk removed and a document replaced, before the question was asked."""
    plant(broken_copy, "forecast/height/c", None)
    before = tree(broken_copy)
    done = CliRunner().invoke(main, [command, str(broken_copy), *options], input="n\n")
    assert done.exit_code == 2
    assert "nothing was written" in done.output
    assert "nz-explorer fix --recover" in done.output
    assert tree(broken_copy) == before
    recovered = _fix(broken_copy, "--recover")
    assert recovered.exit_code == 2
    assert "left alone" in recovered.output
    assert tree(broken_copy) == before


def test_recovery_tells_which_documents_it_has_put_back(broken_copy: Path) -> None:
    plant(broken_copy, "forecast/height/zarr.json", b'{"zarr_format": 3}')
    assert "nz-explorer fix --recover" in _fix(broken_copy, answer="y\n").output
    told = _fix(broken_copy, "--recover").output
    assert "(forecast/height/zarr.json, zarr.json)" in told
    assert (broken_copy / "forecast/height/zarr.json").read_bytes() == b'{"zarr_format": 3}'


SOMEONE_ELSE = """
import json, os, shutil, sys, tempfile
from click.testing import CliRunner
from nz_explorer.cli import main

# All is imported while this user can read the files of Python, by a fix of something else and one that fails.
with tempfile.TemporaryDirectory() as other:
    shutil.copytree(sys.argv[1], other + "/s.zarr")
    for source in (other + "/s.zarr", other + "/nothing"):
        CliRunner().invoke(main, ["fix", source, "--yes", "--select", "NZ-SCAL-001"])
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
done = CliRunner().invoke(main, ["fix", sys.argv[1], "--yes", "--select", "NZ-SCAL-001"])
print(json.dumps([done.exit_code, done.output]))
"""


@pytest.fixture
def shared(broken_store: Path) -> Iterator[Path]:
    """A copy of the broken store that everybody may read and change."""
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o755)
        folder = Path(shutil.copytree(broken_store, Path(parent) / "s.zarr"))
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        yield folder


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files are those of POSIX")
@pytest.mark.parametrize("what", ["forecast/height/zarr.json", "forecast/height", "."])
def test_someone_who_may_not_write(shared: Path, what: str) -> None:
    """The kernel says no, to a user who is not root."""
    (shared / what).chmod(0o444 if what.endswith("json") else 0o555)
    before = tree(shared)
    done = _child(SOMEONE_ELSE, shared, NOBODY)
    assert done.returncode == 0, done.stderr
    code, output = json.loads(done.stdout)
    assert code == 2, output
    assert "read-only: nothing was written" in output
    assert tree(shared) == before
    (shared / what).chmod(0o666 if what.endswith("json") else 0o777)
    code, output = json.loads(_child(SOMEONE_ELSE, shared, NOBODY).stdout)
    assert code == 0, output
    assert "documents written and read back" in output


def test_a_full_disk(broken_store: Path, small_disk: Callable[[str], Path]) -> None:
    mount = small_disk("24m")
    folder = Path(shutil.copytree(broken_store, mount / "s.zarr"))
    before = tree(folder)
    filler = mount / "filler"
    free = os.statvfs(mount).f_bavail * os.statvfs(mount).f_frsize
    filler.write_bytes(b"x" * (free - 8192))
    done = _fix(folder, "--yes")
    assert done.exit_code == 2
    assert "no space left on device" in done.output
    assert "the store is as it was" in done.output
    assert tree(folder) == before
    filler.unlink()
    assert "written and read back" in _fix(folder, "--yes").output
