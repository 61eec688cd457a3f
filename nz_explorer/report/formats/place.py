"""Where the documents of a store are, as those who look at a repository name its files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nz_explorer.report.report import Report


def place(report: Report, document: str | None) -> str:
    """Return the path or the address of a document, from the working directory where it is below that.

    Parameters
    ----------
    report : Report
        Of the store.
    document : str, optional
        The key of the document; of none, the place is that of the store.
    """
    source = report.source.rstrip("/")
    if source.startswith("/") and Path(source).is_relative_to(Path.cwd()):
        source = str(Path(source).relative_to(Path.cwd()))
    return f"{source}/{document}" if document else source
