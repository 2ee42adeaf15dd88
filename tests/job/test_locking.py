"""Tests of Poisson's ratios above 0.49, at which the eight-node hexahedron locks."""

from __future__ import annotations

import numpy as np
import pytest
from whole_job import Job

import osteon

LOCKS = "eight-node hexahedra lock in nearly incompressible materials"
LIMIT = "use a value of at most 0.49"


def cube(job: Job, ratio: float, more: str = "", test: str = "axial_bonded") -> None:
    np.save(job.folder / "image.npy", np.ones((6, 6, 6), np.uint8))
    job.write(
        '[image]\npath = "image.npy"\nspacing_mm = 0.1\n[segment]\nthreshold = 0.5\n'
        f'[[material]]\nname = "gel"\nyoungs_modulus_MPa = 1000\npoisson_ratio = {ratio}\n[load]\ntest = "{test}"\n{more}'
        "[picture]\nenabled = false\n"
    )


@pytest.mark.parametrize("test", ["axial_bonded", "homogenise"])
def test_the_cause_is_reported(job: Job, test: str) -> None:
    """Oracle: the contract. Run and check print the cause and the limit, and no additional cause."""
    cube(job, 0.499, test=test)
    for command in ("run", "check"):
        done = job.run(*(("-n", "2", "--no-report") if command == "run" else ()), command=command)
        assert done.code == 0, done.err
        assert LOCKS in done.out + done.err and LIMIT in done.out + done.err
        assert "one voxel thick" not in done.out + done.err


def test_a_density_law_has_a_ratio_too(job: Job) -> None:
    """Oracle: the contract."""
    np.save(job.folder / "image.npy", np.full((4, 4, 4), 500, np.uint16))
    job.write(
        '[image]\npath = "image.npy"\nspacing_mm = 0.1\n[segment]\nthreshold = 100\n[density_law]\nslope = 0.001\n'
        "coefficient_MPa = 6850\nexponent = 1.49\npoisson_ratio = 0.495\n[picture]\nenabled = false\n"
    )
    for words, command in ((("-n", "2", "--no-report"), "run"), ((), "check")):
        done = job.run(*words, command=command)
        assert done.code == 0, done.err
        assert LOCKS in done.out + done.err


@pytest.mark.parametrize(("highest", "is_reported"), [(0.499, True), (0.49, False)])
def test_an_image_of_ratios(job: Job, highest: float, is_reported: bool) -> None:
    """Oracle: the contract. The largest ratio of the solid is decisive, and a larger ratio outside the solid is
    ignored."""
    scan = np.full((4, 4, 4), 2, np.uint8)
    scan[:, 0, 0] = 0
    ratios = np.full(scan.shape, 0.3, np.float32)
    ratios[1, 2, 3] = highest
    ratios[:, 0, 0] = 0.4995
    for name, values in (("image", scan), ("E", np.where(scan > 0, 1000.0, 1.0).astype(np.float32)), ("nu", ratios)):
        np.save(job.folder / f"{name}.npy", values)
    job.write(
        '[image]\npath = "image.npy"\nspacing_mm = 0.1\n[segment]\nthreshold = 1\n[modulus_image]\npath = "E.npy"\n'
        '[poisson_image]\npath = "nu.npy"\n[load]\ntest = "axial_bonded"\n[picture]\nenabled = false\n'
    )
    for words, command in ((("-n", "2", "--no-report"), "run"), ((), "check")):
        done = job.run(*words, command=command)
        assert done.code == 0, done.err
        assert (LOCKS in done.out + done.err) == is_reported, (command, done.out + done.err)


def test_the_limit_itself_does_not_warn(job: Job) -> None:
    """Oracle: the contract."""
    cube(job, 0.49)
    for words, command in ((("-n", "1", "--no-report"), "run"), ((), "check")):
        done = job.run(*words, command=command)
        assert done.code == 0, done.err
        assert LOCKS not in done.out + done.err


def test_python_warns() -> None:
    """Oracle: the contract, in the process of the interpreter."""
    pytest.importorskip("osteon._native")
    with pytest.warns(UserWarning, match=LOCKS):
        osteon.stiffness(
            np.ones((4, 4, 4), bool), spacing_mm=0.1, youngs_modulus_MPa=1000, poisson_ratio=0.499, test="axial_bonded"
        )
