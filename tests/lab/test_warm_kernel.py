"""The kernel that is ready before anybody asks is one like any other, and the first only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning import local_provisioner

from nz_explorer.lab.warm_kernel import WarmKernel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="started there as ever")

KERNEL = KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"])
LAUNCH = vars(local_provisioner)["launch_kernel"]


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> Iterator[WarmKernel]:
    kernel = WarmKernel()
    process = kernel.process
    assert process is not None
    monkeypatch.setattr(local_provisioner, "launch_kernel", kernel.launching(LAUNCH))
    with process:
        yield kernel
        process.kill()


def _started(**options: Any) -> KernelManager:
    manager = KernelManager()
    manager._kernel_spec = KERNEL
    manager.start_kernel(**options)
    return manager


def _said(manager: KernelManager, code: str) -> list[str]:
    """Run code in a kernel; return what it prints, line by line."""
    said: list[str] = []
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        client.execute_interactive(
            code,
            timeout=60,
            output_hook=lambda message: said.append(message["content"].get("text", "")),
        )
    finally:
        client.stop_channels()
    return "".join(said).splitlines()


CODE = """
import os, sys, comm
print(os.getpid(), os.getcwd(), os.environ["TIDE"], sys.path, __name__)
print(sorted(comm.get_comm_manager().targets))
import matplotlib
print(matplotlib.get_backend())
"""


def test_the_first_kernel_is_the_one_that_waits_and_a_restart_is_a_new_one(
    warm: WarmKernel, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert warm.process is not None
    pid = warm.process.pid
    environment = {**os.environ, "TIDE": "high"}
    manager = _started(cwd=str(tmp_path), env=environment)
    try:
        first = _said(manager, CODE)
        manager.restart_kernel(now=True)
        second = _said(manager, "import ipywidgets" + CODE)
    finally:
        manager.shutdown_kernel(now=True)
    assert first[0].startswith(f"{pid} {tmp_path} high [")
    assert second[0] != first[0]
    assert second[0].partition(" ")[2] == first[0].partition(" ")[2]
    assert first[1:] == second[1:]
    assert "jupyter.widget.control" in first[1]
    assert "Ctrl-C will not work" not in capfd.readouterr().out  # said where no server is known


@pytest.mark.parametrize(
    ("command", "environment"),
    [
        (["/usr/bin/python3", *KERNEL.argv[1:]], {}),
        ([sys.executable, "-O", *KERNEL.argv[1:]], {}),
        ([sys.executable, "-m", "xeus", "-f", "x.json"], {}),
        (KERNEL.argv, {"PYTHONPATH": "/elsewhere"}),
        (KERNEL.argv, {"MPLBACKEND": "agg"}),
    ],
)
def test_a_kernel_that_would_be_another_one_is_started_as_ever(
    warm: WarmKernel, command: list[str], environment: dict[str, str]
) -> None:
    launched: list[Any] = []
    warm.launching(lambda *given, **options: launched.append(given))(
        command, env={**os.environ, **environment}
    )
    assert launched == [(command,)]
    assert warm.process is not None


def test_a_process_that_has_ended_is_not_taken(warm: WarmKernel) -> None:
    assert warm.process is not None
    warm.process.kill()
    warm.process.wait()
    assert warm.launching(lambda *_given, **_options: "another")(KERNEL.argv) == "another"  # type: ignore[arg-type,return-value]


def test_it_ends_with_the_server(warm: WarmKernel) -> None:
    process = warm.process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=60) == 0
