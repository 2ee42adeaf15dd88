"""Comparison of a job over several clusters with the same job on one rank."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from osteon.report.data import load

ANSWER = {
    "elasticity": "apparent_modulus_MPa",
    "flow": "permeability_m2",
    "heat": "effective_conductivity_W_per_mK",
}
# With planes, each cluster writes its own file.
PLANES = "[run]\ndecomposition = 'planes'\n[solve]\ntolerance = 1e-9\n"


def image_for(physics: str, sponge: Path) -> Path:
    """The sponge. For a flow, the image is a channel around a block, and the channel carries the whole flow."""
    if physics != "flow":
        return sponge
    channel = np.full((18, 15, 14), 200, np.uint8)
    channel[:, 3:12, 3:11] = 10
    channel[7:10, 6:8, 5:9] = 200
    path = sponge.with_name("channel.npy")
    np.save(path, channel)
    return path


def headings(folder: Path) -> list[str]:
    return re.findall(r"<h[1-3][^>]*>(.*?)</h", (folder / "report.html").read_text(encoding="utf-8"))


def has_same_answer_and_pictures(both: Path, alone: Path, physics: str) -> None:
    """Check the answer to 1e-6, the pictures byte by byte, and equal parts of the report."""
    one, joined = (json.loads((folder / "summary.json").read_text()) for folder in (alone, both))
    assert one["ranks"] == 1 < joined["ranks"]
    assert joined[ANSWER[physics]] == pytest.approx(one[ANSWER[physics]], rel=1e-6)
    for name in ["picture.png"] + (["cut.png"] if physics == "flow" else []):
        assert (both / name).read_bytes() == (alone / name).read_bytes(), name
    assert headings(both) == headings(alone)


def has_same_viewer(both: Path, alone: Path) -> None:
    """Check the data of the viewer of the report: fields, solid and deformed shape. There is no additional note
    compared with the plain job."""
    expected, got = load(alone), load(both)
    assert [note for note in got.notes if note not in expected.notes] == []
    assert [f.name for f in got.fields] == [f.name for f in expected.fields] != []
    assert np.array_equal(got.share, expected.share)
    for ours, theirs in zip(got.fields, expected.fields, strict=True):
        high = np.nanmax(np.abs(theirs.thin.values))
        # The pressure of a periodic cell is determined up to a constant. The constant depends on the number of ranks.
        off = np.nanmean(ours.thin.values - theirs.thin.values) if theirs.name == "pressure" else 0.0
        np.testing.assert_allclose(
            ours.thin.values - off, theirs.thin.values, rtol=1e-4, atol=1e-4 * high, err_msg=theirs.name
        )
    assert set(got.deformations) == set(expected.deformations)
    for case, moved in expected.deformations.items():
        np.testing.assert_allclose(got.deformations[case].values, moved.values, atol=1e-4 * moved.largest)
