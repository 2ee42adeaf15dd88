"""Tests of the workflow of the skull demo on a small synthetic head: .inv3, HU, density, modulus, largest part, and
anisotropic voxels.

Oracle: the law evaluated by hand, the parts in the generated image, and the balance of forces.
"""

import gzip
import io
import plistlib
import re
import tarfile
import tomllib
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import ROOT, Job

EXAMPLE = ROOT / "examples" / "skull.toml"
SHAPE, SPACING = (16, 24, 20), (1.5, 0.957, 0.957)  # z, y, x
CORTICAL, DIPLOE = 1200, 400


def head() -> np.ndarray:
    """A shell of two plates with diploe between them. The shell is open at the bottom. There is brain inside, air
    around, and a headrest."""
    z, y, x = (h * (np.arange(n) + 0.5) for n, h in zip(SHAPE, SPACING, strict=True))
    z, y, x = np.meshgrid(z, y, x, indexing="ij")
    r = np.sqrt((z / 21) ** 2 + ((y - 12.5) / 9.5) ** 2 + ((x - 9.6) / 8.5) ** 2)
    values = np.full(SHAPE, -1000, "i2")
    values[r < 1] = CORTICAL
    values[r < 0.87] = DIPLOE
    values[r < 0.74] = CORTICAL
    values[r < 0.6] = 30
    values[:, 0, :] = 600  # the headrest
    return values


def write_inv3(path: Path, values: np.ndarray) -> None:
    plist = {
        "modality": "CT",
        "spacing": list(SPACING[::-1]),
        "matrix": {"filename": "matrix.dat", "shape": list(values.shape), "dtype": "int16"},
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in (("t/main.plist", plistlib.dumps(plist)), ("t/matrix.dat", values.tobytes())):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    path.write_bytes(gzip.compress(packed.getvalue()))


def test_a_head_is_loaded(job: Job):
    values = head()
    write_inv3(job.folder / "head.inv3", values)
    law = tomllib.loads(EXAMPLE.read_text())["density_law"]
    job.write(
        '[image]\npath = "head.inv3"\n[segment]\nthreshold = 226\nkeep = "largest"\n[density_law]\n'
        + "".join(f"{key} = {value}\n" for key, value in law.items())
        + '[[support]]\non = "z_low"\nfix = "zyx"\n[[force]]\non = "front"\nforce_N = [0, -100, 0]\n'
        '[[set]]\nname = "front"\nselect = "disk"\ncentre_mm = [10.5, 21.5, 9.6]\nnormal = [0, 1, 0]\nradius_mm = 4\n'
        "thickness_mm = 3\nsurface = true\n[picture]\nwidth = 64\nheight = 64\n"
    )
    done = job.run("--ranks", "2")
    assert done.code == 0, done.err
    summary = done.summary
    assert summary["image"]["unit"] == "HU" and summary["image"]["spacing_mm"] == pytest.approx(list(SPACING))
    assert summary["segmentation"]["dropped_islands"] == 1
    assert summary["segmentation"]["dropped_voxels"] == np.count_nonzero(values[:, 0, :] > 226)
    assert summary["elements"] == np.count_nonzero(values[:, 1:, :] > 226)
    np.testing.assert_allclose(summary["supports"][0]["reaction_N"], [0, 100, 0], atol=1e-2)
    with netCDF4.Dataset(done.folder / "model.nc") as file:
        found = np.sort(np.asarray(file["model/youngs_modulus"][:]))[1:]
    expected = [6850 * (1.9 / 1600 * hu) ** 1.49 for hu in (DIPLOE, CORTICAL)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_example_has_no_faults(job: Job):
    """`osteon check` reports no findings. Any scan replaces the real scan."""
    write_inv3(job.folder / "head.inv3", head())
    job.write(re.sub('path = ".*"', 'path = "head.inv3"', EXAMPLE.read_text()))
    done = job.run("--most-voxels", "0", command="check")  # the sets are at the positions of the real head
    assert done.code == 0, done.out + done.err
