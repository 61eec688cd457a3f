"""What a violation means for the people who read the data.

``level`` and ``severity`` follow the text of the convention; the impact shows whether a common reader is affected.
How a rule states it is described in `nz_explorer.diagnosis.impact`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from nz_explorer.engine.catalogue import RuleInfo
    from nz_explorer.engine.findings import Severity, Violation

Impact = Literal["blocks", "values", "convention", "distance", "advice"]
IMPACTS: tuple[Impact, ...] = ("blocks", "values", "convention", "distance", "advice")
"""The gravest first."""
HARMS: tuple[Impact, ...] = ("blocks", "values")
"""Those that are about readers."""
HARMLESS = ("does not mind", "does not look", "ignores the attribute")
"""How the catalogue describes a reader that behaves as if all were well; beginnings."""
_RECOMMENDED = ("should", "recommended", "may", "optional", "info", "limit")


def impact_of_rule(info: RuleInfo, severity: Severity, *, undeclared: bool) -> Impact:
    """Return what breaking a rule means.

    Parameters
    ----------
    info : RuleInfo
        The rule. Its catalogue entry has the impact on readers; otherwise it follows from the rule's level.
    severity : str
        How bad it is in the case at hand.
    undeclared : bool
        Whether the dataset does not declare the convention of the rule.

    Returns
    -------
    str
        One of `IMPACTS`.
    """
    return info.impact or _impact_of_level(info.level, severity, undeclared=undeclared)


def impact_of(violation: Violation, *, undeclared: bool) -> Impact:
    """Return the impact of a violation: that of the case, else that of its rule.

    Parameters
    ----------
    violation : Violation
        A broken rule.
    undeclared : bool
        Whether the dataset does not declare the convention of the rule.
    """
    info, fail = violation.rule, violation.fail
    if fail.impact == "distance" and not undeclared:
        return "convention"
    if fail.impact is not None:
        return fail.impact
    if fail.readers is not None and not fail.readers and info.impact in HARMS:
        return _impact_of_level(info.level, violation.severity, undeclared=undeclared)
    return impact_of_rule(info, violation.severity, undeclared=undeclared)


def _impact_of_level(level: str, severity: Severity, *, undeclared: bool) -> Impact:
    recommended = level.lower().startswith(_RECOMMENDED)
    if severity == "info" or (severity == "warning" and recommended):
        return "advice"
    return "distance" if undeclared else "convention"


def affected(violation: Violation) -> tuple[str, ...]:
    """Return the readers that a violation hurts, where its impact is one of `HARMS`."""
    fail = violation.fail
    return violation.rule.affects if fail.readers is None else tuple(fail.readers)


def readers_of(violation: Violation) -> Mapping[str, str]:
    """Return what each reader does that does not behave as if all were well."""
    if violation.fail.readers is not None:
        return violation.fail.readers
    return {
        name: does for name, does in violation.rule.readers.items() if not does.startswith(HARMLESS)
    }
