"""Builds the documentation from what exists: ``make docs`` writes ``build/docs/site``.

The guide is the README and the notebooks, the API comes from docstrings, the rules from the catalogues of
all conventions. Pages are assembled in ``build/docs/pages``; nothing there is written by hand. Any
warning of Sphinx is an error.
"""

from __future__ import annotations

import re
import shutil
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import MarkdownExporter
from sphinx.cmd.build import main as sphinx

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from docs.matrix import matrix  # noqa: E402
from nz_explorer.conventions import registry  # noqa: E402
from nz_explorer.diagnosis.symptoms import symptoms  # noqa: E402
from nz_explorer.engine.catalogue import RuleInfo  # noqa: E402
from nz_explorer.engine.convention import Convention  # noqa: E402
from tests.corpus.coverage import Sentence, texts  # noqa: E402
from tests.field.case import Case, cases  # noqa: E402

PAGES = ROOT / "build" / "docs" / "pages"
SITE = ROOT / "build" / "docs" / "site"
TEXTS = {
    "README.md": "index",
    "CONTRIBUTING.md": "contributing",
    "SECURITY.md": "security",
    "CHANGELOG.md": "changelog",
    "docs/pipelines.md": "pipelines",
    "docs/performance.md": "performance",
    "docs/other_implementations.md": "other_implementations",
    "notebooks/teach.ipynb": "teach",
    "notebooks/lecture.ipynb": "lecture",
    "notebooks/debug.ipynb": "debug",
    "nz_explorer/testing/corpus/FORMAT.md": "corpus",
}
"""Files of the repository → the pages that show them."""

API = {
    "Using it": {"nz_explorer": None},
    "Parts": {
        "nz_explorer.model": None,
        "nz_explorer.values": None,
        "nz_explorer.plots": None,
        "nz_explorer.netcdf": None,
        "nz_explorer.diagnosis": None,
        "nz_explorer.conventions": ["evaluate", "registry", "rules"],
    },
    "Adding a convention": {
        "nz_explorer.engine.convention": ["Convention"],
        "nz_explorer.engine.schema_convention": ["schema_convention"],
        "nz_explorer.engine.registry": ["rule", "RuleFunction", "Registry"],
        "nz_explorer.engine.findings": ["Fail", "Undecided"],
        "nz_explorer.engine.catalogue": ["RuleInfo", "Source"],
    },
}
"""Heading → module → the names that are shown of it; None for all that it offers."""

GUIDE = {
    "index": (
        "Three uses",
        "exploring, teaching and debugging, the command line, and what can be opened.",
    ),
    "symptoms": ("Symptoms", "from what you see to the rules that may explain it."),
    "pipelines": (
        "In pipelines",
        "exit codes, JSON Lines, GitHub, pre-commit, Snakemake, and ten thousand stores on a cluster.",
    ),
    "teach": (
        "From netCDF to Zarr, in half an hour",
        "a lesson with exercises, as a notebook that can be run.",
    ),
    "lecture": (
        "The lesson as slides",
        "twenty minutes of it, for the front of a room.",
    ),
    "debug": (
        "It worked yesterday",
        "five broken datasets from the symptom to a verified fix, as a notebook that can be run.",
    ),
    "corpus": (
        "The conformance corpus",
        "small stores and what a checker must find in them, for programs in any language.",
    ),
    "readers": ("What readers do", "with each case of the corpus."),
    "other_implementations": (
        "Stores of other implementations",
        "what was found in those that zarrs, zarr-java, zarrita and others ship, and what was decided.",
    ),
}
"""Pages of the guide, in their order → what they are called, and what is in them."""

STATUS = {
    "off": "It is evaluated only if it is selected.",
    "delegated": "Another rule reports it.",
    "output": "It is shown, and never a finding.",
    "planned": "It is not evaluated yet.",
}


def main() -> int:
    """Assemble the pages and build the site."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "notebooks" / "images", PAGES / "notebooks" / "images")
    shutil.copy(ROOT / "docs" / "growth.svg", PAGES)
    for source, page in TEXTS.items():
        write(page, text(ROOT / source, page))
    conventions = [one for one in registry().conventions.values() if own_rules(one)]
    for convention in conventions:
        write(f"rules/{convention.key}", rules_page(convention))
    write("rules/coverage", coverage_page())
    write("rules/index", rules_index(conventions))
    write("symptoms", symptoms_page())
    write("readers", readers_page(*matrix(ROOT / "build" / "docs" / "readers.json")))
    write("guide", guide_page())
    write("api", api_page())
    sections = [
        "guide",
        "rules/index",
        "api",
        "performance",
        "Security <security>",
        "contributing",
        "changelog",
    ]
    with (PAGES / "index.md").open("a", encoding="utf-8") as index:
        index.write(toctree(sections, hidden=True))
    return sphinx(["-W", "--keep-going", "-q", "-c", str(ROOT / "docs"), str(PAGES), str(SITE)])


def write(page: str, content: str) -> None:
    """Write a page."""
    file = PAGES / f"{page}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, "utf-8")


def text(source: Path, page: str) -> str:
    """Return a file of the repository as a page, with its links leading to pages."""
    if source.suffix == ".ipynb":
        exporter = MarkdownExporter()
        found, resources = exporter.from_notebook_node(
            nbformat.read(source, as_version=4), {"output_files_dir": f"{page}_files"}
        )
        for name, content in resources["outputs"].items():
            file = PAGES / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    else:
        found = source.read_text("utf-8")
    for name, target in TEXTS.items():
        found = re.sub(rf"\]\({re.escape(name)}(#[\w-]*)?\)", rf"]({target}.md\1)", found)
    return found


def toctree(pages: list[str], *, hidden: bool = False) -> str:
    """Return a table of contents."""
    option = ":hidden:\n" if hidden else ":maxdepth: 1\n"
    return f"\n```{{toctree}}\n{option}\n" + "\n".join(pages) + "\n```\n"


def guide_page() -> str:
    """Return the page that leads to what can be read on using the explorer."""
    items = "\n".join(f"* [{title}]({page}.md): {about}" for page, (title, about) in GUIDE.items())
    pages = [page for page in GUIDE if page != "index"]
    return f"# Guide\n\n{items}\n{toctree(pages, hidden=True)}"


# --- rules --------------------------------------------------------------------------------------


def own_rules(convention: Convention) -> list[RuleInfo]:
    """Return the rules that a convention describes itself."""
    from nz_explorer.engine.catalogue import read

    described = [info for file in convention.catalogue for info in read(file).values()]
    return [*described, *convention.infos]


@cache
def pages_of_rules() -> dict[str, str]:
    """Return by the id of a rule the name of the page that describes it."""
    return {rule.id: one.key for one in registry().conventions.values() for rule in own_rules(one)}


def linked(rule_id: str) -> str:
    """Return a link to where a rule is described."""
    return f"[{rule_id}]({pages_of_rules()[rule_id]}.md#{rule_id.lower()})"


def rules_index(conventions: list[Convention]) -> str:
    """Return the page that leads to the rules of each convention."""
    rows = []
    for one in conventions:
        found = own_rules(one)
        prefixes = ", ".join(dict.fromkeys(info.family for info in found))
        title = f"[{plain(one.name)}]({one.key}.md) | {plain(one.title)}"
        rows.append(f"| {title} | {prefixes} | {len(found)} |")
    said = (
        "What `nz-explorer check` looks at. A rule has the level of the text that it comes from: breaking a MUST is an error,"
        " breaking a SHOULD a warning, and what is only worth knowing is information. `nz-explorer explain NZ-DIM-010` prints a rule."
    )
    table = ["| Convention | | Ids begin with | Rules |", "| --- | --- | --- | --- |", *rows]
    sentences = (
        "[Sentence by sentence](coverage.md) shows which rules look at each sentence of the texts."
    )
    pages = toctree([*(one.key for one in conventions), "coverage"], hidden=True)
    return "\n\n".join(["# Rules", said, "\n".join(table), sentences, pages])


def rules_page(convention: Convention) -> str:
    """Return the page with all rules of a convention."""
    parts = [f"# {convention.name}", plain(convention.title)]
    parts += [rule for info in own_rules(convention) for rule in described(info)]
    return "\n\n".join(parts) + "\n"


def described(info: RuleInfo) -> list[str]:
    """Return the paragraphs on one rule."""
    facts = (
        f"{plain(str(info.source))} · {plain(info.level)} · {info.severity} · about: {info.scope}"
    )
    parts = [f"({info.id.lower()})=\n## {info.id}: {plain(info.title)}", facts]
    parts += [plain(info.statement)] if info.statement else []
    parts += [f"**Why.** {plain(info.rationale)}"] if info.rationale else []
    parts += [f"**What is noticed.** {plain('; '.join(info.noticed))}."] if info.noticed else []
    if info.status in STATUS:
        parts.append(f"**{STATUS[info.status]}** {plain(info.reason)}".rstrip())
    examples = zip(info.example_titles, (info.bad_example, info.good_example), strict=True)
    for title, example in examples:
        if example:
            parts.append(f"**{title}**\n\n{fenced(example)}")
    parts += ["\n".join(f"* *{plain(name)}* {plain(does)}" for name, does in info.readers.items())]
    known = [other for other in info.see_also if other in registry().rules]
    if known:
        parts.append(f"See also: {', '.join(map(linked, known))}")
    return [part for part in parts if part]


def coverage_page() -> str:
    """Return the page with each sentence of the texts and the rules that look at it."""
    parts = [
        "# Sentence by sentence",
        "Each sentence of a text, with the rules that look at it, or the reason why no dataset can break it.",
    ]
    for name, sentences in texts().items():
        parts.append(f"## {plain(name)}")
        rows = [
            f"| {sentence.section} | {plain(sentence.says)} | {looked_at(sentence)} |"
            for sentence in sentences
        ]
        parts.append("\n".join(["| Section | Sentence | Rules |", "| --- | --- | --- |", *rows]))
    return "\n\n".join(parts) + "\n"


def readers_page(cases: list[dict[str, Any]], found: dict[str, dict[str, Any]]) -> str:
    """Return the page with what readers do with each case of the corpus."""
    tried = [name for name in found if found[name]["version"]]
    others = [name for name in found if name not in tried]
    versions = ", ".join(f"{name} {found[name]['version']}" for name in tried)
    parts = [
        "# What readers do",
        (
            f"Each case of [the conformance corpus](corpus.md), and what {versions} does with it: in a process of its own, with"
            " limits of time and memory, all groups are opened, and the first and the last chunk of each array are read. ✓: it"
            " reads everything; nothing: not tried. Most cases have no chunks, and zarrita looks for a codec only when it decodes one. That a reader reads a store does not mean that the values are right, nor that the store keeps a"
            " convention."
        ),
        f"Not installed where this page was made, or not tried: {', '.join(others)}."
        if others
        else "",
    ]
    parts += _refused_alone(cases, found)
    of_family: dict[str, list[str]] = {}
    for case in cases:
        answers = [found[name]["cases"].get(case["key"], "") for name in tried]
        shown = ["✓" if one == "reads" else plain(one.replace("`", "'")) for one in answers]
        name = plain(case["name"].removeprefix(f"{case['rule']}: "))
        row = f"| {case['rule']} | {name} | {case['kind']} | {' | '.join(shown)} |"
        of_family.setdefault(case["rule"].partition("-")[0], []).append(row)
    for family, rows in of_family.items():
        head = f"| Rule | Case | Kind | {' | '.join(tried)} |"
        parts += [f"## {family}", "\n".join([head, "| --- " * (3 + len(tried)) + "|", *rows])]
    return "\n\n".join(filter(None, parts)) + "\n"


NOT_PYTHON = ("tensorstore", "GDAL", "zarrita")
MOST_CASES = 3


def _refused_alone(cases: list[dict[str, Any]], found: dict[str, dict[str, Any]]) -> list[str]:
    """Return tables of what readers refuse that zarr-python and xarray read."""
    parts: list[str] = []
    for name in NOT_PYTHON:
        by_error: dict[str, list[str]] = {}
        for case in cases:
            python = [found[one]["cases"].get(case["key"]) for one in ("zarr-python", "xarray")]
            answer = found[name]["cases"].get(case["key"], "reads")
            if python == ["reads", "reads"] and answer != "reads" and not answer.startswith("–"):
                error = re.sub(r" \([^()]*\)$", "", answer)
                by_error.setdefault(error, []).append(case["name"])
        rows = [
            f"| {plain(error.replace('`', chr(39)))} | {len(names)} | {plain('; '.join(names[:MOST_CASES]))} |"
            for error, names in sorted(by_error.items(), key=lambda one: -len(one[1]))
        ]
        if rows:
            head = f"## What {name} refuses, and zarr-python and xarray read"
            parts += [
                head,
                "\n".join(["| Error | Cases | Such as |", "| --- | --- | --- |", *rows]),
            ]
    return parts


def looked_at(sentence: Sentence) -> str:
    """Return which rules look at a sentence, or why none does."""
    links = ", ".join(map(linked, sentence.rules))
    return " ".join(filter(None, (links, plain(sentence.none), plain(sentence.note))))


def plain(sentence: str) -> str:
    """Return a sentence of the catalogue as Markdown that shows it as it is; backquotes are code."""
    parts = re.split(r"(`[^`]*`)", " ".join(sentence.split()))
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_<>\[\]#$|{}])", r"\\\1", part)
        for part in parts
    )


def fenced(example: str) -> str:
    """Return an example as it is written."""
    return f"````text\n{example.strip()}\n````"


# --- symptoms -----------------------------------------------------------------------------------


def symptoms_page() -> str:
    """Return the page with all symptoms, the rules that may be why, and failures that people reported."""
    home = pages_of_rules()
    reported = cases()
    said = (
        "What people notice, the rules that may explain it, and failures that were reported in public. Each of those was rebuilt as a"
        f" small store, and a test checks that `nz-explorer check` names its cause first. There are {len(reported)} of them,"
        f" from {len({case.project for case in reported})} projects. In the widget, the Findings tab asks what you see and offers"
        " the same list; the findings that may cause it then come first."
    )
    parts = ["# Symptoms", said]
    shown: set[str] = set()
    for symptom in symptoms():
        parts.append(f"## {plain(symptom.text)}")
        links = [
            f"[{rule.id}](rules/{home[rule.id]}.md#{rule.id.lower()}) {plain(rule.title)}"
            for rule in registry().rules.values()
            if rule.works and symptom.may_come_from(rule.id) and rule.impact in ("blocks", "values")
        ]
        parts.append("\n".join(f"* {link}" for link in links))
        here = [c for c in reported if symptom.may_come_from(c.rule) and c.name not in shown]
        shown |= {case.name for case in here}
        parts.append("\n".join(reported_line(case, home) for case in here))
    parts.append((Path(__file__).parent / "untold.md").read_text("utf-8").rstrip())
    return "\n\n".join(part for part in parts if part) + "\n"


def reported_line(case: Case, home: dict[str, str]) -> str:
    """Return a reported failure as an item of a list."""
    rule = (
        f"[{case.rule}](rules/{home[case.rule]}.md#{case.rule.lower()})"
        if case.rule in home
        else case.rule
    )
    mended = {True: " The fix was seen to work.", False: ""}[bool(case.after)]
    return (
        f"* *{plain(case.symptom)}* ([{case.source}]({case.url})): {rule} at `{case.path}`.{mended}"
    )


# --- API ----------------------------------------------------------------------------------------


def api_page() -> str:
    """Return the page with the public names and their docstrings."""
    parts = ["# API"]
    for title, modules in API.items():
        parts.append(f"## {title}")
        for module, chosen in modules.items():
            names = chosen or import_module(module).__all__
            directives = "\n\n".join(directive(module, name) for name in names)
            parts.append(f"### {module}\n\n```{{eval-rst}}\n{directives}\n```")
    return "\n\n".join(parts) + "\n"


def directive(module: str, name: str) -> str:
    """Return the reStructuredText that shows one name of a module."""
    value = getattr(import_module(module), name)
    if isinstance(value, type):
        return f".. autoclass:: {module}.{name}\n   :members:"
    return f".. auto{'function' if callable(value) else 'data'}:: {module}.{name}"


if __name__ == "__main__":
    sys.exit(main())
