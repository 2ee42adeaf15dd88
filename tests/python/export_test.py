"""Export of images. Oracle: independent readers (SimpleITK, nibabel, VTK, Pillow), and the position computed by
hand."""

import json
import re
from pathlib import Path

import nibabel
import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
import tifffile
import xxhash
from fake_output import seal
from netCDF4 import Dataset
from osteon.export.export import export, main
from osteon.images.read_image import read_image

SHAPE = (3, 4, 5)
SPACING = np.array([0.5, 0.25, 2.0])  # x, y, z
CORNER = np.array([-7.0, 3.0, 11.0])  # position along the axes of the image
TURN = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]) @ np.diag([1.0, -1.0, -1.0])
RNG = np.random.default_rng(3)
CELLS = {
    "von_mises": RNG.random(SHAPE).astype("f4"),
    "stress": RNG.random((*SHAPE, 6)).astype("f4"),
    "strain": RNG.random((*SHAPE, 6)).astype("f4"),
    "material": RNG.integers(0, 3, SHAPE).astype("u1"),
}
NODES = {"displacement": RNG.random((4, 5, 6, 3)).astype("f4")}
CELLS["von_mises"][0, 1, 2] = np.nan


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=["identity", "turned", "none"])
def result(request) -> tuple[str, np.ndarray]:
    turn = {"identity": np.eye(3), "turned": TURN, "none": None}[request.param]
    return result_file(turn), np.eye(3) if turn is None else turn


def result_file(turn: np.ndarray | None) -> str:
    """A file as docs/reference/format.md specifies it. The writer of the file is not the writer of osteon."""
    with Dataset("r.nc", "w") as file:
        image = {} if turn is None else {"direction": turn.ravel().tolist()}
        file.setncatts({"product_schema": "osteon-result 1.0", "provenance": json.dumps({"image": image})})
        for name, size in zip(("z", "y", "x", "zn", "yn", "xn"), (*SHAPE, *(n + 1 for n in SHAPE)), strict=True):
            file.createDimension(name, size)
        for name, size in (("c", 3), ("voigt", 6), ("hex", 16)):
            file.createDimension(name, size)
        vtk, integrity = file.createGroup("VTKHDF"), file.createGroup("integrity")
        vtk.setncatts({"Origin": CORNER, "Spacing": SPACING, "Direction": np.eye(3).ravel()})
        for group, axes, fields in (("CellData", ("z", "y", "x"), CELLS), ("PointData", ("zn", "yn", "xn"), NODES)):
            at = vtk.createGroup(group)
            for name, values in fields.items():
                more = {3: ("c",), 6: ("voigt",)}[values.shape[3]] if values.ndim == 4 else ()
                variable = at.createVariable(name, values.dtype, (*axes, *more))
                variable[:] = values
                variable.units = "MPa"
                rows = [xxhash.xxh64(values[z : z + 2]).hexdigest().encode() for z in range(0, len(values), 2)]
                file.createDimension(f"rows_{name}", len(rows))
                digests = integrity.createVariable(name, "S1", (f"rows_{name}", "hex"))
                digests[:] = np.array([list(row.decode()) for row in rows], "S1")
                digests.planes_per_digest = np.int32(2)
        file.complete = np.int32(1)
    seal(Path("r.nc"))
    return "r.nc"


def centre(turn: np.ndarray) -> np.ndarray:
    return turn @ (CORNER + SPACING / 2)


def test_nrrd_by_simpleitk(result):
    source, turn = result
    export(source, "x.nrrd", ["von_mises"])
    image = sitk.ReadImage("x.nrrd")
    np.testing.assert_array_equal(sitk.GetArrayFromImage(image), CELLS["von_mises"])
    assert image.GetSpacing() == pytest.approx(SPACING)
    assert image.GetOrigin() == pytest.approx(centre(turn))
    assert image.GetDirection() == pytest.approx(turn.ravel())
    assert image.GetMetaData("field units") == "MPa"


def test_nrrd_displacements_lie_along_the_axes_of_the_space(result):
    """Oracle: the first node is at the low corner. Vectors are rotated with the image."""
    source, turn = result
    export(source, "u.nrrd", ["displacement"])
    image = sitk.ReadImage("u.nrrd")
    assert image.GetOrigin() == pytest.approx(turn @ CORNER)
    expected = NODES["displacement"].astype("f8") @ turn.T
    np.testing.assert_allclose(sitk.GetArrayFromImage(image), expected, atol=1e-6)


@pytest.mark.parametrize("name", ["x.nii", "x.nii.gz"])
def test_nifti_by_nibabel(result, name):
    """Oracle: the axes of NIfTI point to the right and to the front, so that the first two rows change sign."""
    source, turn = result
    export(source, name, ["von_mises"])
    image = nibabel.load(name)
    np.testing.assert_array_equal(np.asarray(image.dataobj).T, CELLS["von_mises"])
    assert image.header.get_zooms() == pytest.approx(SPACING) and image.header.get_xyzt_units()[0] == "mm"
    if image.get_sform(coded=True)[1]:
        affine = np.eye(4)
        affine[:3, :3], affine[:3, 3] = turn * SPACING, centre(turn)
        np.testing.assert_allclose(image.affine, np.diag([-1, -1, 1, 1]) @ affine, atol=1e-5)


def test_nifti_displacements_by_simpleitk():
    """Oracle: ITK transforms displacements of a NIfTI file from RAS to LPS. In LPS, they equal the rotated
    displacements of the image."""
    export(result_file(TURN), "u.nii", ["displacement"])
    image = sitk.ReadImage("u.nii")
    assert image.GetOrigin() == pytest.approx(TURN @ CORNER, abs=1e-5)
    expected = NODES["displacement"].astype("f8") @ TURN.T
    np.testing.assert_allclose(sitk.GetArrayFromImage(image), expected, atol=1e-6)


def test_tiff_by_tifffile_and_simpleitk():
    export(result_file(TURN), "x.tif", ["von_mises"])
    np.testing.assert_array_equal(sitk.GetArrayFromImage(sitk.ReadImage("x.tif")), CELLS["von_mises"])
    assert read_image(_clean("x.tif")).spacing_mm == pytest.approx(SPACING[::-1])
    export("r.nc", "u.ome.tif", ["displacement"])
    with tifffile.TiffFile("u.ome.tif") as file:
        assert file.series[0].axes == "ZCYX" and 'PhysicalSizeZUnit="mm"' in file.ome_metadata
        np.testing.assert_array_equal(np.moveaxis(file.asarray(), 1, 3), NODES["displacement"])


@pytest.mark.parametrize("name", ["f.nrrd", "f.nii.gz", "f.npy"])
def test_what_is_exported_is_read_as_it_was(result, name):
    """Oracle: the exported file."""
    source, turn = result
    export(source, name, ["von_mises"], empty=-1.0)
    volume = read_image(name)
    np.testing.assert_array_equal(volume.values, np.nan_to_num(CELLS["von_mises"], nan=-1.0))
    np.testing.assert_allclose(volume.spacing_mm, SPACING[::-1], rtol=1e-6)
    placement = volume.placement
    direction = np.eye(3) if placement.direction is None else placement.direction
    if name != "f.nii.gz" or placement.direction is not None:  # NIfTI has no position without axes
        np.testing.assert_allclose(direction @ placement.corner_mm, turn @ CORNER, atol=1e-5)
    if not np.array_equal(turn, np.eye(3)):
        np.testing.assert_allclose(direction, turn, atol=1e-6)


def _clean(name: str) -> str:
    """The image without its NaN, because the reader of osteon rejects NaN."""
    export("r.nc", name, ["von_mises"], empty=-1.0)
    return name


def test_npy_has_its_facts_beside_it(result):
    source, _ = result
    export(source, "x.npy", ["stress"])
    np.testing.assert_array_equal(np.load("x.npy"), CELLS["stress"])
    facts = json.loads(Path("x.json").read_text())
    assert facts["spacing_mm"] == SPACING[::-1].tolist() and facts["origin_mm"] == CORNER[::-1].tolist()
    assert facts["components"] == ["xx", "yy", "zz", "xy", "yz", "xz"] and facts["units"] == "MPa"


def test_vti_by_vtk(result):
    """Oracle: the reader of VTK. Tensors are rotated as R S R^T. Strains have half the engineering shears."""
    vtk = pytest.importorskip("vtk")
    from vtk.util.numpy_support import vtk_to_numpy

    source, turn = result
    export(source, "x.vti", [])
    reader = vtk.vtkXMLImageDataReader()
    reader.SetFileName("x.vti")
    reader.Update()
    image = reader.GetOutput()
    assert image.GetDimensions() == (6, 5, 4) and image.GetSpacing() == pytest.approx(SPACING)
    matrix = image.GetDirectionMatrix()
    direction = [[matrix.GetElement(i, j) for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(direction, turn)
    corner = np.zeros(3)
    image.TransformIndexToPhysicalPoint(0, 0, 0, corner)
    assert corner == pytest.approx(turn @ CORNER)
    cells, points = image.GetCellData(), image.GetPointData()
    np.testing.assert_array_equal(vtk_to_numpy(cells.GetArray("von_mises")), CELLS["von_mises"].ravel())
    np.testing.assert_array_equal(vtk_to_numpy(cells.GetArray("material")), CELLS["material"].ravel())
    u = vtk_to_numpy(points.GetArray("displacement"))
    np.testing.assert_allclose(u, NODES["displacement"].reshape(-1, 3) @ turn.T, atol=1e-6)
    for name, shear in (("stress", 1.0), ("strain", 0.5)):
        xx, yy, zz, xy, yz, xz = CELLS[name].reshape(-1, 6).T.astype("f8") * np.array([[1, 1, 1, *[shear] * 3]]).T
        tensors = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
        turned = np.einsum("ia,nab,jb->nij", turn, tensors, turn)
        expected = np.stack([turned[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))], 1)
        expected[:, 3:] /= shear
        np.testing.assert_allclose(vtk_to_numpy(cells.GetArray(name)), expected, atol=1e-5)
    assert cells.GetArray("stress").GetComponentName(5) == "xz"


@pytest.mark.parametrize("name", ["x.nrrd", "x.nii.gz"])
def test_an_image_that_went_out_comes_in_again(name):
    """Invariant: values, spacing and placement equal those written."""
    export(result_file(TURN), name, ["von_mises"], empty=0.0)
    volume = read_image(name)
    np.testing.assert_array_equal(volume.values, np.nan_to_num(CELLS["von_mises"]))
    assert volume.spacing_mm == pytest.approx(SPACING[::-1])
    assert volume.placement.corner_mm == pytest.approx(CORNER, abs=1e-5)
    np.testing.assert_allclose(volume.placement.direction, TURN, atol=1e-6)


def test_one_component():
    export(result_file(TURN), "zz.nii", ["stress"], component="zz")
    np.testing.assert_array_equal(np.asarray(nibabel.load("zz.nii").dataobj).T, CELLS["stress"][..., 2])


def _spoilt(change) -> None:
    result_file(None)
    with Dataset("r.nc", "a") as file:
        change(file)


BAD = {
    "ending": (lambda: result_file(None), ["-o", "x.jpg", "-f", "sed"], "unknown file extension"),
    "no field": (lambda: result_file(None), ["-o", "x.nrrd"], "select a field.*von_mises"),
    "unknown field": (
        lambda: result_file(None),
        ["-o", "x.nrrd", "-f", "sed"],
        "no field 'sed'; available: displacement",
    ),
    "two fields": (lambda: result_file(None), ["-o", "x.nii", "-f", "stress", "-f", "strain"], "one field, but 2 were"),
    "tensor in nifti": (lambda: result_file(None), ["-o", "x.nii", "-f", "stress"], "--component"),
    "component": (
        lambda: result_file(None),
        ["-o", "x.nii", "-f", "stress", "--component", "q"],
        "has no component 'q'",
    ),
    "scalar": (lambda: result_file(None), ["-o", "x.nii", "-f", "material", "--component", "x"], "one value per voxel"),
    "missing": (lambda: None, ["-o", "x.nii", "-f", "sed"], "no file"),
    "text": (lambda: Path("r.nc").write_text("no"), ["-o", "x.nii", "-f", "sed"], "not a complete file of osteon"),
    "foreign": (lambda: _spoilt(lambda f: f.delncattr("product_schema")), ["-o", "x.vti"], "not a result of osteon"),
    "incomplete": (lambda: _spoilt(lambda f: f.setncattr("complete", 0)), ["-o", "x.vti"], "is incomplete"),
    "damaged": (
        lambda: _spoilt(lambda f: f["VTKHDF/CellData/material"].__setitem__((2, 0, 0), 9)),
        ["-o", "x.vti"],
        "plane 2 of 'material'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_exported_is_refused_in_one_line(case, capfd):
    make, arguments, words = BAD[case]
    make()
    before = sorted(p.name for p in Path().iterdir())
    assert main(["r.nc", *arguments]) == 3
    # A modification by netCDF removes the seal, so that the reader first prints a warning.
    err = "".join(line for line in capfd.readouterr().err.splitlines(True) if not line.startswith("warning: "))
    assert err.count("\n") == 1 and re.search(words, err), err
    assert sorted(p.name for p in Path().iterdir()) == before
