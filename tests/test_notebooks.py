"""The notebooks run, their exercises can be solved, and what is saved makes sense without a kernel."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from tests.notebooks import NOTEBOOKS, SOLUTION, WIDGET, printed, read, run

NAMES = ("explore.ipynb", "teach.ipynb", "debug.ipynb")

WRONG = {
    "answer-1": "check_sharing({'rlat', 'depth'})\ncheck_sharing({'rlat'})\ncheck_sharing({'nothing'})\ncheck_sharing('rlat')\ncheck_sharing(7)\ncheck_sharing({7, 'nothing'})\ncheck_sharing({'/ocean/rlat'})\ncheck_sharing('rlat, latitude')\ncheck_sharing({'rotated_pole'})",
    "answer-2": "check_coordinates({'lat', 'time'})\ncheck_coordinates(set())\ncheck_coordinates({'x'})\ncheck_coordinates('time')\ncheck_coordinates(None)\ncheck_coordinates({'air_temperature'})\ncheck_coordinates(stations)\ncheck_coordinates({'/stations/time'})",
    "answer-3": "check_conflict(True)\ncheck_conflict('no')",
    "answer-4": "check_lost(5658)\ncheck_lost(-1)\ncheck_lost(values.data == 0)\ncheck_lost(values)\ncheck_lost('5')",
    "answer-5": "check_enum('/nowhere')\ncheck_enum('/analysis/lat')\ncheck_enum('/analysis/quality')\ncheck_enum('/analysis')\ncheck_enum('cloud_type')\ncheck_enum(store['/analysis'])",
    "answer-6": "check_declared('ab')\ncheck_declared('abe')\ncheck_declared('z')\ncheck_declared('a, b, c')\ncheck_declared(6)",
    "answer-7": "mine.what_if.set('/', '/attributes/conventions', 'NZ-1.0')\ncheck_mine()\nmine.what_if.set('/', '/conventions', 'NZ-1.0')\ncheck_mine()\nmine.what_if.reset()",
}
"""Wrong answers to each exercise of the lesson."""

NESTED = {
    "answer-1": "check_sharing([['rlat']])",
    "answer-2": "check_coordinates([['time']])",
    "answer-4": "check_lost([1, 2])",
    "answer-6": "check_declared([['a']])",
}
"""Answers that cannot be put into a set or compared with a number: they get a hint as well."""


def with_answers(notebook: NotebookNode) -> NotebookNode:
    """Add to each unanswered exercise, after its cell, wrong answers and the solution."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (solution := SOLUTION.search(cell.source)):
            name = cells[-1].id
            cells.append(new_code_cell(WRONG[name], id=f"wrong-{name}"))
            cells.append(new_code_cell(NESTED.get(name, ""), id=f"nested-{name}"))
            cells.append(new_code_cell(solution[1], id=f"solved-{name}"))
        cells.append(cell)
    return NotebookNode({**notebook, "cells": cells})


def test_the_lesson_knows_right_from_wrong_and_no_answer(tmp_path: Path) -> None:
    notebook = run(with_answers(read("teach.ipynb")), tmp_path)
    unanswered, wrong, solved = (printed(notebook, p) for p in ("answer", "wrong", "solved"))
    assert set(unanswered) == set(WRONG)
    nested = printed(notebook, "nested")
    assert all(nested[f"nested-{name}"].startswith("✗") for name in NESTED), nested
    for name in WRONG:
        assert unanswered[name].startswith("○"), name
        hints = [line for line in wrong[f"wrong-{name}"].splitlines() if line]
        assert hints
        assert all(hint.startswith("✗") for hint in hints), hints
        assert len(set(hints)) == len(hints), "each mistake has a hint of its own"
        assert solved[f"solved-{name}"].startswith("✓"), solved[f"solved-{name}"]


def test_the_lecture_has_one_figure_a_slide(tmp_path: Path) -> None:
    notebook = run(copy.deepcopy(read("lecture.ipynb")), tmp_path)
    slides: list[list[NotebookNode]] = []
    for cell in notebook.cells:
        kind = cell.metadata.slideshow.slide_type
        if kind == "slide":
            slides.append([])
        if kind in ("slide", "-"):
            slides[-1].append(cell)
    pictures = [
        [
            one
            for cell in slide
            for one in cell.get("outputs", ())
            if "image/png" in one.get("data", {})
        ]
        for slide in slides
    ]
    shown = [cell.source.splitlines() for slide in slides for cell in slide if "outputs" in cell]
    assert max(len(lines) for lines in shown) <= 8, "more code leaves no room for the figure"
    assert max(len(line) for lines in shown for line in lines) <= 60, "longer lines are cut"
    assert 10 <= len(slides) <= 14
    assert all(len(found) <= 1 for found in pictures)
    # the title, a table and the end
    assert sum(len(found) for found in pictures) >= len(slides) - 3
    spoken = [
        cell.source for cell in notebook.cells if cell.metadata.slideshow.slide_type == "notes"
    ]
    minutes = {"One": 1, "Two": 2, "Three": 3}
    assert 18 <= sum(minutes[text.split()[0]] for text in spoken) <= 20
    exporter = pytest.importorskip("nbconvert").SlidesExporter()
    body, _ = exporter.from_notebook_node(notebook)
    assert body.count("<section>") >= len(slides)


def test_every_dataset_is_mended_and_xarray_then_reads_it(tmp_path: Path) -> None:
    notebook = run(copy.deepcopy(read("debug.ipynb")), tmp_path)
    text = {
        cell.id: "".join(
            one.get("text", "") + one.get("data", {}).get("text/plain", "") for one in cell.outputs
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
    symptoms = {
        "one": "conflicting sizes for dimension 'lat'",
        "two": "KeyError",
        "three": "['ice', 'temperature']",
        "four": "-47.68",
        "five": "JSONDecodeError",
    }
    causes = {
        "one": "NZ-DIM-010",
        "two": "NZ-DIM-001  /ice",
        "three": "NZ-CONS-003  /wind",
        "four": "NZ-FILL-003  /temperature",
        "five": "JSON-002  /temperature",
    }
    proofs = {
        "one": "humidity     (lat_edge, lon)",
        "two": "'ice' (lat: 10, lon: 20)",
        "three": "['ice', 'temperature', 'wind']",
        "four": "60)",
        "five": "'temperature' (lat: 10, lon: 20)",
    }
    for name, symptom in symptoms.items():
        assert symptom in text[f"{name}-break"] + text.get(f"{name}-other", "")
        assert causes[name] in text[f"{name}-cause"]
        assert proofs[name] in text[f"{name}-proof"]


def test_the_story_of_the_sea_says_what_its_cells_compute(tmp_path: Path) -> None:
    said = printed(run(copy.deepcopy(read("explore.ipynb")), tmp_path), "")
    assert "warmer by 0.26 K\nyears without any value: [2003]\n" in said["how-much-2"]
    assert "1990: 11.50 °C from  3 months   8.81 °C from 12 months\n" in said["real-1"]
    assert "2003: no data                  no data\n" in said["real-1"]
    assert said["answer-how-much"] == "warmer by 0.76 K\n"
    assert said["since-1"] == "since 1993, by 0.28 K in ten years\n"
    assert "array[42, " in said["code"]
    assert "array[0, " in said["code"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_needs_no_kernel(name: str) -> None:
    notebook = read(name)
    assert notebook.metadata.kernelspec.name == "python3"
    assert (NOTEBOOKS / name).stat().st_size < 1_000_000
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", ())]
    assert all(WIDGET not in one.get("data", {}) for one in outputs)
    assert not any(one.output_type == "error" for one in outputs)
    assert str(Path.home()) not in (NOTEBOOKS / name).read_text("utf-8") or Path.home() == Path("/")
    pages = [one["data"]["text/html"] for one in outputs if "Saved by nz_explorer" in str(one)]
    assert "temperature" in pages[0]
    assert all("Groups and arrays" in page for page in pages)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.execution_count is not None, f"{cell.id} was not run: make notebooks"
