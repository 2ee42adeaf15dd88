"""osteon.solve and osteon.run. Oracle: an analytic value (uniform block), and a round trip through tomllib."""

import functools
import os
import tomllib
from pathlib import Path

import numpy as np
import pytest
from fake_output import write_output
from osteon.calls.api import load_fields, to_toml

import osteon

needs_program = pytest.mark.skipif(
    not Path(os.environ.get("OSTEON_BINARY", "/nonexistent")).exists(),
    reason="the osteon program is not built (OSTEON_BINARY)",
)


BONE = {"youngs_modulus_MPa": 1000.0, "poisson_ratio": 0.3}


def test_job_survives_the_way_through_toml():
    job = {
        "name": 'a "b"\\',
        "image": {"path": "x.npy", "spacing_mm": [0.1, 0.2, 0.3]},
        "material": [{"name": "m", "label": 1}],
        "picture": {"enabled": False},
        "segment": {},
    }
    assert tomllib.loads(to_toml(job)) == job


def test_tables_in_lists_of_tables_survive_too():
    """Oracle: tomllib. Supports and forces belong to a case. NumPy values are converted to Python values, and None is
    omitted."""
    job = {
        "image": {"path": Path("x.npy"), "spacing_mm": np.array([0.1, 0.2, 0.3])},
        "set": [{"name": "a b", "box_mm": [[0, 0, 0], [1, 2, 3]]}],
        "case": [
            {
                "name": "pull",
                "support": [{"on": "z_low", "fix": "zyx"}],
                "force": [{"on": "z_high", "force_N": [1, 0, 0]}],
            },
            {"name": "push", "support": [{"on": "z_low"}, {"on": "x_low", "fix": "x"}], "load": {"strain": None}},
        ],
        "solve": {"tolerance": np.float64(1e-7), "max_iterations": np.int64(100)},
    }
    expected = {
        **job,
        "image": {"path": "x.npy", "spacing_mm": [0.1, 0.2, 0.3]},
        "case": [job["case"][0], {**job["case"][1], "load": {}}],
        "solve": {"tolerance": 1e-7, "max_iterations": 100},
    }
    assert tomllib.loads(to_toml(job)) == expected


@pytest.mark.parametrize(
    "text",
    ["plain", 'a "b"\\', "line\nline", "tab\t", "\x1b[31m", "é 骨 🦴", "'" * 3, '"' * 3, "a.b", "", "#", "= [x]"],
)
def test_any_text_survives_as_key_and_value(text):
    """Oracle: tomllib."""
    job = {text: text, "table": {text: [text, {text: text}]}, "list": [{text: {text: text}}]}
    assert tomllib.loads(to_toml(job)) == job


def test_fields_are_read_from_results(tmp_path):
    fields = load_fields(write_output(tmp_path) / "results.nc")
    assert set(fields) == {"material", "sed"}
    assert np.isnan(fields["sed"][fields["material"] == 0]).all()


def test_missing_program_is_named(monkeypatch):
    monkeypatch.setenv("OSTEON_BINARY", "/nonexistent/osteon")
    for kind in (FileNotFoundError, osteon.MachineError, RuntimeError):
        with pytest.raises(kind, match="OSTEON_BINARY"):
            osteon.run({"name": "x"})


@needs_program
def test_tortuosity_of_a_uniform_block_is_one():
    result = osteon.solve(np.full((6, 5, 4), 200, "u1"), 0.1, threshold=100, physics="heat", conductivity_W_per_mK=0.5)
    assert result.summary["tortuosity"] == pytest.approx(1, rel=1e-6)
    assert result["temperature"].shape == (6, 5, 4)


@needs_program
def test_permeability_of_a_slit():
    """Oracle: (g^2 + 2) / 12 voxels^2 per open area, exact on this grid. There is no flow across the plates."""
    solid = np.zeros((4, 6, 3), bool)
    solid[:, 4:] = True
    exact = (4**2 + 2) / 12 * 4 / 6 * (2e-5) ** 2
    result = osteon.permeability(solid=solid, spacing_mm=0.02, tolerance=1e-8)
    assert result.summary["permeability_m2"] == pytest.approx(exact, rel=1e-7, abs=0)
    assert result["velocity"].shape == (4, 6, 3, 3)
    tensor = osteon.permeability(100 * solid.astype("u1"), 0.02, threshold=50, axis=None, tolerance=1e-8)
    k = np.array(tensor.summary["permeability_tensor_m2"])
    assert np.diag(k) == pytest.approx([exact, 0, exact], rel=1e-7, abs=1e-20)
    assert tensor.summary["percolates_along"] == {"z": True, "y": False, "x": True}


@needs_program
def test_faults_come_as_errors_of_their_kind():
    """Oracle: the exit codes of the command line (`osteon run --help`)."""
    image = np.full((6, 5, 4), 200, "u1")
    image[2:4, 1:3, 1:3] = 0
    faults = [
        (osteon.UsageError, 2, "thershold", {"segment": {"thershold": 3}}),
        (osteon.DataError, 3, "threshold", {"segment": {"threshold": 250}}),
        (osteon.SolveError, 4, "raise solve.max_iterations", {"solve": {"max_iterations": 1, "tolerance": 1e-12}}),
        (osteon.MachineError, 5, "/proc/nowhere", {"output": {"directory": "/proc/nowhere"}}),
    ]
    for kind, code, words, tables in faults:
        with pytest.raises(kind, match=words) as caught:
            osteon.solve(image, 0.1, **{"threshold": 100, **BONE, **tables})
        assert caught.value.exit_code == code and isinstance(caught.value, osteon.Error)
        assert isinstance(caught.value, RuntimeError)  # the class of the error in earlier versions
        assert len(caught.traceback) == 2  # frames of this test and of one function of the package
        assert "importing" not in str(caught.value)  # no earlier output of the program


@needs_program
def test_cases_of_a_mapping_are_run(tmp_path):
    """Oracle: linearity. Twice the force yields twice the displacement."""
    np.save(tmp_path / "image.npy", np.full((6, 5, 4), 200, "u1"))
    result = osteon.run(
        {
            "image": {"path": tmp_path / "image.npy", "spacing_mm": [0.1] * 3},
            "segment": {"threshold": 100},
            "material": [{"name": "m", "youngs_modulus_MPa": 1000.0, "poisson_ratio": 0.3}],
            "case": [
                {
                    "name": name,
                    "support": [{"on": "z_low", "fix": "zyx"}],
                    "force": [{"on": "z_high", "force_N": [force, 0.0, 0.0]}],
                }
                for name, force in (("one", 1.0), ("two", 2.0))
            ],
            "solve": {"tolerance": 1e-10},
            "output": {"fields": ["displacement"]},
            "picture": {"enabled": False},
            "run": {"ranks": 1},
        }
    )
    np.testing.assert_allclose(result["displacement_two"], 2 * result["displacement_one"], rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (np.zeros((10, 11), bool), r"the array has shape \(10, 11\); an image has three axes"),
        (np.zeros((2, 3, 4, 5)), r"shape \(2, 3, 4, 5\)"),
        (np.zeros((0, 3, 3)), "every axis must have at least one voxel"),
        (np.zeros((3, 3, 3), complex), "values of type complex128"),
        ([["a"]], "values of type <U1"),
        ({}, "values of type object"),
    ],
    ids=["a slice", "channels", "nothing", "complex", "text", "object"],
)
def test_arrays_that_are_no_images_are_refused_as_arrays(image: object, words: str) -> None:
    """Oracle: the contract, with subject, value and remedy. No file is named that the caller does not have."""
    for call in (functools.partial(osteon.stiffness, **BONE), osteon.morphometry):
        with pytest.raises(osteon.DataError, match=words):
            call(image, 0.1)
