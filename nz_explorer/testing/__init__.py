"""Checks of datasets in the tests of other projects: ``assert_conforms``, also as a fixture of pytest."""

from nz_explorer.testing.conformance import assert_conforms

__all__ = ["assert_conforms"]
