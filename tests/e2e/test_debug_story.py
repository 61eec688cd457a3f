"""A pipeline failed this morning: from the symptom to the saved fix, with what is on the screen."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.e2e.lab import Explorer, OpenNotebook


def test_from_symptom_to_saved_fix(
    notebook: OpenNotebook, broken_store: Path, tmp_path: Path
) -> None:
    store = Path(shutil.copytree(broken_store, tmp_path / "archive.zarr"))
    document = store / "forecast" / "gusts" / "zarr.json"
    before = document.read_bytes()
    book = notebook([f'import nz_explorer as nz\n\nex = nz.explore({str(store)!r}, mode="r+")\nex'])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    explorer.wait_until_done()

    # The symptom: the gusts stand on no map.
    explorer.item("forecast").click()
    explorer.item("gusts").click()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile(r"over dim_0 \(73\)"))

    # The cause, and the line where it should be.
    panel = choose_symptom(explorer, "phony")
    finding = panel.get_by_role("list", name="Findings").locator("[data-rule=NZ-DIM-001]")
    finding.get_by_role("button").click()
    panel.get_by_role("button", name=re.compile("^Show me: NZ-DIM-001")).click()
    expect(explorer.tab("Metadata")).to_have_attribute("aria-selected", "true")
    expect(panel.get_by_role("list", name="Findings in this document")).to_contain_text(
        "NZ-DIM-001"
    )

    # What would cure it, tried in memory.
    explorer.show("Findings")
    finding.get_by_role("button").click()
    panel.get_by_role("button", name="Try it").click()
    changes = explorer.root.get_by_role("dialog", name="Changes")
    gone = changes.get_by_role("table", name="Gone findings")
    expect(gone).to_contain_text("NZ-DIM-001")
    expect(changes.get_by_role("img", name=re.compile("^Before: .*dim_0"))).to_be_visible()
    expect(changes.get_by_role("img", name=re.compile("^After: .*lat"))).to_be_visible()
    banner = explorer.root.get_by_role("region", name="Edits")
    expect(banner).to_contain_text("1 edit tried, nothing written")
    assert document.read_bytes() == before

    # The picture itself, with and without.
    explorer.show("Plot")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile(r"over lat \(90 to -90"))
    banner.get_by_role("radio", name="As stored").click()
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("dim_0"))
    banner.get_by_role("button", name="Undo").click()
    expect(banner).to_have_count(0)

    # Written by hand instead; what is no JSON is said with its line.
    write_by_hand(explorer)
    expect(banner).to_contain_text("1 edit tried")
    expect(panel.get_by_role("alert")).to_have_count(0)
    banner.get_by_role("button", name="Update the consolidated copy").click()
    expect(banner).to_contain_text("2 edits tried")

    # Saved, after it was said what is written.
    banner.get_by_role("button", name="Save to the store").click()
    saving = explorer.root.get_by_role("dialog", name="Save to the store")
    listed = saving.get_by_role("list", name="Documents to write")
    expect(listed).to_contain_text("forecast/gusts/zarr.json")
    saving.get_by_role("button", name="Write 2 documents").click()
    expect(changes).to_contain_text("2 documents written: forecast/gusts/zarr.json, zarr.json.")
    expect(banner).to_have_count(0)
    assert json.loads(document.read_text())["dimension_names"] == ["lat", "lon"]
    explorer.show("Plot")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile(r"over lat \(90 to -90"))


def choose_symptom(explorer: Explorer, word: str) -> Locator:
    """Choose the first symptom that a word finds, by keyboard; what causes it then comes first."""
    panel = explorer.show("Findings")
    box = panel.get_by_role("combobox", name="What do you see?")
    box.fill(word)
    expect(
        panel.get_by_role("listbox", name="Symptoms").get_by_role("option").first
    ).to_be_visible()
    box.press("Enter")
    expect(panel.get_by_title("Findings that may cause it")).to_have_text(re.compile(r"\d+ of \d+"))
    return panel


def write_by_hand(explorer: Explorer) -> None:
    """Name the dimensions in the document itself, with a slip on the way."""
    panel = explorer.show("Metadata")
    panel.get_by_role("button", name="Edit", exact=True).click()
    area = panel.get_by_role("textbox", name="Edit forecast/gusts/zarr.json")
    names = '"dimension_names": ["lat", "lon"],\n  "zarr_format": 3'
    named = area.input_value().replace('"zarr_format": 3', names)
    area.fill(named.replace('"lon"]', '"lon"'))
    expect(panel.get_by_role("alert")).to_contain_text(re.compile(r"Not JSON.*line \d+"))
    area.fill(named)
