"""For everyone: checked with axe-core, walked through by keyboard, looked at narrow and wide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from nz_explorer.widget.explorer import PANELS
from tests.e2e.lab import Explorer, Notebook, OpenNotebook, eventually

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
CHECK = """async rules => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const only = rules.length ? { type: "rule", values: rules } : { type: "tag", values: tags };
    const { violations } = await axe.run(".nzx", { runOnly: only, resultTypes: ["violations"], preload: false });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}"""
SETTLED = """() => {
    const panel = document.querySelector(".nzx [role=tabpanel]");
    const text = panel.innerText.trim();
    return text !== "" && !/Reading…|Looking for/.test(text) && !panel.querySelector("[aria-busy=true]");
}"""
THEME = """theme => jupyterapp.commands.execute(
    "apputils:change-theme", { theme: theme === "dark" ? "JupyterLab Dark" : "JupyterLab Light" })"""
TOO_WIDE = """() => {
    const root = document.querySelector(".nzx");
    const { left, right } = root.getBoundingClientRect();
    const scrolls = element => {  // what stands out of something that scrolls can be scrolled to
        for (let up = element.parentElement; up !== root; up = up.parentElement)
            if (/auto|scroll/.test(getComputedStyle(up).overflowX)) return true;
        return false;
    };
    return [...root.querySelectorAll("button, input, select, canvas, p, td, th")]
        .filter(element => element.checkVisibility())
        .filter(element => {
            const box = element.getBoundingClientRect();
            return box.width > 1 && (box.right > right + 1 || box.left < left - 1) && !scrolls(element);
        })
        .map(element => element.outerHTML.slice(0, 160));
}"""


@pytest.fixture
def broken(notebook: OpenNotebook, broken_store: Path) -> tuple[Notebook, Explorer]:
    """The broken dataset in an explorer."""
    book = notebook([f"import nz_explorer as nz\n\nex = nz.explore({str(broken_store)!r})\nex"])
    book.run_all()
    explorer = Explorer(book.widgets.first)
    expect(explorer.tree).to_be_visible()
    explorer.wait_until_done()
    return book, explorer


def show(book: Notebook, explorer: Explorer, path: str, panel: str) -> None:
    book.tell(f"ex.path, ex.panel = {path!r}, {panel!r}")
    book.page.wait_for_function(SETTLED)


def test_axe_finds_nothing_in_any_panel(broken: tuple[Notebook, Explorer]) -> None:
    book, explorer = broken
    assert AXE.is_file(), "run: make js"
    book.page.evaluate(AXE.read_text("utf-8"))
    found: dict[str, list[str]] = {}
    # All rules in the light; what depends on colours in the dark, too.
    for theme, rules in (("dark", ["color-contrast"]), ("light", [])):
        book.page.evaluate(THEME, theme)
        expect(explorer.root).to_have_attribute("data-scheme", theme)
        for path in ("/forecast", "/forecast/temperature"):
            for panel in PANELS:
                show(book, explorer, path, panel)
                violations = book.page.evaluate(CHECK, rules)
                if violations:
                    found[f"{theme} {path} {panel}"] = violations
    assert found == {}


def test_nothing_is_cut_off_from_480_to_2000_pixels(broken: tuple[Notebook, Explorer]) -> None:
    book, explorer = broken
    for width in (480, 900, 2000):
        book.page.set_viewport_size({"width": width, "height": 1000})
        for path, panel in (("/forecast", "findings"), ("/ocean/salinity", "plot")):
            show(book, explorer, path, panel)
            eventually(book.page, lambda: not book.page.evaluate(TOO_WIDE))
            assert book.page.evaluate(TOO_WIDE) == [], f"{panel} at {width} pixels"


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused(page: Page, role: str, name: str | re.Pattern[str]) -> None:
    """Press Tab until that has the focus; everything must be within reach of it."""
    target = page.locator(".nzx").first.get_by_role(role, name=name, exact=True)
    for _ in range(60):
        if target.evaluate_all("found => found.some(one => one === document.activeElement)"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not come to the {role} {name}")


def test_the_keyboard_is_enough(broken: tuple[Notebook, Explorer]) -> None:
    """From the tree to a finding, its line in the document, a search and a picture, never with a mouse."""
    book, explorer = broken
    page = book.page
    explorer.root.get_by_role("button", name="Hide the tree").focus()  # where Tab enters the widget

    focused(page, "tree", "Groups and arrays")
    press(page, "Home", "f")  # type-ahead
    press(page, "Enter")
    expect(explorer.selected).to_have_attribute("data-path", "/forecast")
    focused(page, "tab", "Plot")
    press(page, "ArrowRight", "ArrowRight")
    expect(explorer.tab("Findings")).to_have_attribute("aria-selected", "true")
    focused(page, "button", re.compile("^Show me"))
    press(page, "Enter")
    expect(explorer.tab("Metadata")).to_have_attribute("aria-selected", "true")
    expect(explorer.selected).to_have_attribute("data-path", re.compile("^/forecast"))

    explorer.root.get_by_role("button", name="Hide the tree").focus()  # back to where it begins
    focused(page, "searchbox", "Search")
    page.keyboard.type("dim:depth is:data")
    results = explorer.root.get_by_role("listbox", name="Search results").get_by_role("option")
    expect(results.first).to_be_visible()
    expect(results.first).to_have_attribute("data-path", "/ocean/salinity")
    press(page, "Enter", "Escape")
    expect(explorer.selected).to_have_attribute("data-path", "/ocean/salinity")
    focused(page, "button", "Bookmark")
    press(page, "Enter")
    focused(page, "tab", "Metadata")
    press(page, "Home")
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("salinity"))
    label = explorer.picture.get_attribute("aria-label")
    focused(page, "slider", "depth")
    press(page, "ArrowRight")
    expect(explorer.picture).not_to_have_attribute("aria-label", label or "")
    focused(page, "tab", "Plot")
    press(page, "Alt+ArrowLeft")
    expect(explorer.selected).to_have_attribute("data-path", re.compile("^/forecast"))
    book.until("ex.bookmarks == ['/ocean/salinity']")


UNSEEN = """() => {
    const element = document.activeElement, root = document.querySelector(".nzx");
    if (!root.contains(element)) return null;
    const ringed = one => /solid|auto/.test(getComputedStyle(one).outlineStyle) || /inset/.test(getComputedStyle(one).boxShadow);
    // A row stands for its tree, and the frame around it for a text.
    const row = document.getElementById(element.getAttribute("aria-activedescendant"));
    const rings = [element, element.parentElement, row ?? element];
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height / 2, 12)];
    const hit = document.elementFromPoint(x, y);
    const through = getComputedStyle(element).pointerEvents === "none";
    const covered = !hit || !(through || element.contains(hit) || hit.contains(element));
    const what = !rings.some(ringed) ? "has no ring" : covered ? "is covered" : "";
    return what && `${element.cloneNode().outerHTML.slice(0, 160)} ${what}`;
}"""
"""What is wrong with how the focus is seen; "" if nothing, null where it is not in the explorer."""


def test_what_has_the_focus_is_seen(notebook: OpenNotebook, sample_store: Path) -> None:
    """Tab stops of a picture with pins, and of what opens beside it, in the dark at two sizes."""
    path = "/ocean/sea_surface_temperature"
    book = notebook([f"import nz_explorer as nz\n\nex = nz.explore({str(sample_store)!r})\nex"])
    book.run_all()
    explorer, page = Explorer(book.widgets.first), book.page
    expect(explorer.tree).to_be_visible()
    book.tell(f"ex.path = {path!r}")
    page.evaluate(THEME, "dark")
    first = explorer.root.get_by_role("button", name="Hide the tree")
    expect(explorer.values).to_be_attached()
    for width, height in ((1440, 900), (1000, 700)):
        page.set_viewport_size({"width": width, "height": height})
        explorer.settle()
        first.focus()
        focused(page, "application", re.compile("^Values"))
        press(page, "ArrowRight", "Enter", "ArrowUp", "ArrowUp", "Enter")
        expect(
            explorer.root.get_by_role("list", name="Pins").get_by_role("listitem")
        ).to_have_count(2)
        press(page, "Alt+ArrowLeft")
        expect(explorer.selected).to_have_attribute("data-path", path)
        explorer.settle()
        first.focus()
        stops, wrong = 0, []
        while (found := page.evaluate(UNSEEN)) is not None and stops < 90:
            wrong += [found] if found else []
            page.keyboard.press("Tab")
            stops += 1
        assert wrong == [], f"{width} × {height}"
        assert 30 < stops < 90
        # What is taken away with the focus leaves it to what stands beside.
        first.focus()
        for pin in (1, 1):
            focused(page, "button", f"Remove pin {pin}")
            press(page, "Enter")
        expect(explorer.root.get_by_role("list", name="Pins")).to_have_count(0)
        assert page.evaluate(UNSEEN) == ""
