"""What a ``_FillValue`` attribute and a storage ``fill_value`` mean, and what they match.

NZ-1.0 says that the type of ``_FillValue`` is the array's ``data_type`` but not how JSON spells
it. The decoder takes the spellings that Zarr v3 defines for ``fill_value``, which are the only
ones specified, and xarray's base64 as a dialect, and says what is wrong with everything else.
"""

from nz_explorer.model.fill_values.decoding import decode_fill, decode_storage_fill
from nz_explorer.model.fill_values.fill_value import MISSING, FillProblem, FillValue
from nz_explorer.model.fill_values.matching import is_zero, matches, same_value
from nz_explorer.model.fill_values.spelling import value_text

__all__ = [
    "MISSING",
    "FillProblem",
    "FillValue",
    "decode_fill",
    "decode_storage_fill",
    "is_zero",
    "matches",
    "same_value",
    "value_text",
]
