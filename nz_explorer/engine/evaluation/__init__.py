"""One evaluation of one hierarchy: what is scheduled, judged, recorded and counted, and what follows from it.

`Evaluation` is what others use. It is put together from parts that know nothing of it:

* `schedule` – in which order a whole hierarchy is visited and read, within a `budget`
* `judge` – which rules apply to a node, its values, its folder or its consolidated entry, and their results
* `records` – the results of each node, and `counts` – findings and open work, counted for all groups above
* `coverage` and `convention_usage` – what is not evaluated, and which conventions the nodes use
* `finding_index` – which kinds of findings there are where, for pages of them
* `finding_reader` and `conformance` – the findings, and whether the hierarchy keeps each convention
"""

from nz_explorer.engine.evaluation.budget import VALUE_BYTES, Budget, Progress, Values
from nz_explorer.engine.evaluation.evaluation import Evaluation
from nz_explorer.engine.evaluation.finding_index import FindingKind
from nz_explorer.engine.evaluation.finding_reader import found_again
from nz_explorer.engine.evaluation.judge import has_value_rules

__all__ = [
    "VALUE_BYTES",
    "Budget",
    "Evaluation",
    "FindingKind",
    "Progress",
    "Values",
    "found_again",
    "has_value_rules",
]
