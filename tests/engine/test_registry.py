"""Which conventions and rules there are, which are wanted, and what belongs together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nz_explorer.engine.registry import Registry
from tests.engine import made


def three() -> Registry:
    """Return three conventions, of which two stand on the first."""
    basic = made.convention(
        made.function("Z-A-1"), made.function("Z-A-2", on="name"), key="z", basic=True, order=9
    )
    first = made.convention(
        made.function("N-A-1", formats=(3,)),
        made.function("N-B-1", "N-B-2"),
        infos=[made.info("N-B-2", status="off"), made.info("N-C-1", status="planned")],
        key="n",
        builds_on=("z",),
        summary_rule="N-A-1",
        order=5,
        zarr_format=3,
    )
    second = made.convention(
        made.function("S-A-1", on="array"),
        made.function("N-B-1", on="name", formats=(2,)),
        key="s",
        families=("S", "X"),
        builds_on=("n",),
        order=1,
        zarr_format=3,
        in_other_formats=None,
        wanted=lambda _, select: "S-A-1" in select,
    )
    described = tuple(one for one in second.infos if one.id != "N-B-1")  # by the one that has it
    return Registry([basic, first, replace(second, infos=described)])


def test_conventions_have_keys_of_their_own() -> None:
    one, other = made.convention(key="a"), made.convention(key="b")
    assert list(Registry([one, other]).conventions) == ["a", "b"]
    with pytest.raises(ValueError, match="two conventions are called 'a'"):
        Registry([one, other, made.convention(key="a")])


def test_a_rule_is_described_once(tmp_path: Path) -> None:
    twice = [made.convention(made.function("A-1"), key=key) for key in ("a", "b")]
    with pytest.raises(ValueError, match="rule A-1 is described twice"):
        _ = Registry(twice).rules
    file = tmp_path / "catalogue.toml"
    file.write_text(
        '[A-1]\nslug = "a"\ntitle = "a"\nsource = {doc = "D", section = "S"}\n'
        'level = "SHOULD"\nscope = "node"\ncost = "M"\n'
    )
    catalogue = made.convention(key="c", catalogue=(file,))
    assert [(one.id, one.severity) for one in Registry([catalogue]).rules.values()] == [
        ("A-1", "warning")
    ]
    with pytest.raises(ValueError, match="rule A-1 is described twice"):
        _ = Registry([twice[0], catalogue]).rules


def test_functions_keep_the_order_in_which_they_depend_on_each_other() -> None:
    assert [one.id for one in three().functions] == ["Z-A-1", "Z-A-2", "N-A-1", "N-B-1", "S-A-1", "N-B-1"]  # fmt: skip


def test_what_can_be_asked_for_stands_in_the_order_of_reports() -> None:
    assert list(three().askable) == ["s", "n"]


def test_rules_by_what_they_are_about() -> None:
    found = three()
    for _ in range(2):
        assert found.ids_on("name") == {"Z-A-2", "N-B-1"}
        assert found.ids_on("name", 2) == {"Z-A-2", "N-B-1"}
        assert found.ids_on("name", 3) == {"Z-A-2"}
        assert found.ids_on("node") == {"Z-A-1", "N-A-1", "N-B-1", "N-B-2"}
        assert found.ids_on("node", 2) == {"Z-A-1", "N-B-1", "N-B-2"}
        assert found.ids_on("node", 3) == found.ids_on("node")
        assert found.ids_on("entry") == frozenset()


def test_conventions_and_families() -> None:
    found = three()
    assert found.summarised is found.conventions["n"]
    assert made.registry().summarised is None
    assert found.of_family("S") is found.conventions["s"]
    assert found.of_family("X") is None  # only the first is its own
    assert found.families(["z"]) == {"Z"}
    assert found.families(["n"]) == {"N", "Z"}
    assert found.families(["s"]) == {"S", "X", "N", "Z"}
    assert found.families(["z", "n"]) == {"N", "Z"}
    assert found.families([]) == set()


def test_what_defines_nothing_for_a_version_of_zarr_gives_advice() -> None:
    found = three()
    assert found.advisory(2) == {"S"}  # the other one says that data of version 2 break it
    assert found.advisory(3) == frozenset()
    assert found.advisory(None) == frozenset()


def test_rules_are_found_by_id_prefix_and_slug() -> None:
    found = three()
    assert [one.id for one in found.find(" n-b ")] == ["N-B-1", "N-B-2"]
    assert [one.id for one in found.find("N-B-2")] == ["N-B-2"]
    assert [one.id for one in found.find("N/B/2")] == ["N-B-2"]
    assert found.find("N-B-") == found.find("n-b")
    assert found.find("B") == []


@pytest.mark.parametrize(
    ("select", "ignore", "wanted"),
    [
        ([], [], {"Z-A-1", "Z-A-2", "N-A-1", "N-B-1", "N-C-1", "S-A-1"}),
        ([], ["N"], {"Z-A-1", "Z-A-2", "S-A-1"}),
        (["N"], [], {"N-A-1", "N-B-1", "N-C-1"}),
        (["N"], ["N-A"], {"N-B-1", "N-C-1"}),
        (["N-A"], ["N"], {"N-A-1"}),
        (["N-A"], ["N-A"], set()),
        ([" n-b "], [], {"N-B-1", "N-B-2"}),  # off by default, and named by more than its family
        (["N-B-2", "S"], [" s-a "], {"N-B-2"}),
        ([], ["N-B-1", "N-C", "Z"], {"N-A-1", "S-A-1"}),
    ],
)
def test_the_longest_prefix_decides(select: list[str], ignore: list[str], wanted: set[str]) -> None:
    chosen = three().select(select, ignore)
    assert chosen.keys() == three().rules.keys()
    assert {rule_id for rule_id, is_wanted in chosen.items() if is_wanted} == wanted


@pytest.mark.parametrize(("select", "ignore"), [(["Q"], []), ([], ["Q"]), (["N", "N-Q"], [])])
def test_a_prefix_of_nothing_is_refused(select: list[str], ignore: list[str]) -> None:
    with pytest.raises(ValueError, match=r"no rule is called .*Q"):
        three().select(select, ignore)


@pytest.mark.parametrize(
    ("given", "select", "chosen"),
    [
        ("auto", (), ("n",)),
        ("auto", ("S-A-1",), ("s", "n")),
        ("n, s", (), ("s", "n")),
        (["n", " s "], (), ("s", "n")),
        ("s", (), ("s",)),
        ("auto,s", (), ("s", "n")),
    ],
)
def test_conventions_are_chosen_by_name_or_by_themselves(
    given: str | list[str], select: tuple[str, ...], chosen: tuple[str, ...]
) -> None:
    assert three().choose(given, made.hierarchy(made.V3), select) == chosen


@pytest.mark.parametrize("given", ["z", "auto,q", [], "", ["n", "q"]])
def test_conventions_that_cannot_be_asked_for(given: str | list[str]) -> None:
    with pytest.raises(ValueError, match="known are auto, s, n"):
        three().choose(given, made.hierarchy(made.V3))
