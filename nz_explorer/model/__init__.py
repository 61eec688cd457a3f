"""What the documents of a store mean: hierarchy, groups, arrays, dimensions and attributes."""

from nz_explorer.documents.document import Document
from nz_explorer.documents.problems import DocumentProblem
from nz_explorer.model.array import Array, codec_name, configuration_of
from nz_explorer.model.attribute_types import AttributeType, nz_type
from nz_explorer.model.consolidated import Consolidated
from nz_explorer.model.dimensions import Dimension, Use, dimension_table, is_candidate
from nz_explorer.model.group import Group
from nz_explorer.model.hierarchy import Hierarchy, Inside, NodeNotFound, open_store
from nz_explorer.model.node import Node
from nz_explorer.model.roles import RoleResult, RoleTest, classify, is_container, references

__all__ = [
    "Array",
    "AttributeType",
    "Consolidated",
    "Dimension",
    "Document",
    "DocumentProblem",
    "Group",
    "Hierarchy",
    "Inside",
    "Node",
    "NodeNotFound",
    "RoleResult",
    "RoleTest",
    "Use",
    "classify",
    "codec_name",
    "configuration_of",
    "dimension_table",
    "is_candidate",
    "is_container",
    "nz_type",
    "open_store",
    "references",
]
