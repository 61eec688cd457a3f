"""What all messages share."""

from __future__ import annotations

from msgspec import Struct


class Message(Struct, forbid_unknown_fields=True):
    """What all messages share: unknown members are refused on both sides."""
