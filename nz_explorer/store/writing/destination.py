"""Which writer writes to what a reader reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nz_explorer.store.local.folder_reader import FolderReader
from nz_explorer.store.local.zip_reader import ZipReader
from nz_explorer.store.overlay import OverlayReader
from nz_explorer.store.reader import Reader
from nz_explorer.store.remote.remote_reader import RemoteReader
from nz_explorer.store.writing.folder_writer import FolderWriter
from nz_explorer.store.writing.store_writer import StoreWriter
from nz_explorer.store.writing.writer import WriteError, Writer

if TYPE_CHECKING:
    from zarr.abc.store import Store


def writer_for(reader: Reader) -> Writer:
    """Return what writes to the store that a reader reads.

    Raises
    ------
    WriteError
        If that store cannot be written to.
    """
    if isinstance(reader, OverlayReader):
        return writer_for(reader.base)
    if isinstance(reader, FolderReader):
        return FolderWriter(reader.folder)
    if isinstance(reader, ZipReader) or reader.kind == "zarr ZipStore":
        # what is added is put where the list of all members was: if that is interrupted, none of them is found any more
        raise WriteError(
            f"{reader.label} is a zip file, in which nothing can be replaced, and nothing added without risk to all that is in it:"
            " unpack it, fix the folder, and pack it again"
        )
    if reader.kind == "HTTP":
        raise WriteError(f"{reader.label} is served over HTTP, which can only be read")
    if reader.kind.startswith("references"):
        raise WriteError(
            f"{reader.label}: references are only read; change the document in them, which is JSON in a text:"
            ' document = json.loads(refs["refs"]["air/.zarray"]), and json.dumps(document) back'
        )
    if isinstance(reader, RemoteReader):
        return StoreWriter(_writable(reader), reader.prefix, reader.label)
    raise WriteError(f"a {reader.kind} cannot be written to")


def _writable(reader: RemoteReader) -> Store:
    store = reader.store
    if reader.owns_store:  # opened here, read-only, from a URL
        try:
            store = store.with_read_only(False)
        except (AttributeError, NotImplementedError) as error:
            raise WriteError(
                f"{reader.label} cannot be opened for writing with this version of zarr; 3.1 can"
            ) from error
    if store.read_only:
        raise WriteError(f"{reader.label} was opened read-only: open the store for writing")
    if not (store.supports_writes and store.supports_deletes):
        raise WriteError(f"{reader.label} cannot be written to")
    return store
