"""A hierarchy, read as far as someone has asked for it.

* `names` – paths of nodes and names of documents
* `node_reader` – nodes from their documents; `root` – the root, and what it declares for all of it
* `children` – the nodes in groups, from listings or from consolidated metadata
* `hierarchy` – finding nodes, walking, reading again, and copies that are read through another reader
* `open_store` – a hierarchy from whatever names a store
"""

from nz_explorer.model.hierarchy.hierarchy import Hierarchy
from nz_explorer.model.hierarchy.names import (
    CHUNK_OF_V2,
    NCZARR_NAMES,
    OTHER_FORMATS,
    ROOT_NAMES,
    NodeNotFound,
    is_document,
    is_left_behind,
    normalise,
    renamed_document,
    without_array,
)
from nz_explorer.model.hierarchy.node_reader import Inside, in_other_format, inside_arrays
from nz_explorer.model.hierarchy.open_store import open_store

__all__ = [
    "CHUNK_OF_V2",
    "NCZARR_NAMES",
    "OTHER_FORMATS",
    "ROOT_NAMES",
    "Hierarchy",
    "Inside",
    "NodeNotFound",
    "in_other_format",
    "inside_arrays",
    "is_document",
    "is_left_behind",
    "normalise",
    "open_store",
    "renamed_document",
    "without_array",
]
