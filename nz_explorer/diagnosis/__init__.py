"""What other software makes of a store: tried in a process of its own, each failure led back to a node and a rule."""

from nz_explorer.diagnosis.attribution import explain
from nz_explorer.diagnosis.trial import READERS, Failure, FirstValue, Trial, try_reader

__all__ = ["READERS", "Failure", "FirstValue", "Trial", "explain", "try_reader"]
