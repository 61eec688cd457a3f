"""``nz-explorer bisect``."""

from __future__ import annotations

import json

import click

from nz_explorer.cli import options
from nz_explorer.cli.console import print_untrusted


@click.command()
@click.argument("source")
@click.argument("rule")
@click.option("--path", help="The node of the finding; any by default.")
@click.option("--branch", help="The branch whose history is searched; main by default.")
@click.option("--tag", help="The tag whose history is searched.")
@click.option("--snapshot", help="The snapshot whose history is searched.")
@options.json_or_text
def bisect(
    source: str,
    rule: str,
    path: str | None,
    branch: str | None,
    tag: str | None,
    snapshot: str | None,
    form: str,
) -> int:
    """Search the history of an Icechunk repository for the commit that brought a finding of RULE.

    The exit code is 1 if there is one, 0 if the newest version has no such finding.
    """
    from nz_explorer.conventions import rules
    from nz_explorer.report.bisection import bisect as search

    if rule not in rules():
        raise click.UsageError(f"there is no rule {rule}; nz-explorer explain --all lists them")
    given = {"branch": branch, "tag": tag, "snapshot": snapshot}
    found = search(source, rule, path=path, storage_options={k: v for k, v in given.items() if v})
    first = found.first
    if form == "json":
        result = {
            "rule": rule,
            "snapshot": first and first.snapshot,
            "commit": first and first.message,
            "written": first and first.written.isoformat(),
            "finding": found.message,
            "before": found.before and found.before.snapshot,
            "versions": found.versions,
            "checks": found.checks,
        }
        click.echo(json.dumps(result))
    elif first is None:
        click.echo(f"The newest of {found.versions} versions has no finding of {rule}.")
    else:
        print_untrusted(f"{first.snapshot} brought {rule}: {first.message}")
        print_untrusted(f"  {first.written:%Y-%m-%d %H:%M} UTC · {found.message}")
        before = f"{found.before.snapshot} has none" if found.before else "no version is older"
        click.echo(f"  {before} · {found.checks} of {found.versions} versions were checked")
    return int(first is not None)
