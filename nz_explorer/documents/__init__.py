"""JSON documents as text: tolerant decoding with positions, pointers, and edits that keep every other byte."""

from nz_explorer.documents.document import Document
from nz_explorer.documents.problems import DocumentProblem

__all__ = ["Document", "DocumentProblem"]
