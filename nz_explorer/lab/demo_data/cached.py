"""The demo data in the user's cache."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from nz_explorer.lab.demo_data.broken import write_broken
from nz_explorer.lab.demo_data.sample import write_sample
from nz_explorer.lab.demo_data.sea import write_sea


def sample() -> Path:
    """Return the sample dataset, written to the user's cache the first time.

    Returns
    -------
    Path
        The folder of the store.
    """
    return _cached("sample.zarr", write_sample)


def broken() -> Path:
    """Return the broken sibling of the sample, written to the user's cache the first time.

    Returns
    -------
    Path
        The folder of the store.
    """
    return _cached("broken.zarr", write_broken)


def sea() -> Path:
    """Return the warming sea, written to the user's cache the first time.

    Returns
    -------
    Path
        The folder of the store.
    """
    return _cached("sea.zarr", write_sea)


def _cached(name: str, write: Callable[[Path], Path]) -> Path:
    """Write a dataset once per version of these modules; a half-written one is never seen."""
    from platformdirs import user_cache_path

    modules = sorted(Path(__file__).parent.glob("*.py"))
    version = hashlib.sha256(b"".join(one.read_bytes() for one in modules)).hexdigest()[:12]
    folder = user_cache_path("nz_explorer", appauthor=False) / f"sample-{version}"
    target = folder / name
    if not target.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder))
        try:
            write(scratch / name)
            try:
                (scratch / name).rename(target)
            except OSError:
                # Another process was faster; its bytes are the same.
                if not target.is_dir():
                    raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target
