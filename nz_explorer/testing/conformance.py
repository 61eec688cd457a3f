"""An assertion that a dataset follows a convention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nz_explorer.report.check import check

if TYPE_CHECKING:
    from nz_explorer.report.report import Report


def assert_conforms(source: Any, convention: str = "NZ-1.0", **options: Any) -> Report:
    """Assert that a dataset declares a convention and follows it, and that everything it takes to say so was read.

    Parameters
    ----------
    source : object
        Whatever `nz_explorer.check` takes: a path, a store, an xarray object before it is written.
    convention : str
        The name of the convention as reports give it.
    **options
        As for `nz_explorer.check`.

    Returns
    -------
    Report
        The report, for further assertions.

    Raises
    ------
    AssertionError
        If it does not conform; the message is the report.
    SourceError
        If there is no Zarr hierarchy, or its root cannot be read.
    """
    __tracebackhide__ = True
    report = check(source, progress=False, **options)
    verdict = report.conforms.get(convention)
    if verdict is True:
        return report
    if convention not in report.conforms:
        known = ", ".join(report.conforms) or "none"
        said = f"{convention} was not checked (checked: {known})"
    elif verdict is None:
        said = f"whether it conforms to {convention} could not be told"
    else:
        said = f"does not conform to {convention}"
    raise AssertionError(f"{report.source}: {said}\n\n{report.to_text()}")
