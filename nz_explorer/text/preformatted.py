"""Text as a notebook shows it."""

from __future__ import annotations

import html

MOST_LINES = 200
"""Lines of one output: what a person reads in a notebook, where files have all."""


def preformatted(text: str, more: str = "") -> str:
    """Return text as HTML that keeps its lines and does nothing else.

    Parameters
    ----------
    text : str
        What is shown, at most its first 200 lines.
    more : str, optional
        Where the rest is, for texts that are longer.
    """
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"… {len(lines) - MOST_LINES:,} more lines{more and f': {more}'}"]
    return f'<pre style="white-space: pre-wrap">{html.escape(chr(10).join(lines))}</pre>'
