"""Settings of a project: the table ``[tool.nz-explorer]`` of its ``pyproject.toml``.

.. code-block:: toml

    [tool.nz-explorer]
    select = ["NZ", "Z3"]
    ignore = ["NZ-NAME"]
    profile = ["strict_marked", "z2_text=current"]

    [tool.nz-explorer.severity]
    "NZ-DIM-008" = "error"

    [tool.nz-explorer.per-path-ignores]
    "/raw/*" = ["NZ-ATTR", "NZ-FILL-006"]
"""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from nz_explorer.engine.catalogue import has_prefix
from nz_explorer.engine.findings import SEVERITIES, Severity
from nz_explorer.store.local.places import store_around

MEMBERS = ("select", "ignore", "severity", "per-path-ignores", "profile")


class ConfigurationError(ValueError):
    """The configuration cannot be understood."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings of a project.

    Attributes
    ----------
    select, ignore : tuple of str
        Rules by id or prefix.
    severity : mapping
        Another severity for rules, by id or prefix; the longest prefix decides.
    per_path_ignores : mapping
        Rules that are not reported on nodes whose path fits a pattern, such as ``/raw/*``.
    profile : tuple of str
        Other readings of texts that contradict themselves.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_path_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    profile: tuple[str, ...] = ()

    def severity_of(self, rule_id: str) -> Severity | None:
        """Return the severity that the project gives a rule, None where there is none."""
        fitting = [prefix for prefix in self.severity if has_prefix(rule_id, prefix)]
        return self.severity[max(fitting, key=len)] if fitting else None

    def ignores(self, rule_id: str, path: str) -> bool:
        """Whether findings of a rule are not wanted at a path.

        Parameters
        ----------
        rule_id : str
            Id of the rule.
        path : str
            Absolute path of the node.
        """
        return any(
            fnmatch.fnmatchcase(path, pattern) and any(has_prefix(rule_id, p) for p in prefixes)
            for pattern, prefixes in self.per_path_ignores.items()
        )


def find(folder: Path, rules: Collection[str]) -> Configuration:
    """Return the configuration of the nearest ``pyproject.toml`` with one, at a folder or above it.

    One that lies in a store does not count: with it a store could suppress findings about itself.

    Parameters
    ----------
    folder : Path
        Where the search begins.
    rules : collection of str
        Ids of the rules that are known.

    Raises
    ------
    ConfigurationError
        If it cannot be understood.
    """
    store = store_around(folder)
    start = folder if store is None else store.parent
    for place in (start, *start.parents):
        file = place / "pyproject.toml"
        if not file.is_file():
            continue
        try:
            table = tomllib.loads(file.read_text("utf-8")).get("tool", {}).get("nz-explorer")
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{file}: {error}") from error
        if table is not None:
            return parse(table, rules, str(file))
    return Configuration()


def parse(table: Any, rules: Collection[str], origin: str = "pyproject.toml") -> Configuration:
    """Return a configuration from a table.

    Parameters
    ----------
    table
        As TOML has it.
    rules : collection of str
        Ids of the rules that are known.
    origin : str
        The file, for messages.

    Raises
    ------
    ConfigurationError
        If it has members or values that mean nothing.
    """
    where = f"{origin}, [tool.nz-explorer]"
    if not isinstance(table, dict):
        raise ConfigurationError(f"{where} must be a table")
    unknown = [member for member in table if member not in MEMBERS]
    if unknown:
        raise ConfigurationError(
            f"{where}: {unknown[0]} is not known; known are {', '.join(MEMBERS)}"
        )
    severity = table.get("severity", {})
    paths = table.get("per-path-ignores", {})
    if not isinstance(severity, dict) or not isinstance(paths, dict):
        raise ConfigurationError(f"{where}: severity and per-path-ignores must be tables")
    for prefix, word in severity.items():
        _check_prefix(prefix, rules, where)
        if word not in SEVERITIES:
            raise ConfigurationError(
                f"{where}: the severity of {prefix} must be {', '.join(SEVERITIES)}, not {word!r}"
            )
    return Configuration(
        _prefixes(table.get("select", []), rules, where),
        _prefixes(table.get("ignore", []), rules, where),
        cast("dict[str, Severity]", severity),
        {pattern: _prefixes(prefixes, rules, where) for pattern, prefixes in paths.items()},
        _listed(table.get("profile", []), where, "profile"),
    )


def _prefixes(given: Any, rules: Collection[str], where: str) -> tuple[str, ...]:
    prefixes = _listed(given, where, "rules")
    for prefix in prefixes:
        _check_prefix(prefix, rules, where)
    return prefixes


def _listed(given: Any, where: str, what: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise ConfigurationError(f"{where}: {what} must be a list of strings, not {given!r}")
    return tuple(given)


def _check_prefix(prefix: str, rules: Collection[str], where: str) -> None:
    if not any(has_prefix(rule_id, prefix) for rule_id in rules):
        raise ConfigurationError(f"{where}: no rule is called {prefix!r} or starts with it")
