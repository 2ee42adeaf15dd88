"""Images whose values are hardly meant as the job takes them. Oracle: the images that the test makes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from whole_job import osteon

RNG = np.random.default_rng(5)
SOLID = "[[material]]\nyoungs_modulus_MPa = 1000\npoisson_ratio = 0.3\n"


def warnings_of(folder: Path, image: np.ndarray, segment: str, more: str = SOLID, physics: str = "elasticity") -> str:
    np.save(folder / "image.npy", image)
    (folder / "j.toml").write_text(
        f'name = "j"\nphysics = "{physics}"\n[image]\npath = "image.npy"\nspacing_mm = 0.1\n[segment]\n{segment}\n{more}'
        "[picture]\nenabled = false\n",
        encoding="utf-8",
    )
    answer = folder / "check.json"
    checked = osteon("check", str(folder / "j.toml"), "--json", str(answer))
    assert checked.returncode == 0, checked.stdout
    done = osteon("run", str(folder / "j.toml"), "-n", "1", "--no-report", "--force", "-o", str(folder / "out"))
    assert done.returncode == 0, done.stderr
    told = json.loads((folder / "out" / "summary.json").read_text())["warnings"]
    of_check = " ".join(w["text"] for w in json.loads(answer.read_text())["warnings"])
    assert all(text in of_check for text in told if "look like" in text or "below water" in text)
    return " ".join(told)


def test_labels_as_grey_values(tmp_path: Path):
    labels = np.zeros((6, 6, 6), "u1")
    labels[:, 1:5, 1:5], labels[:, 2:4, 2:4] = 1, 4
    assert "3 values (0, 1, 4), which look like labels" in warnings_of(tmp_path, labels, "")
    assert "look like" not in warnings_of(tmp_path, labels, "threshold = 0.5")
    assert "look like" not in warnings_of(tmp_path, np.minimum(labels, 1), "")  # two phases
    greys = RNG.integers(0, 255, (6, 6, 6)).astype("u1")
    assert "look like" not in warnings_of(tmp_path, greys, 'keep = "all"\ndrop_unsupported = true')


def test_grey_values_as_labels(tmp_path: Path):
    greys = RNG.integers(0, 255, (8, 8, 8)).astype("u1")
    greys[:, 3:5, 3:5] = 0
    flow = {"more": "", "physics": "flow"}
    assert "more than 64 values, which look like grey values" in warnings_of(tmp_path, greys, "labels = true", **flow)
    labels = np.minimum(greys, 3)
    assert "look like" not in warnings_of(tmp_path, labels, "labels = true", **flow)


def test_a_threshold_below_water(tmp_path: Path):
    body = np.full((8, 10, 10), -1000, "i2")
    body[:, 2:8, 2:8], body[:, 4:6, 4:6] = 40, 400
    body += RNG.integers(-20, 20, body.shape).astype("i2")
    assert "below water at 0 HU: it separates air from tissue" in warnings_of(tmp_path, body, "")
    assert "below water" not in warnings_of(tmp_path, body, "threshold = 148")
    assert "below water" not in warnings_of(tmp_path, (body / 10).astype("i2"), "")  # no HU


def test_conn_d_has_no_negative_zero(tmp_path: Path):
    """Oracle: a bar through the image: Euler number of the inner part 0."""
    bar = np.zeros((6, 6, 6), "u1")
    bar[:, 2:4, 2:4] = 1
    np.save(tmp_path / "image.npy", bar)
    (tmp_path / "j.toml").write_text(
        f'[image]\npath = "image.npy"\nspacing_mm = 0.01\n[segment]\nthreshold = 0.5\n{SOLID}', encoding="utf-8"
    )
    done = osteon("morphometry", str(tmp_path / "j.toml"))
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if "of a part of a larger solid" in line)
    assert line.split()[-2] == "0"
    thickness = next(line for line in done.stdout.splitlines() if line.strip().startswith("Tb.Th"))
    assert "\u00b5m, sd" in thickness and 10 < float(thickness.split("balls")[1].split()[0]) < 40


@pytest.mark.parametrize("kind", ["u1", "f4"])
def test_few_values_are_counted_in_all_types(tmp_path: Path, kind: str):
    labels = np.zeros((6, 6, 6), kind)
    labels[:, 1:5, 1:5], labels[:, 2:4, 2:4] = 1, 2
    assert "3 values (0, 1, 2)" in warnings_of(tmp_path, labels, "")
