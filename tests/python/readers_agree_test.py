"""Tests that the studio, the import and a quick look interpret a header identically. Oracle: the values and sizes that
the test wrote."""

from pathlib import Path

import numpy as np
import pytest
import tifffile
from osteon.images.look_at_image import header, places
from osteon.images.read_image import read_image
from osteon.studio.scan import Scan

STORED = np.random.default_rng(3).integers(0, 3000, (7, 8, 10)).astype("<u2")
META = "NDims = 3\nBinaryData = True\nDimSize = 10 8 7\nElementType = MET_USHORT\n"


def imagej() -> str:
    words = "ImageJ=1.53t\nimages=7\nslices=7\nunit=micrometers\nspacing=3\ncf=0\nc0=-1024.0\nc1=0.5\nvunit=HU\n"
    options = {"metadata": None, "photometric": "minisblack", "resolution": (0.5, 1.0), "resolutionunit": 1}
    tifffile.imwrite("a.tif", STORED, description=words, **options)
    return "a.tif"


def metaimage() -> str:
    for z, plane in enumerate(STORED):
        Path(f"s {z}.raw").write_bytes(plane.tobytes())
    Path("a.mhd").write_text(META + "distanceunits = um\nELEMENTSPACING = 1 2 3\nElementDataFile = s %d.raw 0 6 1\n")
    return "a.mhd"


def nrrd() -> str:
    head = "NRRD0004\ntype: uint16\ndimension: 3\nsizes: 10 8 7\nendian: little\nencoding: raw\nspacings: 1 2 3\n"
    Path("a.nrrd").write_bytes((head + 'units: "microns" "microns" "microns"\n\n').encode() + STORED.tobytes())
    return "a.nrrd"


CASES = {
    imagej: (STORED * 0.5 - 1024, (3e-3, 1e-3, 2e-3)),
    metaimage: (STORED, (3e-3, 2e-3, 1e-3)),
    nrrd: (STORED, (3e-3, 2e-3, 1e-3)),
}


@pytest.mark.parametrize("make", CASES)
def test_studio_import_and_look_agree(make, tmp_path, monkeypatch):
    """Oracle: the values and sizes by hand."""
    monkeypatch.chdir(tmp_path)
    expected, spacing = CASES[make]
    name = make()
    scan, volume, seen = Scan(Path(name)), read_image(name), header(name)
    np.testing.assert_array_equal(volume.values, expected)
    np.testing.assert_array_equal(scan.values, expected)
    assert tuple(scan.spacing_mm) == volume.spacing_mm == seen.spacing_mm == pytest.approx(spacing)
    assert scan.described()["unit"] == volume.facts.get("unit") and scan.facts["warnings"] == volume.warnings
    for z, plane in zip(places(7), seen.planes, strict=False):
        np.testing.assert_array_equal(plane, expected[z])
