"""Opens JupyterLab on a notebook whose widget is already alive.

JupyterLab does not run a notebook when it opens one. So the kernel is started here, through the
server's own REST interface and bound to the notebook's path; its first code cell is run and the outputs are
saved (which the server signs as trusted, because we just made them). The browser is sent there at once,
and loads JupyterLab meanwhile; the notebook is handed out to it once it was saved (`nz_explorer.lab.contents`).
JupyterLab finds the running session for that path, attaches to it and restores the
widget from the kernel. The person sees the explorer and may go on in the next cell.

The server listens on the loopback interface only and keeps its token.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from nz_explorer.lab.workspace import WORKSPACE, workspace_with

if TYPE_CHECKING:
    from jupyter_client.blocking.client import BlockingKernelClient

LOOPBACK = "127.0.0.1"
HELD = "held"
START_SECONDS = 120.0
CELL_SECONDS = 120.0

KEPT = {
    "stream": ("name", "text"),
    "display_data": ("data", "metadata"),
    "execute_result": ("data", "metadata", "execution_count"),
    "error": ("ename", "evalue", "traceback"),
}
"""Messages of a kernel that are outputs → what a notebook keeps of them. nbformat has this too, and takes a second to import."""


class LaunchError(RuntimeError):
    """JupyterLab could not be started; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running JupyterLab.

    Parameters
    ----------
    url
        Its address without the token, ending in a slash.
    token
        Its token.
    process
        The server's process.
    held
        A file that names a notebook which is not handed out yet; see `nz_explorer.lab.contents`.
    """

    url: str
    token: str
    process: subprocess.Popen[bytes]
    held: Path

    @property
    def waits(self) -> bool:
        """Whether it looks at that file: its own configuration may name another contents manager."""
        return self.held.with_suffix(".waits").exists()

    def lab_url(self, notebook: str) -> str:
        """Return the address of a notebook in JupyterLab, with the token."""
        return f"{self.url}lab/tree/{urllib.parse.quote(notebook)}?token={self.token}"

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the server's REST interface.

        Parameters
        ----------
        method
            The HTTP method.
        path
            The path below the server's address, such as ``api/contents``.
        body
            What to send, as JSON.

        Returns
        -------
        Any
            The decoded answer, None where it is empty.
        """
        request = urllib.request.Request(  # noqa: S310  # always http to the loopback interface
            f"{self.url}{urllib.parse.quote(path)}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.token}", "Content-Type": "application/json"},
        )
        # A proxy from the environment has no business between us and our own machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=START_SECONDS) as answer:
            text = answer.read()
        return json.loads(text) if text else None


def demo(*, browser: bool = True, port: int = 0) -> None:
    """Open JupyterLab on the example notebook and stay until it ends.

    Parameters
    ----------
    browser
        Whether to open a browser; the address is printed in any case.
    port
        The port; 0 picks a free one.
    """
    folder, example = _work_folder(), example_notebook()
    for notebook in example.parent.glob("*.ipynb"):  # the lesson and the others are at hand
        (folder / notebook.name).write_bytes(notebook.read_bytes())
    _serve(folder / example.name, browser=browser, port=port)


def lab(source: str, *, browser: bool = True, port: int = 0) -> None:
    """Open JupyterLab on a notebook that explores a source and stay until it ends.

    Parameters
    ----------
    source
        A path or an address of a Zarr hierarchy.
    browser
        Whether to open a browser; the address is printed in any case.
    port
        The port; 0 picks a free one.

    Raises
    ------
    SourceError
        If the source cannot be opened.
    """
    local = Path(source).expanduser()
    where = str(local.resolve()) if local.exists() else source
    notebook = _work_folder() / "explore.ipynb"
    notebook.write_text(json.dumps(_source_notebook(where), indent=1), "utf-8")

    def check() -> None:
        """Report here what cannot be opened, and not in a notebook some seconds later."""
        from nz_explorer.model import open_store

        try:
            open_store(source).close()
        except BaseException:
            shutil.rmtree(notebook.parent)
            raise

    _serve(notebook, browser=browser, port=port, meanwhile=check)


def _work_folder() -> Path:
    """Return a new folder that is not removed: what a person writes in the notebook is theirs."""
    return Path(tempfile.mkdtemp(prefix="nz-explorer-"))


def example_notebook() -> Path:
    """Return the path of ``explore.ipynb``.

    A wheel carries it in the package; a checkout has it in ``notebooks``.

    Raises
    ------
    LaunchError
        If it is missing from the installation.
    """
    package = Path(__file__).parents[1]
    places = (package / "notebooks", package.parent / "notebooks")
    for place in places:
        if (notebook := place / "explore.ipynb").is_file():
            return notebook
    raise LaunchError(f"explore.ipynb is missing from {' and '.join(map(str, places))}")


def _source_notebook(source: str) -> dict[str, Any]:
    from nz_explorer.text.source_code import line, program

    code = program(["import nz_explorer as nz", "", line("ex = nz.explore({})", source), "ex"])
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "cells": [
            {
                "id": name,
                "cell_type": "code",
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                "source": text,
            }
            for name, text in (("explore", code), ("next", ""))
        ],
    }


def _serve(
    notebook: Path, *, browser: bool, port: int, meanwhile: Callable[[], object] | None = None
) -> None:
    def start() -> None:
        """Do what can be done while the server starts."""
        if meanwhile is not None:
            meanwhile()
        click.echo("Starting JupyterLab …")

    def show() -> None:
        click.echo(f"The explorer is open at\n\n    {url}\n")
        click.echo(f"The notebook is {notebook}. Ctrl-C stops JupyterLab.")
        if browser:
            webbrowser.open(url)

    with (
        _stoppable(),
        serve(notebook.parent, port=port, meanwhile=start, notebook=notebook.name) as server,
    ):
        url = server.lab_url(notebook.name)
        run_first_cell(server, notebook.name, show)
        server.process.wait()


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the body quietly, so that the server is stopped too."""

    def stop(_signum: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Stopped.")
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def serve(
    folder: Path,
    *,
    port: int = 0,
    options: Sequence[str] = (),
    meanwhile: Callable[[], object] | None = None,
    notebook: str | None = None,
) -> Iterator[Server]:
    """Run JupyterLab on a folder for as long as the context lasts.

    Parameters
    ----------
    folder
        What its file browser shows.
    port
        The port; 0 picks a free one.
    options
        More options of ``jupyter lab``.
    meanwhile
        Called while it starts.
    notebook
        The path of a notebook below the folder that is open from the start.

    Yields
    ------
    Server
        The running server.

    Raises
    ------
    LaunchError
        If JupyterLab is not installed or does not start.
    """
    if find_spec("jupyterlab") is None:
        raise LaunchError('JupyterLab is not installed; pip install "nz_explorer[lab]" brings it')
    with tempfile.TemporaryDirectory(prefix="nz-explorer-lab-") as scratch:
        log = Path(scratch) / "server.log"
        token = secrets.token_hex(24)
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603  # our own interpreter and arguments
                [*_command(folder, port or _free_port(), exact=bool(port)), *options],
                env=_environment(Path(scratch), token, notebook),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Ctrl-C is for us; JupyterLab would ask on the terminal whether we mean it.
                start_new_session=True,
            )
        try:
            if meanwhile is not None:
                meanwhile()
            yield Server(_wait_for_url(process, log), token, process, Path(scratch, HELD))
        finally:
            _stop(process)


def _command(folder: Path, port: int, *, exact: bool) -> list[str]:
    command = [
        sys.executable,
        "-P",  # a module that lies in the folder of the call, such as an unpacked store, is not imported
        "-m",
        "nz_explorer.lab.server",
        "--no-browser",
        f"--ServerApp.ip={LOOPBACK}",
        f"--ServerApp.port={port}",
        f"--ServerApp.port_retries={0 if exact else 50}",
        f"--ServerApp.root_dir={folder}",
        # A wheel puts it where JupyterLab looks; of a checkout it is what has just been built.
        f"--LabApp.extra_labextensions_path={Path(__file__).with_name('labextensions')}",
        # Nothing is fetched, no list of newer versions and no announcements.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Containers run as root; JupyterLab requires an option for that.
        command.append("--ServerApp.allow_root=True")
    return command


def _environment(scratch: Path, token: str, notebook: str | None) -> dict[str, str]:
    """Environment of the server: our token, and a layout of our own instead of the last session's."""
    config, workspaces = scratch / "config" / "labconfig", scratch / "workspaces"
    config.mkdir(parents=True)
    workspaces.mkdir()
    # The question about announcements would cover the widget; the check of the build delays the notebook.
    page = '{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}, "buildCheck": false}'
    (config / "page_config.json").write_text(page, "utf-8")
    path = os.environ.get("JUPYTER_CONFIG_PATH")
    workspace = json.dumps(workspace_with(notebook) if notebook else WORKSPACE)
    (workspaces / "default-37a8.jupyterlab-workspace").write_text(workspace, "utf-8")
    return {
        **os.environ,
        "JUPYTER_TOKEN": token,
        "NZ_EXPLORER_HELD": str(scratch / HELD),
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, (str(config.parent), path))),
        "JUPYTERLAB_WORKSPACES_DIR": str(workspaces),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for_url(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until the server has written where it listens, and accepts connections there."""
    from jupyter_core.paths import jupyter_runtime_dir

    about = Path(jupyter_runtime_dir()) / f"jpserver-{process.pid}.json"
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise LaunchError(f"JupyterLab ended at once: {_last_line(log)}")
        try:
            server = json.loads(about.read_text("utf-8"))
            socket.create_connection((LOOPBACK, server["port"]), timeout=1).close()
        except (OSError, ValueError):
            time.sleep(0.05)
        else:
            url: str = server["url"]
            return url
    raise LaunchError(f"JupyterLab did not start in {START_SECONDS:.0f} s: {_last_line(log)}")


def _last_line(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Let the server shut its kernels down; end it the hard way if it does not."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_first_cell(server: Server, notebook: str, show: Callable[[], object] | None = None) -> None:
    """Start the kernel of a notebook of ours, run its first code cell and save what it gave.

    Whoever opens the notebook meanwhile gets it when that is done; where the server does not wait, nobody opens it before.

    Parameters
    ----------
    server
        The server whose kernel runs the cell.
    notebook
        The notebook's path below the server's folder.
    show
        Called when the notebook may be opened.
    """
    model = server.request("GET", f"api/contents/{notebook}")["content"]
    cell = next(cell for cell in model["cells"] if cell["cell_type"] == "code")
    server.held.write_text(notebook, "utf-8")
    try:
        if show is not None and server.waits:
            show()
        _run(server, notebook, model, cell)
    finally:
        server.held.unlink()
    if show is not None and not server.waits:
        show()


def _run(server: Server, notebook: str, model: dict[str, Any], cell: dict[str, Any]) -> None:
    session = server.request(
        "POST",
        "api/sessions",
        {
            "path": notebook,
            "name": Path(notebook).name,
            "type": "notebook",
            "kernel": {"name": "python3"},
        },
    )
    cell["outputs"], cell["execution_count"] = _execute(session["kernel"]["id"], cell)
    # These outputs come from the cell itself, a moment ago, and others came with the notebook, which is ours.
    # JupyterLab may show them; it shows a widget only where all code cells are trusted.
    for one in model["cells"]:
        if one["cell_type"] == "code":
            one["metadata"]["trusted"] = True
    body = {"type": "notebook", "format": "json", "content": model}
    server.request("PUT", f"api/contents/{notebook}", body)


def _execute(kernel: str, cell: dict[str, Any]) -> tuple[list[dict[str, Any]], int | None]:
    """Run a cell in a kernel of the server and collect its outputs."""
    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.connect import find_connection_file

    outputs: list[dict[str, Any]] = []

    def collect(message: dict[str, Any]) -> None:
        kind, content = message["msg_type"], message["content"]
        if kind in KEPT:
            outputs.append({"output_type": kind, **{name: content[name] for name in KEPT[kind]}})

    client = BlockingKernelClient(connection_file=find_connection_file(f"kernel-{kernel}.json"))
    client.load_connection_file()
    # as JupyterLab does: by it the place in the explorer is kept
    client.session.metadata = {"cellId": cell.get("id")}
    client.start_channels(hb=False)
    try:
        _wait_for_kernel(client)
        reply = client.execute_interactive(
            cell["source"], allow_stdin=False, output_hook=collect, timeout=CELL_SECONDS
        )
    except (RuntimeError, TimeoutError) as error:
        raise LaunchError(f"the notebook's first cell did not finish: {error}") from error
    finally:
        client.stop_channels()
    count = reply["content"].get("execution_count")
    return outputs, count if isinstance(count, int) else None


def _wait_for_kernel(client: BlockingKernelClient) -> None:
    """Wait until the kernel's outputs arrive here.

    The client's own ``wait_for_ready`` takes a kernel for dead whose heart does not beat within a
    second, which a busy machine needs for starting Python.
    """
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        client.kernel_info()
        with suppress(queue.Empty):
            client.get_iopub_msg(timeout=1)
            return
    raise TimeoutError(f"its kernel did not start in {START_SECONDS:.0f} s")
