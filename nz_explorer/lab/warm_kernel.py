"""A kernel's process that has its imports done before anybody asks for a kernel: ``python -m nz_explorer.lab.warm_kernel``.

JupyterLab's server takes a second to start, on one core; what the first cell of the notebook imports takes another.
The server therefore starts this process before all else, and its first kernel is this process, which is told then what
any other would be given: its arguments, its environment and its folder. Those that follow, a restart among them, are
started as ever. Nothing is told when the server ends: then it ends as well.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

LAUNCHER = "ipykernel_launcher"
OPTIONS = ("-Xfrozen_modules=off",)
"""Of the interpreter: what ipykernel names in its kernelspec, according to its version, and the debugger wants."""

IMPORTS = (
    "ipykernel.kernelapp",
    "nz_explorer.widget.explorer",
    "nz_explorer.widget.static_page",
    "nz_explorer.plots.drawing.notebook_figure",
    "matplotlib.backends.backend_agg",
)
"""What a kernel imports to start, to open a store and to save the first picture."""


class WarmKernel:
    """Starts the process, which the first kernel takes.

    Attributes
    ----------
    process : subprocess.Popen or None
        The process; None when it has been taken.
    """

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = subprocess.Popen(  # noqa: S603  # our own interpreter and arguments
            [sys.executable, *OPTIONS, "-m", __name__],
            cwd=sys.prefix,  # where nothing lies that could be imported in place of a module
            # with what ipykernel looks for when it is imported: it ends where this process does
            env={**os.environ, "JPY_PARENT_PID": str(os.getpid())},
            stdin=subprocess.PIPE,
            start_new_session=True,  # as jupyter_client starts kernels: an interrupt is for them alone
        )

    def launching(
        self, launch: Callable[..., subprocess.Popen[bytes]]
    ) -> Callable[..., subprocess.Popen[bytes]]:
        """Return a function that launches a kernel, the first of them as this process.

        Parameters
        ----------
        launch : callable
            jupyter_client's own, for all others.
        """

        def first(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
            return self._taken(command, **options) or launch(command, **options)

        return first

    def _taken(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        **_: Any,
    ) -> subprocess.Popen[bytes] | None:
        """Return the process as the kernel that a command would start; None where it would not be the same."""
        process = self.process
        environment = dict(os.environ if env is None else env)
        if process is None or not _is_alike(command, environment):
            return None
        self.process = None
        environment["JPY_PARENT_PID"] = str(os.getpid())
        told = {
            "arguments": command[-2:],
            "environment": environment,
            "folder": cwd or str(Path.cwd()),
        }
        try:
            with cast("IO[bytes]", process.stdin) as stdin:
                stdin.write(json.dumps(told).encode())
        except BrokenPipeError:
            return None  # it has ended
        return process


def _is_alike(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether a command starts what this module's process becomes, with what Python reads before it runs anything."""
    executable, *options = command[:-4]
    return (
        executable == sys.executable
        and set(options) <= set(OPTIONS)
        and list(command[-4:-1]) == ["-m", LAUNCHER, "-f"]
        and _at_start(environment) == _at_start(os.environ)
    )


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(("PYTHON", "LD_", "DYLD_", "MPL", "ZARR_", "DASK_"))
    }


def main() -> None:
    """Import, wait until it is told what to be, and be the kernel."""
    if Path(sys.path[0]) == Path.cwd():
        del sys.path[0]  # as ipykernel's launcher does; IPython adds the folder that it is told
    # as ipykernel sets it later, when matplotlib would not look any more
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    for name in IMPORTS:
        with suppress(ImportError):  # which the cell that needs it reports
            import_module(name)
    text = sys.stdin.read()
    if not text:
        return
    told = json.loads(text)
    os.environ.clear()
    os.environ.update(told["environment"])
    os.chdir(told["folder"])
    import ipywidgets
    from ipykernel.kernelapp import IPKernelApp

    kernel = IPKernelApp.instance()
    kernel.initialize(told["arguments"])  # type: ignore[no-untyped-call]
    ipywidgets.register_comm_target()  # as it does where it is imported in a kernel
    kernel.start()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
