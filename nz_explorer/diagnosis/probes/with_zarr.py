"""zarr-python: opens every node, and decodes the first and the last chunk of each array."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nz_explorer.diagnosis.probes.answers import Answers, Asked, Step, corners, text_of


def store_of(asked: Asked) -> Any:
    """Return what zarr opens: of a folder, a zip file or references a store with the limits of this package, else the address.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    """
    if asked.references is not None:
        from nz_explorer.store.resolve import resolve

        given = asked.references
        return resolve(given["source"], storage_options=given["options"]).zarr_store()
    path = Path(asked.location)
    if asked.is_url or not path.exists():
        return asked.location
    if path.is_dir():
        from nz_explorer.store.local.contained_store import ContainedStore

        return ContainedStore(path, follow_links=asked.follow_links)
    from nz_explorer.store.local.zip_store import BoundedZipStore

    return BoundedZipStore(path)


def opened(answers: Answers, open_root: Callable[..., Any], option: str) -> Any:
    """Open the root; where consolidated metadata keep a reader from that, say so and go by the documents.

    Parameters
    ----------
    answers : Answers
        Where the answers are written.
    open_root : callable
        Opens it.
    option : str
        Name of the option that turns consolidated metadata off.

    Raises
    ------
    Exception
        What the reader raises, if it opens neither with nor without them.
    """
    answers.write(at="/")
    try:
        root = open_root()
    except Exception as error:  # noqa: BLE001  # readers raise what they like, and that is the answer
        try:
            root = open_root(**{option: False})
        except Exception:  # noqa: BLE001  # then the first one counts
            raise error from None
        answers.failed("/", error, "opening", " – without the consolidated metadata it opens")
    else:
        answers.write(path="/")
    return root


def run(asked: Asked, answers: Answers) -> None:
    """Open each node, and decode the first and the last chunk of each array.

    Parameters
    ----------
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    """
    import zarr

    root: Any = opened(
        answers,
        lambda **options: zarr.open(store_of(asked), mode="r", **options),
        "use_consolidated",
    )
    if isinstance(root, zarr.Array):
        with answers.step("/") as step:
            _read(root, step)
        return
    for path in asked.nodes():
        if path != "/":
            with answers.step(path) as step:
                node = root[path.strip("/")]
                if isinstance(node, zarr.Array):
                    _read(node, step)


def _read(array: Any, step: Step) -> None:
    for number, corner in enumerate(corners(array.shape)):
        step.during = "reading the last chunk" if number else "reading the first chunk"
        value = text_of(array[corner])
        step.raw = step.raw if number else value
    step.shown = step.raw
