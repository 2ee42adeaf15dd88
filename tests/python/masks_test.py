"""Tests of masks that name their phase: `solid=` and `pores=`. Oracles: closed forms, and the same image given as the
other phase."""

import os
from pathlib import Path

import numpy as np
import pytest

import osteon

pytestmark = pytest.mark.skipif(
    not Path(os.environ.get("OSTEON_BINARY", "/nonexistent")).exists(),
    reason="the osteon program is not built (OSTEON_BINARY)",
)

HEAT = {"conductivity_W_per_mK": 3.0, "tolerance": 1e-10}


@pytest.fixture(scope="module")
def walls() -> np.ndarray:
    """A mask that is True in a third of the planes across y. The planes form two walls and two slits."""
    mask = np.zeros((4, 6, 3), bool)
    mask[:, 4:] = True
    return mask


def test_permeability_is_of_the_pores(walls: np.ndarray):
    """Oracle: (g^2 + 2) / 12 voxels^2 per open area of a slit, exact on this grid. Both names describe one image."""
    exact = (4**2 + 2) / 12 * 4 / 6 * (2e-5) ** 2
    by_solid = osteon.permeability(solid=walls, spacing_mm=0.02, tolerance=1e-8)
    by_pores = osteon.permeability(pores=~walls, spacing_mm=0.02, tolerance=1e-8)
    assert by_solid.permeability_m2 == pytest.approx(exact, rel=1e-7, abs=0)
    assert by_solid.permeability_m2 == by_pores.permeability_m2
    tensor = osteon.permeability_tensor(pores=~walls, spacing_mm=0.02, tolerance=1e-8)
    assert np.diag(tensor.permeability_tensor_m2) == pytest.approx([exact, 0, exact], rel=1e-7, abs=1e-20)
    program = osteon.permeability(pores=~walls, spacing_mm=0.02, tolerance=1e-8, run={"ranks": 2})
    assert program.permeability_m2 == pytest.approx(exact, rel=1e-7, abs=0)


def test_conductivity_and_tortuosity_of_both_phases(walls: np.ndarray):
    """Oracle: parallel layers conduct in proportion to their volume fractions, 1/3 and 2/3."""
    for name, mask in (("solid", walls), ("pores", ~walls)):
        given = {name: mask, "spacing_mm": 0.1}
        for phase, share in (("solid", 1 / 3), ("pores", 2 / 3)):
            heat = osteon.conductivity(**given, **HEAT, phase=phase)
            assert heat.effective_conductivity_W_per_mK == pytest.approx(3 * share, rel=1e-6)
            ions = osteon.tortuosity(**given, phase=phase, tolerance=1e-10)
            assert ions.tortuosity == pytest.approx(1, rel=1e-6)
            assert ions.effective_conductivity_W_per_mK == pytest.approx(share, rel=1e-6)
        assert osteon.conductivity(**given, **HEAT).effective_conductivity_W_per_mK == pytest.approx(1, rel=1e-6)
        assert osteon.tortuosity(**given).effective_conductivity_W_per_mK == pytest.approx(2 / 3, rel=1e-6)
        assert osteon.solve(**given, physics="heat", **HEAT).effective_conductivity_W_per_mK == pytest.approx(
            1, rel=1e-6
        )


@pytest.mark.parametrize(
    "call",
    [
        osteon.permeability,
        osteon.permeability_tensor,
        osteon.tortuosity,
        lambda *a, **k: osteon.conductivity(*a, **k, conductivity_W_per_mK=1),
        lambda *a, **k: osteon.solve(*a, **k, physics="heat", conductivity_W_per_mK=1),
        lambda *a, **k: osteon.solve(*a, **k, physics="flow"),
    ],
)
def test_exactly_one_phase_is_named(walls: np.ndarray, call):
    both = "exactly one of solid= and pores="
    with pytest.raises(osteon.UsageError, match=both):
        call(walls, 0.1)
    with pytest.raises(osteon.UsageError, match=both):
        call(spacing_mm=0.1)
    with pytest.raises(osteon.UsageError, match=f"solid and pores are given.*{both}"):
        call(solid=walls, pores=~walls, spacing_mm=0.1)
    with pytest.raises(osteon.UsageError, match="pores: must be a boolean array, not of type uint8"):
        call(pores=walls.astype("u1"), spacing_mm=0.1)


def test_greys_and_masks_of_the_solid_are_taken_as_before(walls: np.ndarray):
    """Oracle: the same solid from a threshold. The stiffness of parallel bars is E times their volume fraction."""
    steel = {"youngs_modulus_MPa": 300.0, "poisson_ratio": 0.0, "tolerance": 1e-10}
    assert osteon.stiffness(walls, 0.1, **steel, load={"area": "box"}).apparent_modulus_MPa == pytest.approx(
        100, rel=1e-6
    )
    greys = np.where(walls, 200, 30).astype("u1")
    along = osteon.conductivity(greys, 0.1, threshold=100, **HEAT)
    assert along.effective_conductivity_W_per_mK == pytest.approx(1, rel=1e-6)
    by_greys = osteon.permeability(greys, 0.02, threshold=100)
    assert by_greys.permeability_m2 == osteon.permeability(solid=walls, spacing_mm=0.02).permeability_m2
    with pytest.raises(osteon.UsageError, match="threshold: solid= has no grey values"):
        osteon.permeability(solid=walls, spacing_mm=0.02, threshold=100)


def test_masked_voxels_belong_to_neither_phase(walls: np.ndarray):
    """Oracle: the stiffness of bars of the unmasked voxels, and a slit that the masked planes make narrower."""
    steel = {"youngs_modulus_MPa": 300.0, "poisson_ratio": 0.0, "tolerance": 1e-10}
    hidden = np.zeros(walls.shape, bool)
    hidden[:, 5] = True
    bars = np.ma.array(walls, mask=hidden)
    assert osteon.stiffness(bars, 0.1, **steel, load={"area": "box"}).apparent_modulus_MPa == pytest.approx(
        50, rel=1e-6
    )
    greys = np.ma.array(np.where(walls, 200, 30).astype("u1"), mask=hidden)
    assert osteon.stiffness(
        greys, 0.1, threshold=100, **steel, load={"area": "box"}
    ).apparent_modulus_MPa == pytest.approx(50, rel=1e-6)
    with pytest.raises(osteon.UsageError, match="threshold: missing; 12 voxels are masked"):
        osteon.stiffness(greys, 0.1, **steel)
    labels = np.ma.array(walls.astype("u1"), mask=hidden)
    job = {"segment": {"labels": True, "threshold": None}, "material": [{"label": 1, **steel}], "load": {"area": "box"}}
    del job["material"][0]["tolerance"]
    assert osteon.solve(labels, 0.1, tolerance=1e-10, **job).apparent_modulus_MPa == pytest.approx(50, rel=1e-6)

    hidden = np.zeros(walls.shape, bool)
    hidden[:, 3] = True
    narrow = (3**2 + 2) / 12 * 3 / 6 * (2e-5) ** 2
    for name, mask in (("solid", walls), ("pores", ~walls)):
        flow = osteon.permeability(**{name: np.ma.array(mask, mask=hidden)}, spacing_mm=0.02, tolerance=1e-8)
        assert flow.permeability_m2 == pytest.approx(narrow, rel=1e-7, abs=0)
    with pytest.raises(osteon.UsageError, match="neither fluid nor solid"):
        osteon.permeability(np.ma.array(walls.astype("u1"), mask=hidden), 0.02, threshold=0.5)


def test_all_faults_of_the_arguments_are_listed_at_once():
    """Oracle: the planted faults. Each fault is reported with the name of its argument."""
    with pytest.raises(osteon.UsageError) as caught:
        osteon.stiffness(np.zeros((3, 3)), youngs_modulus_MPa=-1, poisson_ratio=0.7, axis="w", load={"foo": 1})
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines[1:]] == [
        "spacing_mm",
        "axis",
        "load.foo",
        "youngs_modulus_MPa",
        "poisson_ratio",
    ]
    assert "shape (3, 3)" in lines[0] and "job" not in str(caught.value)
    with pytest.raises(osteon.UsageError, match=r"^spacing_mm: 'x' must be one number or three"):
        osteon.stiffness(np.ones((3, 3, 3), bool), "x", youngs_modulus_MPa=1000, poisson_ratio=0.3)
    with pytest.raises(osteon.UsageError, match=r"^mask: not an argument of this function"):
        osteon.tortuosity(mask=np.ones((3, 3, 3), bool), spacing_mm=1)
