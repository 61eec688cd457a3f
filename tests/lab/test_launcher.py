"""Starting JupyterLab, without a browser; tests/e2e looks at what a person sees."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jupyterlab.commands import get_workspaces_dir
from jupyterlab_server.workspaces_handler import WorkspacesManager

from nz_explorer.lab import launcher
from nz_explorer.lab.workspace import WORKSPACE


def run(*arguments: str, **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nz_explorer.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
        **options,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "frobnicate"),
        (["demo", "--port", "x"], "--port"),
        (["demo", "--port", "70000"], "--port"),
        (["lab"], "SOURCE"),
        (["demo", "--frob"], "--frob"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("nz-explorer: ")
    assert said in line


def test_help_names_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert {"demo", "lab"} <= {line.split()[0] for line in done.stdout.splitlines() if line.strip()}


def test_a_port_that_is_taken_is_an_error_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind((launcher.LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("demo", "--no-browser", "--port", str(port))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert str(port) in line
    assert "Traceback" not in line


def test_lab_names_a_source_that_cannot_be_opened(tmp_path: Path) -> None:
    done = run("lab", str(tmp_path / "nothing-here"), "--no-browser")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "nothing-here" in line


def test_without_jupyterlab_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(launcher, "find_spec", lambda name: None)
    with (
        pytest.raises(launcher.LaunchError, match=r"nz_explorer\[lab\]"),
        launcher.serve(tmp_path),
    ):
        pass


def test_the_address_is_handed_out_when_the_server_accepts_connections(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    process = SimpleNamespace(pid=1, poll=lambda: None)
    accepts = threading.Event()
    with socket.socket() as server:
        server.bind((launcher.LOOPBACK, 0))
        port = server.getsockname()[1]
        about = {"url": f"http://{launcher.LOOPBACK}:{port}/", "port": port}
        (tmp_path / "jpserver-1.json").write_text(json.dumps(about))

        def listen() -> None:
            accepts.set()
            server.listen()

        late = threading.Timer(0.5, listen)
        late.start()
        try:
            assert launcher._wait_for_url(process, tmp_path / "server.log") == about["url"]
            assert accepts.is_set()
        finally:
            late.join()


@pytest.mark.parametrize("notebook", ["explore.ipynb", None])
def test_the_layout_with_folded_side_bars_lies_where_jupyterlab_looks_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, notebook: str | None
) -> None:
    for name, value in launcher._environment(tmp_path, "token", notebook).items():
        monkeypatch.setenv(name, value)
    kept = WorkspacesManager(get_workspaces_dir()).load("default")["data"]
    layout = kept["layout-restorer:data"]
    assert layout["left"]["collapsed"]
    assert layout["right"]["collapsed"]
    if notebook is None:
        assert kept == WORKSPACE["data"]
    else:
        assert layout["main"]["current"] == "notebook:explore.ipynb"
        assert kept["notebook:explore.ipynb"]["data"]["path"] == notebook


def test_the_example_notebook_starts_with_the_explorer_and_names_its_kernel() -> None:
    notebook = json.loads(launcher.example_notebook().read_text("utf-8"))
    first = notebook["cells"][0]
    assert first["cell_type"] == "code"
    source = "".join(first["source"])
    assert "import nz_explorer as nz" in source
    assert source.splitlines()[-1] == "ex"
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize("waits", [True, False])
def test_a_notebook_is_shown_before_it_was_run_only_where_the_server_waits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, waits: bool
) -> None:
    """A configuration with another contents manager keeps it, and hands the notebook out at once."""
    done: list[str] = []
    content = {"content": {"cells": [{"cell_type": "code", "source": ""}]}}
    server: Any = SimpleNamespace(
        held=tmp_path / "held", waits=waits, request=lambda *_arguments: content
    )
    monkeypatch.setattr(launcher, "_run", lambda *_arguments: done.append("run"))
    launcher.run_first_cell(server, "a.ipynb", lambda: done.append("shown"))
    assert done == (["shown", "run"] if waits else ["run", "shown"])
