"""``nz-explorer explain``."""

from __future__ import annotations

import re
import sys

import click

from nz_explorer.cli.console import columns

_ERROR = re.compile(r"(?:[a-z_]\w*\.)*[A-Z]\w*[a-z][A-Z]\w*")
"""The name of an exception, which is all that some readers say: no rule has a name like it."""


@click.command()
@click.argument("rule", required=False)
@click.option(
    "--all", "every", is_flag=True, help="List all rules, also those that do not work yet."
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the reports of check.")
def explain(rule: str | None, every: bool, schema: bool) -> None:
    """Explain a RULE: what it requires, why, where it comes from, and how to follow it.

    In place of a rule, the message of a reader or what is noticed, in quotes, lists the rules that may be why.
    """
    if schema:
        from nz_explorer.report.report import schema_text

        click.echo(schema_text(), nl=False)
        return
    from nz_explorer.conventions import registry
    from nz_explorer.report.formats.text import causes_text, rule_text, rules_text

    color = sys.stdout.isatty()
    width = columns() if color else None
    if every or rule is None:
        if not every:
            raise click.UsageError("name a rule, such as NZ-DIM-010, or ask for --all")
        click.echo(rules_text(registry().rules.values(), color=color, width=width), nl=False)
        return
    found = registry().find(rule)
    if not found and (" " in rule.strip() or _ERROR.fullmatch(rule)):
        from nz_explorer.diagnosis.symptoms import meaning_of, report_like, rules_behind

        found, meaning = rules_behind(rule, registry().rules.values()), meaning_of(rule)
        if meaning:
            click.echo(meaning + ("\n" if found else ""))
        if meaning and not found:
            return
        if not found:
            raise click.UsageError(
                "no rule is known to be behind this; nz-explorer check looks for all of them"
            )
        click.echo(
            "What may be broken, the likeliest first (nz-explorer check STORE says which it is, and where):\n"
        )
        click.echo(causes_text(found, color=color, width=width), nl=False)
        click.echo(f"\nnz-explorer explain {found[0].id} says more about the first.")
        if report := report_like(rule):
            click.echo(f"Much the same was reported at {report.url} ({report.rule}).")
        return
    if not found:
        import difflib

        near = difflib.get_close_matches(rule.upper(), registry().rules, n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else "; explain --all lists all rules"
        raise click.UsageError(f"there is no rule {rule}{hint}")
    if len(found) == 1:
        click.echo(rule_text(found[0], color=color, width=width or 100), nl=False)
    else:
        click.echo(rules_text(found, color=color, width=width), nl=False)
