"""What JupyterLab's server does earlier and later than usual, where a notebook is opened while its first cell runs.

The browser loads JupyterLab's several megabytes while the kernel starts. It asks for the notebook meanwhile, and is
answered when the outputs are in it. What takes the processor and can wait is done after that.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupyter_server.services.nbconvert.handlers import NbconvertRootHandler

HELD = "NZ_EXPLORER_HELD"
"""The environment variable with the path of a file that is there for as long as a notebook, which it names, is run."""

EXPORTERS = "nbconvert.exporters.base"
"""What the server's handler imports; a module that is imported once takes no time the next time."""

REST_SECONDS = 3.0
"""How long the page has the processor for itself, to show the notebook that it was handed."""


class Contents(AsyncLargeFileManager):
    """Files, of which one may be waited for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        Path(os.environ[HELD]).with_suffix(
            ".waits"
        ).touch()  # the launcher looks whether it is waited for

    async def get(
        self,
        path: str,
        content: bool = True,
        type: str | None = None,  # noqa: A002  # jupyter_server's name
        format: str | None = None,  # noqa: A002
        require_hash: bool = False,
    ) -> Any:
        """Return a file or a folder, as jupyter_server does, when nobody holds it any more.

        Parameters
        ----------
        path
            Its path below the server's folder.
        content
            Whether what is in it is wanted, and not only its name and time.
        type
            What it is taken for: a notebook, a file or a directory.
        format
            Whether a file is text or base64.
        require_hash
            Whether the hash is wanted.
        """
        while content and path.strip("/") == _held():  # noqa: ASYNC110  # another process holds it
            await asyncio.sleep(0.01)
        return await super().get(path, content, type, format, require_hash)  # type: ignore[no-untyped-call]


class Exporters(NbconvertRootHandler):
    """The formats that a menu of JupyterLab offers for export, listed when the notebook was handed out.

    The page asks for them as soon as it is there. The server imports nbconvert to answer, for about a second in
    which it would neither hand out the notebook nor pass on what kernel and browser have for each other.
    """

    async def get(self) -> None:
        """Return the formats to whom the server's own handler gives them."""
        if self.current_user is not None and EXPORTERS not in sys.modules:
            while _held() is not None:  # noqa: ASYNC110  # another process holds it
                await asyncio.sleep(0.01)
            await asyncio.sleep(REST_SECONDS)
            with suppress(ImportError):  # which the server's own handler answers
                await asyncio.to_thread(importlib.import_module, EXPORTERS)
        if (answer := super().get()) is not None:
            await answer


def later(start: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Return a function that does the same when the notebook is shown.

    Parameters
    ----------
    start
        What jupyter_lsp does when the server runs: it looks for language servers, by way of a process of npm. Whoever
        asks for these meanwhile is answered afterwards.
    """

    async def started(*given: Any) -> None:
        await asyncio.sleep(REST_SECONDS)
        while _held() is not None:  # noqa: ASYNC110  # another process holds it
            await asyncio.sleep(0.1)
        await start(*given)

    return started


def _held() -> str | None:
    try:
        return Path(os.environ[HELD]).read_text("utf-8")
    except FileNotFoundError:
        return None
