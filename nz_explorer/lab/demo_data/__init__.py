"""The sample dataset: a scientist's store that keeps NZ-1.0, and a sibling that breaks it.

`write_sample` writes a small weather archive in Zarr v3 – a global forecast, a regional analysis,
an ocean model on a curvilinear grid and a few stations – that keeps every rule of NZ-1.0.
`write_broken` writes the same archive after a bad week: each entry of `BROKEN_RULES` is one
deliberate violation, with the rules that a checker should name there.

Everything is computed, nothing is downloaded, and two runs write the same bytes.
"""

from nz_explorer.lab.demo_data.broken import BROKEN_RULES, Violation, write_broken
from nz_explorer.lab.demo_data.cached import broken, sample
from nz_explorer.lab.demo_data.sample import write_sample

__all__ = ["BROKEN_RULES", "Violation", "broken", "sample", "write_broken", "write_sample"]
