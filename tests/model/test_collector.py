"""The garbage collector is left as it was."""

from __future__ import annotations

import gc
import threading

import pytest

from nz_explorer.model.collector import SELDOM, seldom_collected


def test_thresholds_come_back_when_the_last_one_leaves() -> None:
    before = gc.get_threshold()
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        with seldom_collected():
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    with seldom_collected():
        thread.start()
        assert inside.wait(10)
    assert gc.get_threshold() == SELDOM
    done.set()
    thread.join()
    assert gc.get_threshold() == before


def test_thresholds_come_back_after_a_failure() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), seldom_collected():
        raise KeyError
    assert gc.get_threshold() == before
