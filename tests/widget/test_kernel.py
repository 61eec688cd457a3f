"""The widget in a real kernel, spoken to as JupyterLab does: over subshells that come and go."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

TIMEOUT = 60.0
numbers = itertools.count(1)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BlockingKernelClient]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    manager, client = start_new_kernel(startup_timeout=TIMEOUT)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run(kernel: BlockingKernelClient, code: str) -> str:
    """Run a cell and return what it prints."""
    printed: list[str] = []

    def keep(message: dict[str, Any]) -> None:
        printed.append(message["content"].get("text", ""))

    reply = kernel.execute_interactive(code, output_hook=keep, timeout=TIMEOUT)
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(printed).strip()


def control(kernel: BlockingKernelClient, kind: str, **content: str) -> dict[str, Any]:
    message = kernel.session.msg(kind, content)
    kernel.control_channel.send(message)
    while True:
        reply: dict[str, Any] = kernel.get_control_msg(timeout=TIMEOUT)
        if reply["parent_header"]["msg_id"] == message["header"]["msg_id"]:
            return dict(reply["content"])


def hear(
    kernel: BlockingKernelClient, right: Callable[[str, dict[str, Any]], bool]
) -> dict[str, Any]:
    """Wait for a message that all pages hear; returns its content."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        message = kernel.get_iopub_msg(timeout=TIMEOUT)
        if right(message["msg_type"], message["content"]):
            return dict(message["content"])
    pytest.fail("it was not heard")


def ask(kernel: BlockingKernelClient, comm: str, subshell: str | None = None) -> dict[str, Any]:
    """Send the widget a request, as a page does, and return its reply."""
    number = next(numbers)
    request = {"kind": "request", "id": number, "method": "open", "params": {}}
    data = {"method": "custom", "content": request}
    message = kernel.session.msg("comm_msg", {"comm_id": comm, "data": data})
    if subshell:
        message["header"]["subshell_id"] = subshell
    kernel.shell_channel.send(message)
    found = hear(
        kernel,
        lambda kind, content: kind == "comm_msg" and _answers(content["data"], number),
    )
    return dict(found["data"]["content"])


def _answers(data: dict[str, Any], number: int) -> bool:
    said = data.get("content", {})
    return said.get("kind") == "reply" and said["id"] == number


def test_it_answers_on_the_subshell_that_asks(
    kernel: BlockingKernelClient, sample_store: Path
) -> None:
    source = str(sample_store)
    comm = run(
        kernel, f"import nz_explorer as nz; ex = nz.explore({source!r}); print(ex.comm.comm_id)"
    )
    # A page comes and goes, and its subshell with it; the next has one of its own.
    first = control(kernel, "create_subshell_request")["subshell_id"]
    assert ask(kernel, comm, first)["ok"]
    assert control(kernel, "delete_subshell_request", subshell_id=first)["status"] == "ok"
    second = control(kernel, "create_subshell_request")["subshell_id"]
    assert ask(kernel, comm, second)["ok"]
    assert ask(kernel, comm)["ok"]

    # A cell moves the widget and goes on for long.
    kernel.execute(
        "import threading; ex.path = '/ocean'; free = threading.Event(); print('waits'); ok = free.wait(120)"
    )
    hear(kernel, lambda kind, content: kind == "stream" and "waits" in content["text"])
    assert ask(kernel, comm, second)["ok"]
    free = kernel.session.msg("execute_request", {"code": "free.set()", "silent": True})
    free["header"]["subshell_id"] = second
    kernel.shell_channel.send(free)
    assert run(kernel, "print(ok)") == "True"


def test_what_a_page_asks_does_not_end_the_cell_that_runs(
    kernel: BlockingKernelClient, tmp_path: Path
) -> None:
    run(kernel, f"import zarr; zarr.create_group({str(tmp_path / 's.zarr')!r})")
    run(
        kernel,
        "import threading, nz_explorer as nz\n"
        "ended = []\n"
        "def end(): ended.append(threading.current_thread() is threading.main_thread())\n"
        "get_ipython().events.register('post_execute', end)",
    )
    comm = run(kernel, f"ex = nz.explore({str(tmp_path / 's.zarr')!r})\nprint(ex.comm.comm_id)")
    subshell = control(kernel, "create_subshell_request")["subshell_id"]
    assert ask(kernel, comm, subshell)["ok"]
    # JupyterLab's pages also ask where no subshell is.
    assert ask(kernel, comm, None)["ok"]
    assert run(kernel, "print(set(ended))") == "{True}"


def test_a_source_that_cannot_be_opened_is_said_in_one_line(kernel: BlockingKernelClient) -> None:
    code = "import nz_explorer as nz\nnz.explore('/nowhere/at/all.zarr')"
    reply = kernel.execute_interactive(code, output_hook=lambda _: None, timeout=TIMEOUT)
    assert reply["content"]["traceback"] == [
        "SourceError: there is nothing at /nowhere/at/all.zarr; there is no /nowhere"
    ]
