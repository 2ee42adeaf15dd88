"""Modules under their paths of the last release. Oracle: the modules themselves."""

import importlib
import sys

import pytest
from osteon.moved_modules import MOVED

import osteon


@pytest.mark.parametrize(("earlier", "present"), MOVED.items())
def test_an_earlier_path_gives_the_module_and_a_warning(earlier: str, present: str) -> None:
    module = importlib.import_module(present)
    sys.modules.pop(earlier, None)
    with pytest.warns(DeprecationWarning, match=f"{earlier} is deprecated: import {present}"):
        assert importlib.import_module(earlier) is module
    assert module.__name__ == module.__spec__.name == present
    assert getattr(osteon, earlier.partition(".")[2]) is module


def test_a_path_that_never_was_is_no_module() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"osteon\.nothing"):
        importlib.import_module("osteon.nothing")
