"""Export of meshes, surfaces and scripts. Oracle: independent readers (VTK, PyVista), and volumes and areas counted by
hand."""

import sys
import types
from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
import tifffile
from export_test import CELLS, CORNER, NODES, SHAPE, SPACING, TURN, result_file
from osteon.errors import DataError
from osteon.export.export import export, main

pv = pytest.importorskip("pyvista")
SOLID = CELLS["material"] > 0
MIRROR = TURN @ np.diag([1.0, 1.0, -1.0])  # a scan with left-handed axes


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("turn", [TURN, MIRROR, None])
def test_a_mesh_has_the_solid_and_its_values(turn):
    """Oracle: the number of voxels of the solid counted by NumPy, the values of the file, and positions computed by
    hand."""
    export(result_file(turn), "m.vtu", [])
    mesh, axes = pv.read("m.vtu"), np.eye(3) if turn is None else turn
    assert mesh.n_cells == SOLID.sum() and set(mesh.celltypes) == {pv.CellType.HEXAHEDRON}
    corners = mesh.points[mesh.cells_dict[pv.CellType.HEXAHEDRON]]
    edges = corners[:, [1, 3, 4]] - corners[:, :1]
    np.testing.assert_allclose(np.linalg.det(edges), SPACING.prod())  # positive, so that no cell is inverted
    np.testing.assert_array_equal(mesh["von_mises"], CELLS["von_mises"][SOLID])
    z, y, x = np.nonzero(SOLID)
    middles = (np.stack([x, y, z], 1) + 0.5) * SPACING + CORNER
    np.testing.assert_allclose(mesh.cell_centers().points, middles @ axes.T, atol=1e-9)
    places = np.rint((mesh.points @ axes - CORNER) / SPACING).astype(int)
    expected = NODES["displacement"][tuple(places.T[::-1])].astype("f8") @ axes.T
    np.testing.assert_allclose(mesh["displacement"], expected, atol=1e-6)
    assert len(np.unique(places, axis=0)) == mesh.n_points


def test_a_mesh_of_one_field():
    """Oracle: the requested list."""
    export(result_file(TURN), "m.vtu", ["stress"])
    assert pv.read("m.vtu").array_names == ["stress"]


@pytest.mark.parametrize("turn", [TURN, MIRROR, None])
@pytest.mark.parametrize("ending", [".msh", ".xdmf"])
def test_meshes_of_meshio_hold_the_same(ending, turn):
    """Oracle: the mesh of the .vtu file as VTK reads it, cell by cell and node by node. meshio reads the exported
    formats."""
    meshio = pytest.importorskip("meshio")
    source = result_file(turn)
    export(source, "m.vtu", [])
    export(source, f"m{ending}", [])
    expected, mesh = pv.read("m.vtu"), meshio.read(f"m{ending}")
    np.testing.assert_allclose(mesh.points, expected.points, atol=1e-9)
    (cells,) = mesh.cells
    np.testing.assert_array_equal(cells.data, expected.cells_dict[pv.CellType.HEXAHEDRON])
    full = [[0, 3, 5], [3, 1, 4], [5, 4, 2]]
    for name, values in ((n, expected.cell_data[n]) for n in expected.cell_data):
        found = mesh.cell_data[name][0].reshape(len(values), -1)
        if ending == ".msh" and values.ndim == 2 and values.shape[1] == 6:
            half = np.where(np.eye(3, dtype=bool), 1, 0.5 if name == "strain" else 1)
            values = (values[:, full] * half).reshape(len(values), 9)
        np.testing.assert_allclose(found, values.reshape(len(values), -1), rtol=1e-6, err_msg=name)
    np.testing.assert_allclose(mesh.point_data["displacement"], expected.point_data["displacement"], rtol=1e-6)
    if ending == ".msh":
        np.testing.assert_array_equal(mesh.cell_data["gmsh:physical"][0], expected.cell_data["material"])
    else:
        assert Path("m.h5").exists()


def test_the_data_of_an_xdmf_replace_no_file_but_their_own() -> None:
    """Oracle: the bytes of an existing file. A second export replaces the first export."""
    pytest.importorskip("meshio")
    source = result_file(TURN)
    Path("m.h5").write_bytes(b"a model of somebody")
    with pytest.raises(DataError, match=r"m\.h5.*choose another name"):
        export(source, "m.xdmf", ["stress"])
    assert Path("m.h5").read_bytes() == b"a model of somebody"
    assert not Path("m.xdmf").exists()
    Path("m.h5").unlink()
    export(source, "m.xdmf", ["stress"])
    export(source, "m.xdmf", ["displacement"])
    assert pytest.importorskip("meshio").read("m.xdmf").point_data.keys() == {"displacement"}


def test_a_mesh_of_nastran_has_materials_and_no_fields():
    """Oracle: the reader of meshio. A field is rejected, so that it is not lost."""
    meshio = pytest.importorskip("meshio")
    source = result_file(TURN)
    export(source, "m.bdf", [])
    export(source, "m.vtu", [])
    mesh, expected = meshio.read("m.bdf"), pv.read("m.vtu")
    np.testing.assert_allclose(mesh.points, expected.points, atol=1e-6)
    np.testing.assert_array_equal(mesh.cells[0].data, expected.cells_dict[pv.CellType.HEXAHEDRON])
    np.testing.assert_array_equal(mesh.cell_data["nastran:ref"][0], expected.cell_data["material"])
    with pytest.raises(DataError, match="contains no fields"):
        export(source, "n.bdf", ["von_mises"])
    with pytest.raises(DataError, match="no field 'sad'"):
        export(source, "n.msh", ["sad"])
    assert not Path("n.bdf").exists()
    assert not Path("n.msh").exists()


def test_without_meshio_the_message_says_what_to_install(monkeypatch, capsys):
    """Oracle: the contract, with exit code 5, the name of the package, and no file."""
    source = result_file(TURN)
    monkeypatch.setitem(sys.modules, "meshio", None)
    assert main([str(source), "-o", "m.msh"]) == 5
    assert "meshio" in capsys.readouterr().err
    assert not Path("m.msh").exists()


def faces() -> float:
    """Area between solid and empty voxels, computed by differences. The outside is empty."""
    area = 0.0
    for axis, across in enumerate((0, 1, 2)):
        edges = np.delete(SPACING[::-1], across)
        area += np.abs(np.diff(np.pad(SOLID, 1).astype(int), axis=axis)).sum() * edges.prod()
    return area


@pytest.mark.parametrize("turn", [TURN, MIRROR, None])
def test_a_surface_is_that_of_the_voxels(turn):
    """Oracle: area and volume of the voxels. For faces that are seen from the inside, the divergence theorem yields a
    negative volume."""
    export(result_file(turn), "s.stl", [])
    surface = pv.read("s.stl")
    assert surface.area == pytest.approx(faces(), rel=1e-5)
    corners = surface.points[surface.regular_faces].astype("f8")
    inside = np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert inside == pytest.approx(SOLID.sum() * SPACING.prod(), rel=1e-4)
    raw = Path("s.stl").read_bytes()
    assert len(raw) == 84 + 50 * surface.n_cells  # size of a binary STL file with n triangles


def test_a_smooth_surface_stays_within_half_a_voxel():
    """Oracle: the stated distance. The area of a ball is closer to 4 pi r^2 than to the area of its voxels, 6 pi
    r^2."""
    from osteon.export.mesh import SolidMesh, _write_smooth
    from osteon.images.placement import Placement
    from osteon.results.result_fields import Field

    at = np.indices((24, 24, 24)) - 11.5
    ball = (np.sqrt((at**2).sum(0)) < 9).astype("u1")
    field = Field("material", ball, "1", False, np.full(3, 0.5), Placement(np.zeros(3)))
    _write_smooth(SolidMesh(field), Path("b.stl"), 40)
    surface = pv.read("b.stl").clean()
    assert surface.is_manifold
    assert surface.area == pytest.approx(4 * np.pi * 4.5**2, rel=0.05)
    middle = np.linalg.norm(surface.points - 6.0, axis=1)
    assert middle.min() > 4.5 - 0.75 and middle.max() < 4.5 + 0.75


def test_metaimage_by_simpleitk():
    """Oracle: the reader of ITK. Components are along LPS."""
    export(result_file(TURN), "u.mha", ["displacement"])
    image = sitk.ReadImage("u.mha")
    assert image.GetSpacing() == pytest.approx(SPACING) and image.GetOrigin() == pytest.approx(TURN @ CORNER)
    assert image.GetDirection() == pytest.approx(TURN.ravel())
    expected = NODES["displacement"].astype("f8") @ TURN.T
    np.testing.assert_allclose(sitk.GetArrayFromImage(image), expected, atol=1e-6)


def test_plain_imagej_knows_the_spacing():
    """Oracle: the metadata that ImageJ reads. The description contains unit and spacing. The tags contain the
    resolution without its own unit."""
    export(result_file(TURN), "x.tif", ["von_mises"])
    with tifffile.TiffFile("x.tif") as file:
        assert file.imagej_metadata["unit"] == "mm" and file.imagej_metadata["spacing"] == SPACING[2]
        tags = file.pages[0].tags
        assert tags["XResolution"].value[0] / tags["XResolution"].value[1] == pytest.approx(1 / SPACING[0])
        assert tags["YResolution"].value[0] / tags["YResolution"].value[1] == pytest.approx(1 / SPACING[1])
        assert tags["ResolutionUnit"].value == 1
        np.testing.assert_array_equal(file.asarray(), CELLS["von_mises"])
    export("r.nc", "u.tif", ["displacement"])
    with tifffile.TiffFile("u.tif") as file:
        assert file.is_imagej and file.series[0].axes == "ZCYX"
        np.testing.assert_array_equal(np.moveaxis(file.asarray(), 1, 3), NODES["displacement"])


class Recorder(types.ModuleType):
    """A substitute for a module of another program. The substitute accepts every call and stores the attributes that
    are set."""

    def __init__(self, name: str, **known: object) -> None:
        super().__init__(name)
        self.__dict__.update(known)


@pytest.mark.parametrize(("version", "opened"), [((5, 13), "r.vtkhdf"), ((5, 11), "r.xdmf")])
def test_the_script_for_paraview(monkeypatch, version, opened):
    """Oracle: the calls that the Python of ParaView provides, recorded by a substitute. This test does not run
    ParaView."""
    result_file(TURN)
    Path("r.vtkhdf").hardlink_to("r.nc")
    Path("r.xdmf").write_text("<Xdmf/>")
    export("r.nc", "open.py", ["von_mises"], open_in="paraview")
    calls: list[tuple] = []

    class Anything:
        def __getattr__(self, name):
            return lambda *a, **k: calls.append((name, *a))

    def note(name):
        return lambda *a, **k: (calls.append((name, *a)), Anything())[1]

    names = [
        "OpenDataFile",
        "Threshold",
        "RenameSource",
        "GetActiveViewOrCreate",
        "Hide",
        "Show",
        "ColorBy",
        "GetColorTransferFunction",
        "GetScalarBar",
        "ResetCamera",
        "Render",
    ]
    simple = Recorder("paraview.simple", **{n: note(n) for n in names})
    manager = types.SimpleNamespace(GetVersionMajor=lambda: version[0], GetVersionMinor=lambda: version[1])
    servers = Recorder("paraview.servermanager", vtkSMProxyManager=manager)
    monkeypatch.setitem(sys.modules, "paraview", Recorder("paraview", simple=simple, servermanager=servers))
    monkeypatch.setitem(sys.modules, "paraview.simple", simple)
    exec(compile(Path("open.py").read_text(), "open.py", "exec"), {"__name__": "__main__"})
    assert ("OpenDataFile", str(Path(opened).resolve())) in calls
    low, high = next(c[1:] for c in calls if c[0] == "RescaleTransferFunction")
    assert low == pytest.approx(np.nanmin(CELLS["von_mises"])) and low < high <= np.nanmax(CELLS["von_mises"])


def test_the_script_for_slicer_has_its_images():
    """Oracle: ITK reads the images. Their values are below the display threshold only in empty voxels."""
    export(result_file(TURN), "open.py", ["von_mises"], open_in="slicer")
    compile(Path("open.py").read_text(), "open.py", "exec")
    image = sitk.ReadImage("open.von_mises.nrrd")
    values = sitk.GetArrayFromImage(image)
    np.testing.assert_array_equal(values < 0, np.isnan(CELLS["von_mises"]))
    assert image.GetOrigin() == pytest.approx(TURN @ (CORNER + SPACING / 2))
    np.testing.assert_array_equal(sitk.GetArrayFromImage(sitk.ReadImage("open.solid.nrrd")), CELLS["material"])
    assert sorted(p.name for p in Path().iterdir()) == ["open.py", "open.solid.nrrd", "open.von_mises.nrrd", "r.nc"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "m.vtu", "-f", "sed"], "no field 'sed'; available: displacement"),
        (["-o", "m.vtu", "--empty", "0"], "--component and --empty apply to images"),
        (["-o", "s.stl", "-f", "stress"], "contains no fields"),
        (["-o", "x.nrrd", "-f", "stress", "--smooth", "3"], "--smooth applies to surfaces"),
        (["-o", "s.stl", "--smooth", "-1"], r"--smooth -1 must be in \[0, 1000\]"),
        (["-o", "o.txt", "--open-in", "paraview"], "writes a script"),
        (["-o", "o.py", "--open-in", "slicer", "-f", "displacement"], "is defined on nodes"),
        (["-o", "o.py", "--open-in", "slicer", "-f", "sed"], "no field 'sed'"),
    ],
)
def test_what_is_refused(capfd, arguments, words):
    """Oracle: the contract, with exit code 3, one line, and no file."""
    import re

    result_file(TURN)
    assert main(["r.nc", *arguments]) == 3
    err = capfd.readouterr().err
    assert err.count("\n") == 1 and re.search(words, err), err
    assert [p.name for p in Path().iterdir()] == ["r.nc"]


def test_a_solid_of_nothing_is_refused(capfd):
    """Oracle: the contract."""
    from netCDF4 import Dataset

    result_file(TURN)
    with Dataset("r.nc", "a") as file:
        file["VTKHDF/CellData/material"][:] = 0
        import xxhash

        rows = [
            xxhash.xxh64(np.zeros((min(2, SHAPE[0] - z), *SHAPE[1:]), "u1")).hexdigest() for z in range(0, SHAPE[0], 2)
        ]
        file["integrity/material"][:] = np.array([list(r) for r in rows], "S1")
    for name in ("m.vtu", "s.stl"):
        assert main(["r.nc", "-o", name]) == 3
        assert "no solid voxel" in capfd.readouterr().err
