"""What other software makes of a store: tried in a process of its own, each failure led back to a node and a rule."""

from nz_explorer.readers.trial import READERS, Failure, Trial, try_reader
from nz_explorer.readers.why import explain

__all__ = ["READERS", "Failure", "Trial", "explain", "try_reader"]
