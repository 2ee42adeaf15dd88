"""osteon.solve and osteon.run. Oracle: analytic value (uniform block), round trip through tomllib."""

import os
import tomllib
from pathlib import Path

import numpy as np
import pytest
from fake_output import write_output
from osteon.api import load_fields, to_toml

import osteon

needs_program = pytest.mark.skipif(
    not Path(os.environ.get("OSTEON_BINARY", "/nonexistent")).exists(),
    reason="the osteon program is not built (OSTEON_BINARY)",
)


def test_job_survives_the_way_through_toml():
    job = {
        "name": 'a "b"\\',
        "image": {"path": "x.npy", "spacing_mm": [0.1, 0.2, 0.3]},
        "material": [{"name": "m", "label": 1}],
        "picture": {"enabled": False},
        "segment": {},
    }
    assert tomllib.loads(to_toml(job)) == job


def test_fields_are_read_from_results(tmp_path):
    fields = load_fields(write_output(tmp_path) / "results.nc")
    assert set(fields) == {"material", "sed"}
    assert np.isnan(fields["sed"][fields["material"] == 0]).all()


def test_missing_program_is_named(monkeypatch):
    monkeypatch.setenv("OSTEON_BINARY", "/nonexistent/osteon")
    with pytest.raises(FileNotFoundError, match="OSTEON_BINARY"):
        osteon.run({"name": "x"})


@needs_program
def test_tortuosity_of_a_uniform_block_is_one():
    result = osteon.solve(np.full((6, 5, 4), 200, "u1"), 0.1, threshold=100, physics="heat", conductivity_W_per_mK=0.5)
    assert result.summary["tortuosity"] == pytest.approx(1, rel=1e-6)
    assert result["temperature"].shape == (6, 5, 4)


@needs_program
def test_message_of_the_program_is_passed_on():
    with pytest.raises(RuntimeError, match="threshold"):
        osteon.solve(np.full((6, 5, 4), 200, "u1"), 0.1, threshold=250)
