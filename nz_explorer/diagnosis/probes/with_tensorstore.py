"""TensorStore: opens each array, and decodes its first and last chunk."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from nz_explorer.diagnosis.probes.answers import Answers, Asked, corners, text_of

FEW = {"data_copy_concurrency": {"limit": 1}, "file_io_concurrency": {"limit": 1}}
"""Threads take address space, which is limited."""


def run(asked: Asked, answers: Answers) -> None:
    """Open each array, and decode its first and last chunk.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    """
    ts: Any = import_module("tensorstore")
    answers.write(path="/")
    for path in asked.arrays:
        with answers.step(path) as step:
            array = ts.open(_spec(asked, path), open=True, read=True).result()
            for number, corner in enumerate(corners(array.shape)):
                step.during = "reading the last chunk" if number else "reading the first chunk"
                value = text_of(array[corner].read().result())
                step.raw = step.shown = step.raw if number else value


def _spec(asked: Asked, path: str) -> dict[str, Any]:
    inner = path.strip("/")
    driver = "zarr" if asked.zarr_format == 2 else "zarr3"
    store: dict[str, Any]
    if asked.is_url:
        store = {
            "driver": "http",
            "base_url": asked.location,
            "path": f"/{inner}/" if inner else "/",
        }
    elif asked.is_zip:
        base = {"driver": "file", "path": asked.location}
        store = {"driver": "zip", "base": base, "path": f"{inner}/" if inner else ""}
    else:
        folder = "/".join(part for part in (asked.location.rstrip("/"), inner) if part)
        store = {"driver": "file", "path": f"{folder}/"}
    return {"driver": driver, "kvstore": store, "context": FEW}
