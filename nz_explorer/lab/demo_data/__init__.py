"""The sample dataset: a scientist's store that keeps NZ-1.0, a sibling that breaks it, and a sea that warms.

`write_sample` writes a small weather archive in Zarr v3 – a global forecast, a regional analysis,
an ocean model on a curvilinear grid and a few stations – that keeps every rule of NZ-1.0.
`write_broken` writes the same archive after a bad week: each entry of `BROKEN_RULES` is one
deliberate violation, with the rules that a checker should name there. `write_sea` writes the annual
means of a sea, which every reader opens: its fill values are integers.

Everything is computed, nothing is downloaded, and two runs write the same bytes.
"""

from nz_explorer.lab.demo_data.broken import BROKEN_RULES, Violation, write_broken
from nz_explorer.lab.demo_data.cached import broken, sample, sea
from nz_explorer.lab.demo_data.sample import write_sample
from nz_explorer.lab.demo_data.sea import write_sea

__all__ = [
    "BROKEN_RULES",
    "Violation",
    "broken",
    "sample",
    "sea",
    "write_broken",
    "write_sample",
    "write_sea",
]
