"""The plugin of pytest: the fixture ``assert_conforms``. It imports nothing until a test asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from nz_explorer.report.report import Report


@pytest.fixture(scope="session")
def assert_conforms() -> Callable[..., Report]:
    """Assert that a dataset follows a convention; see `nz_explorer.testing.assert_conforms`."""
    from nz_explorer.testing import assert_conforms as function

    found: Callable[..., Any] = function
    return found
