"""Where changed documents go: several at once, all of them or none.

One document is replaced in one step (a renamed file, a single put). For a bundle of them there is a journal,
which holds every version before and after and is there as long as the bundle is not complete. A process that
is killed in the middle leaves the journal behind, and `Writer.recover` takes it from there: where all documents
are the new ones it only clears up, else it puts the old ones back.

In a folder the journal is a folder of its own inside the store, which moves with the store and is on the same file
system, so that documents can be renamed into place. Its name shows how far it got:

==================================  ===================================================================
``.nz-explorer-journal.staging``    both versions are being collected; no document has been touched
``.nz-explorer-journal``            documents are being replaced
``.nz-explorer-journal.done``       all are replaced; what is left is rubbish
==================================  ===================================================================

In an object store it is one object, ``.nz-explorer-journal``. Neither is a Zarr key: no reader takes a name
without a metadata document below it for a node.

A store comes from a stranger, and with it perhaps a journal. So nothing is recovered unless somebody asks for it,
and only what a journal of ours can hold: metadata documents inside of the store, in a form that documents have, and
no links. Every other journal is refused as a whole, and left alone.
"""

from nz_explorer.store.writing.destination import writer_for
from nz_explorer.store.writing.folder_writer import FolderWriter
from nz_explorer.store.writing.journal import COMMAND, DONE, JOURNAL, MANIFEST, SCHEMA, STAGING
from nz_explorer.store.writing.store_writer import StoreWriter
from nz_explorer.store.writing.writer import Edit, Interrupted, Recovery, WriteError, Writer

__all__ = [
    "COMMAND",
    "DONE",
    "JOURNAL",
    "MANIFEST",
    "SCHEMA",
    "STAGING",
    "Edit",
    "FolderWriter",
    "Interrupted",
    "Recovery",
    "StoreWriter",
    "WriteError",
    "Writer",
    "writer_for",
]
