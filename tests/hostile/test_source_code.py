"""No text of a store leaves a literal or a comment, in nothing that somebody may run or publish."""

from __future__ import annotations

import ast
import json
import math
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import nz_explorer as nz
from nz_explorer.cli import main
from nz_explorer.lab import launcher
from nz_explorer.model import Hierarchy, open_store
from nz_explorer.report.formats.sarif import report_sarif
from nz_explorer.store.writing import Edit, FolderWriter
from nz_explorer.text.source_code import comment, line, literal, noted, program, shell_command
from nz_explorer.widget.code import code
from tests.widget.conftest import Browse, browse  # noqa: F401  # a fixture
from tests.widget.test_pages import blocks, page

RUNS = "__import__('os').system('touch pwned')"
BREAKS = ("\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
"""What ends a line for `str.splitlines`; Python's own parser takes the first three."""
ENDINGS = (
    "'",
    '"',
    "'''",
    '"""',
    "')",
    '")',
    "\\",
    "#",
    "{}",
    "{0}",
    "{name}",
    "%s",
    "\x1b[2J",
    "\u202e",
)

hostile = st.one_of(
    st.tuples(st.sampled_from((*BREAKS, *ENDINGS)), st.sampled_from((*BREAKS, "", ";"))).map(
        lambda parts: f"a{parts[0]}{parts[1]}{RUNS}{parts[1]}#"
    ),
    st.text(min_size=1, max_size=30),
)


def is_name(text: str) -> bool:
    """Tell whether a text can be the name of a folder, and of a node."""
    return (
        0 < len(text.encode("utf-8", "replace")) < 200
        and text not in (".", "..")
        and not set("/\\\0") & set(text)
        and not text.startswith((".z", "zarr.json", "c"))
        and not any("\ud800" <= char <= "\udfff" for char in text)
    )


names = hostile.filter(is_name)


def write(folder: Path, text: Mapping[str, str], data_type: str) -> Path:
    """Write a store of which every text is one of a stranger."""
    store = folder / text["SOURCE"]
    group = {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": {text["ATTRIBUTE"]: text["UNITS"]},
    }
    array = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [2, 2, 2, 2],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2, 2, 2]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": "" if data_type == "string" else 0,
        "codecs": [{"name": "vlen-utf8" if data_type == "string" else "bytes"}],
        "dimension_names": [text[f"DIMENSION{axis}"] for axis in range(4)],
        "attributes": {
            "units": text["UNITS"],
            text["ATTRIBUTE"]: text["UNITS"],
            "_FillValue": text["FILL"] if data_type == "string" else [text["FILL"]],
        },
    }
    for key, document in (
        ("", group),
        (text["GROUP"], group),
        (f"{text['GROUP']}/{text['ARRAY']}", array),
    ):
        (store / key).mkdir(parents=True, exist_ok=True)
        (store / key / "zarr.json").write_text(json.dumps(document), "utf-8")
    return store


TWIN = {
    name: f"TWIN{name}"
    for name in (
        "SOURCE", "GROUP", "ARRAY", "ATTRIBUTE", "UNITS", "FILL",
        "DIMENSION0", "DIMENSION1", "DIMENSION2", "DIMENSION3",
    )
}  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> dict[str, str]:
    found = {name: draw(names) for name in ("SOURCE", "GROUP", "ARRAY")}
    found |= {name: draw(hostile) for name in ("ATTRIBUTE", "UNITS", "FILL")}
    dimensions = draw(st.lists(hostile, min_size=4, max_size=4, unique=True))
    return found | {f"DIMENSION{axis}": name for axis, name in enumerate(dimensions)}


EVERYWHERE = dict.fromkeys(TWIN, f"a\n{RUNS}\n#")


class Renamed(ast.NodeTransformer):
    """Puts the texts of a stranger where a benign program has those of the twin."""

    def __init__(self, text: Mapping[str, str]) -> None:
        self.text = text

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        value = node.value
        if isinstance(value, str):
            for name, twin in TWIN.items():
                value = value.replace(twin, self.text[name])
        return ast.copy_location(ast.Constant(value), node)


def snippets(store: Path, text: Mapping[str, str]) -> dict[str, str]:
    """Return all Python that is written of a store."""
    hierarchy = open_store(store)
    index = {text["DIMENSION0"]: 1, text["DIMENSION1"]: 1}
    found: dict[str, str] = {}
    for node in hierarchy.walk():
        for package in ("zarr", "xarray", "nz"):
            depth = 0 if node.path == "/" else node.path.count("/")
            found[f"{package} {depth}"] = getattr(code(hierarchy, node, index), package)
    found["notebook"] = launcher._source_notebook(str(store))["cells"][0]["source"]
    return found


@settings(max_examples=60, deadline=None)
@given(text=texts(), data_type=st.sampled_from(["float32", "string"]))
@example(
    text={**EVERYWHERE, **{f"DIMENSION{axis}": f"{axis}\n{RUNS}#" for axis in range(4)}},
    data_type="float32",
)
def test_snippets_are_those_of_a_benign_twin(text: dict[str, str], data_type: str) -> None:
    """But for the constants, which are the texts themselves, the syntax trees are equal."""
    with tempfile.TemporaryDirectory() as folder:
        shown = snippets(write(Path(folder), text, data_type), text)
        twins = snippets(write(Path(folder), TWIN, data_type), TWIN)
    assert shown.keys() == twins.keys()
    assert len(shown) == 10
    for name, source in shown.items():
        expected = Renamed(text).visit(ast.parse(twins[name]))
        assert ast.dump(ast.parse(source)) == ast.dump(expected), (name, source)
        assert all(char.isprintable() or char == "\n" for char in source), name
        assert source.count("\n") == twins[name].count("\n"), (name, source)


@pytest.mark.parametrize("pause", BREAKS)
def test_what_is_pasted_from_the_code_page_runs_nothing_of_the_store(
    browse: Browse,  # noqa: F811
    tmp_path: Path,
    pause: str,
) -> None:
    """The name of an array once stood in a comment as it is."""
    text = {**TWIN, "ARRAY": f"a{pause}open('pwned', 'w')"}
    store = write(tmp_path, text, "float32")
    shown = page(browse(store), "code", f"/{text['GROUP']}/{text['ARRAY']}")
    listed = [block["text"] for block in blocks(shown, "code") if block["language"] == "python"]
    assert len(listed) == 3
    assert "# xarray refuses this group" in listed[2]
    for source in listed:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        assert "open" not in {ast.unparse(call.func) for call in calls}
        assert not any(char != "\n" and not char.isprintable() for char in source)


def test_a_store_object_is_named_in_a_comment_of_its_own() -> None:
    """A comment in the middle of a call would take the rest of it away."""
    import zarr

    store = zarr.storage.MemoryStore()
    zarr.create_group(store).create_array("a", shape=(2,), dtype="f4")
    hierarchy: Hierarchy = open_store(store)
    for package in ("zarr", "xarray", "nz"):
        tree = ast.parse(getattr(code(hierarchy, hierarchy["/a"], {}), package))
        (opened,) = (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and ast.unparse(node.func) in ("zarr.open_array", "xr.open_zarr", "nz.explore")
        )
        assert ast.unparse(opened.args[0]) == "store"
        assert opened.keywords


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(values)
def test_literals_come_back(value: Any) -> None:
    text = literal(value)
    assert text.isprintable()
    assert repr(eval(text, {"__builtins__": {"float": float, "complex": complex}})) == repr(value)


class Pretends(str):
    """A text that says it is code."""

    __slots__ = ()

    def __repr__(self) -> str:
        return RUNS


def test_what_has_no_literal_is_refused() -> None:
    assert ast.literal_eval(literal(Pretends("x"))) == "x"
    with pytest.raises(TypeError, match="no literal of an object"):
        literal(object())
    assert literal(math.inf) == "float('inf')"


@given(hostile)
def test_comments_are_one_line(text: str) -> None:
    for written in (comment(text), noted(line("x = {}", text), text)):
        assert len(written.splitlines()) == 1
        assert written.isprintable()
    assert ast.parse(comment(text)).body == []
    assert len(ast.parse(noted("x = 1", text)).body) == 1


@pytest.mark.parametrize("lines", [["x = 1\ny = 2"], ["x = 1\u2028"], ["x = ("]])
def test_what_was_written_past_the_literals_is_noticed(lines: list[str]) -> None:
    with pytest.raises(ValueError, match=r"line break|not Python"):
        program(lines)


@given(st.lists(hostile, min_size=1, max_size=4))
def test_shell_commands_have_their_words(words: list[str]) -> None:
    command = shell_command("nz-explorer", *words)
    assert command.isprintable()
    back = shlex.split(command)
    assert len(back) == len(words) + 1
    for word, given_word in zip(back[1:], words, strict=True):
        assert word == given_word if given_word.isprintable() else word.isprintable()


@pytest.mark.parametrize(
    "name", ["a; touch pwned", "a  $(touch pwned) 'b", "a\ntouch pwned", "-rf"]
)
def test_the_command_that_a_message_advises_has_one_argument(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    FolderWriter(folder)._stage([Edit("zarr.json", (folder / "zarr.json").read_bytes(), b"{}")], [])
    told = CliRunner().invoke(main, ["fix", str(folder), "--dry-run"]).output
    assert len(told.splitlines()) == 1
    words = shlex.split(told[told.rindex("nz-explorer fix") :])
    assert words[:3] == ["nz-explorer", "fix", "--recover"]
    if name.isprintable():
        assert words[3:] == [str(folder)]
    assert len(words) == 4


@settings(max_examples=25, deadline=None)
@given(text=texts())
@example(
    text={
        **TWIN,
        "ARRAY": "`|` ![x](y) <b>",
        "ATTRIBUTE": "[x](javascript:1)\n\n# x",
        "UNITS": "```\n| a |",
    }
)
def test_reports_have_the_structure_of_a_benign_twin(text: dict[str, str]) -> None:
    """Markdown as GitHub reads it: no link, heading, row or markup comes from a text."""
    with tempfile.TemporaryDirectory() as folder:
        reports = [
            nz.check(write(Path(folder), one, "float32"), "nz", progress=False)
            for one in (text, TWIN)
        ]
        rendered = [report.to_markdown() for report in reports]
        logs = [json.dumps(report_sarif([report])) for report in reports]
    for report, markdown, log in zip(reports, rendered, logs, strict=True):
        tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
        kinds = [token.type for token in tokens]
        sections = sum(bool(those) for those in report.by_impact.values())
        assert kinds.count("heading_open") == 1 + sections
        assert kinds.count("tr_open") == len(report.findings) + sections
        inline = {child.type for token in tokens for child in token.children or ()}
        strong = {"strong_open", "strong_close"}  # the names of readers
        assert inline <= {"text", "code_inline", "text_special", "softbreak", "entity"} | strong, (
            inline
        )
        assert not any("](" in m.replace("\\](", "") for m in sarif_messages(log))


def sarif_messages(log: str) -> list[str]:
    (run,) = json.loads(log)["runs"]
    return [result["message"]["text"] for result in run["results"]]
