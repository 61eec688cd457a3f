"""Thousands of sources: none stays in memory, nothing is done twice."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from nz_explorer.cli import main
from nz_explorer.report import batch

GROUP = '{"zarr_format": 3, "node_type": "group"}'


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def start(*arguments: str, stdin: str | None = None) -> Result:
        import sys

        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin or ""))
        return CliRunner().invoke(main, ["check", *arguments], input=stdin)

    return start


def stores(folder: Path, count: int, *, broken: frozenset[int] = frozenset()) -> list[Path]:
    made = []
    for number in range(count):
        store = folder / f"s{number:04}.zarr"
        store.mkdir(parents=True)
        (store / "zarr.json").write_text("{" if number in broken else GROUP)
        made.append(store)
    return made


def lines(text: str) -> dict[str, dict[str, Any]]:
    return {line["source"]: line for line in map(json.loads, text.splitlines())}


def test_a_line_for_every_source_that_a_pattern_stands_for(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    stores(tmp_path / "data", 30)
    done = run("data/*.zarr", "--format", "jsonl", "--conventions", "zarr3")
    found = lines(done.stdout)
    assert sorted(found) == [f"data/s{number:04}.zarr" for number in range(30)]
    for line in found.values():
        assert line["schema"] == "nz-explorer/report/1"
        assert line["complete"]
        assert line["nodes"] == {"groups": 1, "arrays": 0, "unreadable": 0}
    assert done.exit_code == 0


def test_sources_from_a_file_and_from_standard_input(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    made = stores(tmp_path / "data", 3)
    text = "# a comment\n\n" + "\n".join(map(str, made)) + "\n"
    (tmp_path / "list.txt").write_text(text)
    options = ("--format", "jsonl", "--conventions", "zarr3")
    by_file = run("--sources", "list.txt", *options)
    assert sorted(lines(by_file.stdout)) == list(map(str, made))
    by_stdin = run("--sources", "-", *options, stdin=text)
    assert sorted(lines(by_stdin.stdout)) == list(map(str, made))


@pytest.mark.parametrize(
    ("broken", "fail_on", "code"),
    [((), "error", 1), ((), "never", 0), ((2,), "never", 0), ((2,), "error", 1)],
)
def test_the_exit_code_is_that_of_all_together(
    run: Callable[..., Result], tmp_path: Path, broken: tuple[int, ...], fail_on: str, code: int
) -> None:
    stores(tmp_path, 4, broken=frozenset(broken))
    done = run("*.zarr", "--format", "jsonl", "--fail-on", fail_on)
    assert done.exit_code == code


def test_a_source_that_cannot_be_read_has_a_line_that_says_so(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    stores(tmp_path, 2)
    done = run("s0000.zarr", "nothing", "s0001.zarr", "--format", "jsonl")
    found = lines(done.stdout)
    assert len(found) == 3
    assert "there is nothing at nothing" in found["nothing"]["error"]
    assert not found["nothing"]["complete"]
    assert "there is nothing at nothing" in done.stderr
    assert done.exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "name a SOURCE"),
        (("none-*.zarr", "--format", "jsonl"), "nothing matches"),
        (("s0000.zarr", "--resume"), "--resume goes with"),
        (("s0000.zarr", "--format", "jsonl", "--conventions", "x"), "unknown convention"),
        (("s0000.zarr", "--format", "jsonl", "--select", "X9"), "X9"),
    ],
)
def test_a_wrong_call_is_one_line(
    run: Callable[..., Result], tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    import subprocess
    import sys

    stores(tmp_path, 1)
    done = subprocess.run(
        [sys.executable, "-m", "nz_explorer.cli", "check", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert says in line


def test_an_interrupted_run_goes_on_where_it_ended(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores(tmp_path, 6)
    options = ("--format", "jsonl", "--output", "out.jsonl", "--conventions", "zarr3")
    assert run("s000[0-2].zarr", "gone.zarr", *options).exit_code == 2
    output = tmp_path / "out.jsonl"
    text = output.read_text()
    first = next(line for line in text.splitlines() if "s0001" in line)
    # killed in the middle of a line
    output.write_text(text + first.replace("s0001", "s0003")[:100])
    shutil.copytree(tmp_path / "s0000.zarr", tmp_path / "gone.zarr")  # it can be read now
    asked: list[str] = []
    check_one = batch.record
    monkeypatch.setattr(batch, "record", lambda source, wanted: (asked.append(source), check_one(source, wanted))[1])  # fmt: skip
    done = run("s*.zarr", "gone.zarr", "--resume", *options)
    assert sorted(asked) == ["gone.zarr", "s0003.zarr", "s0004.zarr", "s0005.zarr"]
    assert sorted(lines(output.read_text())) == ["gone.zarr", *(f"s000{n}.zarr" for n in range(6))]
    assert len(output.read_text().splitlines()) == 7
    assert done.exit_code == 0
    assert not list(tmp_path.glob("*.part"))


def test_neither_sources_nor_results_gather_in_memory(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    (store,) = stores(tmp_path, 1)
    taken = 0

    def endless() -> Any:
        nonlocal taken
        while True:
            taken += 1
            yield str(store)

    with ThreadPoolExecutor(2) as executor:
        results = batch.records(endless(), batch.CheckOptions(), executor, lambda: 4)
        for number in range(1, 200):
            next(results)
            assert taken <= number + 3 + 4
        results.close()


def test_a_source_that_takes_its_workers_with_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    class Killed(Exception):
        pass

    def check_one(source: str, wanted: batch.CheckOptions) -> dict[str, Any]:
        if source == "b":
            raise Killed("3 workers died")
        return {"source": source}

    monkeypatch.setattr(batch, "record", check_one)
    most = iter([4, 0, 0, 0])  # all workers but one leave
    with ThreadPoolExecutor(1) as executor:
        options = (batch.CheckOptions(), executor, lambda: next(most, 0), (Killed,))
        found = {line["source"]: line for line in batch.records("abcdef", *options)}
    assert sorted(found) == list("abcdef")
    assert found["b"]["error"] == "b was given up: 3 workers died"
    assert all("error" not in found[name] for name in "acdef")


def test_a_scheduler_without_workers_checks_nothing_and_says_so(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("nz_explorer.cli.commands.check.CONNECT_SECONDS", 1)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster:
        done = run(str(stores(tmp_path, 1)[0]), "--format", "jsonl", "--scheduler", cluster.scheduler_address)  # fmt: skip
    assert done.exit_code == 2
    assert "has no workers" in done.output


def test_on_a_cluster(run: Callable[..., Result], tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    stores(tmp_path, 8)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
    ) as cluster:
        done = run(str(tmp_path / "*.zarr"), "--format", "jsonl", "--conventions", "zarr3",
                   "--scheduler", cluster.scheduler_address)  # fmt: skip
    assert len(lines(done.stdout)) == 8
    assert done.exit_code == 0
