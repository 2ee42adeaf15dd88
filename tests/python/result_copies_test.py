"""Tests of copies of results, and of results that are sent to other processes."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import osteon

MASK = np.zeros((8, 8, 8), bool)
MASK[:, 2:6, 2:6] = True
ELASTIC = {"youngs_modulus_MPa": 1000.0, "poisson_ratio": 0.3}


def solved(**tables):
    return osteon.stiffness(MASK, 0.05, **ELASTIC, output={"fields": ["displacement", "von_mises"], **tables})


def are_equal(a, b):
    assert a.summary == b.summary and a.answers == b.answers and list(a.fields) == list(b.fields)
    for name in a.fields:
        one, other = a.fields.field(name), b.fields.field(name)
        np.testing.assert_array_equal(one.values, other.values)
        assert (one.units, one.on_nodes) == (other.units, other.on_nodes)
        np.testing.assert_array_equal(one.spacing, other.spacing)
        np.testing.assert_array_equal(one.placement.corner_mm, other.placement.corner_mm)


@pytest.fixture(scope="module", params=["in memory", "in a folder that goes", "in a folder that stays"])
def result(request, tmp_path_factory):
    """A result of each kind, solved in this process or by the program."""
    if request.param == "in memory":
        return solved()
    if request.param == "in a folder that stays":
        return solved(directory=str(tmp_path_factory.mktemp("results")))
    folder = tmp_path_factory.mktemp("image")
    np.save(folder / "image.npy", MASK.view("u1"))
    return osteon.run(
        {
            "image": {"path": str(folder / "image.npy"), "spacing_mm": [0.05] * 3},
            "segment": {"threshold": 0.5},
            "material": [ELASTIC],
            "load": {"test": "axial_bonded"},
            "output": {"fields": ["displacement", "von_mises"]},
            "picture": {"enabled": False},
        }
    )


@pytest.mark.parametrize("make", [lambda r: pickle.loads(pickle.dumps(r)), copy.deepcopy, copy.copy])
def test_copies_have_answers_and_fields(result, make):
    """Oracle: the original."""
    made = make(result)
    are_equal(made, result)
    assert made.stiffness_N_per_mm == result.stiffness_N_per_mm
    assert repr(made).split("\n")[:-1] == repr(result).split("\n")[:-1]
    made.to_xarray()


def test_a_copy_outlives_the_original(tmp_path):
    """Oracle: the values before the copy."""
    first = solved()
    values = first["von_mises"].copy()
    made, shallow = copy.deepcopy(first), copy.copy(first)
    made.fields["von_mises"][:] = 0
    np.testing.assert_array_equal(first["von_mises"], values)
    shallow.summary["job"] = "other"
    assert first.summary["job"] != "other"
    del first
    np.testing.assert_array_equal(shallow["von_mises"], values)
    assert shallow.output_directory.is_dir()


def test_a_folder_that_stays_is_named(tmp_path):
    made = pickle.loads(pickle.dumps(solved(directory=str(tmp_path / "out"))))
    assert made.output_directory == tmp_path / "out"
    assert pickle.loads(pickle.dumps(solved())).output_directory is None


def test_results_of_other_processes():
    """Oracle: the same call in this process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as others:
        there = others.submit(solved).result(timeout=300)
    here = solved()
    assert there.stiffness_N_per_mm == here.stiffness_N_per_mm
    for name in here.fields:
        np.testing.assert_array_equal(there[name], here[name])
