"""The session: one open hierarchy, the walk through it, and the conversation about it."""

from nz_explorer.widget.session.session import Session

__all__ = ["Session"]
