"""The files that JupyterLab's server hands out, where a notebook is opened while its first cell runs.

The browser loads JupyterLab's several megabytes while the kernel starts. It asks for the notebook meanwhile, and is
answered when the outputs are in it.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

HELD = "NZ_EXPLORER_HELD"
"""The environment variable with the path of a file that is there for as long as a notebook, which it names, is run."""


class Contents(AsyncLargeFileManager):
    """Files, of which one may be waited for."""

    async def get(self, path: str, content: bool = True, **options: Any) -> Any:
        """Return a file or a folder.

        Parameters
        ----------
        path
            Its path below the server's folder.
        content
            Whether what is in it is wanted, and not only its name and time.
        **options
            What jupyter_server asks for besides.
        """
        while content and path.strip("/") == _held():  # noqa: ASYNC110  # another process holds it
            await asyncio.sleep(0.01)
        return await super().get(path, content=content, **options)


def _held() -> str | None:
    try:
        return Path(os.environ[HELD]).read_text("utf-8")
    except FileNotFoundError:
        return None
