"""Opening object stores of the large providers with obstore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nz_explorer.store.errors import SourceError


def open_object_store(url: str, label: str, options: Mapping[str, Any]) -> Any:
    """Open an object store for reading.

    Parameters
    ----------
    url : str
        Where it is.
    label : str
        The source as the user knows it.
    options : mapping
        With the names of obstore.

    Returns
    -------
    ObjectStore or None
        None where obstore is not installed.

    Raises
    ------
    SourceError
        If obstore does not take the URL or an option.
    """
    try:
        import obstore.store
        from zarr.storage import ObjectStore
    except ImportError:
        return None
    options = dict(options)
    client = dict(options.pop("client_options", None) or {})
    if str(options.get("endpoint") or url).startswith("http://"):
        client.setdefault("allow_http", True)
    from_url: Any = obstore.store.from_url  # its overloads know the options of each service
    try:
        # The reader repeats what failed for a moment, and knows how long to wait; two layers would multiply that.
        store = from_url(
            url,
            client_options={"timeout": "900s", "connect_timeout": "10s", **client},
            retry_config={"max_retries": 0},
            **options,
        )
    except (ValueError, TypeError, obstore.exceptions.BaseError) as error:
        raise SourceError(f"{label} could not be opened: {' '.join(str(error).split())}") from error
    return ObjectStore(store, read_only=True)
