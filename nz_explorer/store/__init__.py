"""Where bytes come from: any source becomes a reader of keys; what a group is, is not known here."""

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import Cancelled, ReadError, SourceError, TooLarge
from nz_explorer.store.reader import Counters, Listing, Reader
from nz_explorer.store.resolve import resolve, url_modes, without_fragment

__all__ = [
    "Cancellation",
    "Cancelled",
    "Counters",
    "Listing",
    "ReadError",
    "Reader",
    "SourceError",
    "TooLarge",
    "resolve",
    "url_modes",
    "without_fragment",
]
