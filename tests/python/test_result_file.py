"""A results file is read the same by netCDF4, h5py, VTK's VTKHDF reader and VTK's XDMF reader.

Oracle: the functions of the position in tests/io/sample.hpp, written out again in NumPy.
Needs osteon_write_sample in OSTEON_BUILD_DIR (default build/release).
"""

import hashlib
import os
import pathlib
import random
import subprocess
import time

import pytest

np = pytest.importorskip("numpy")
netCDF4 = pytest.importorskip("netCDF4")

ROOT = pathlib.Path(__file__).parents[2]
WRITER = ROOT / os.environ.get("OSTEON_BUILD_DIR", "build/release") / "tests" / "osteon_write_sample"
SHAPE = (13, 120, 110)

pytestmark = pytest.mark.skipif(not WRITER.exists(), reason=f"{WRITER} is not built")


def command(directory, ranks, planes=SHAPE[0]):
    return [ROOT / "tools/mpirun.sh", str(ranks), WRITER, str(directory), str(planes)]


def expected(shape=SHAPE):
    z, y, x = np.indices(shape)
    material = np.where(z % 5 == 3, 0, (z * 7 + y * 3 + x * x) % 3).astype("u1")
    sed = np.where(material == 0, np.nan, z + 0.25 * y - 0.125 * x).astype("f4")
    z, y, x = np.indices([n + 1 for n in shape])
    u = np.stack([x, y, z], -1).astype("f4")
    u[(z + y + x) % 11 == 0] = np.nan
    return material, sed, u


def expected_strain(sed):
    return sed[..., None] * np.arange(1, 7, dtype="f4")


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample")
    subprocess.run(command(path, 3), check=True, timeout=60)
    return path


def digests(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        group = file["integrity"]
        return {name: [b"".join(row).decode() for row in v[:]] for name, v in group.variables.items()}


def test_netcdf_reads_what_was_written(directory):
    material, sed, u = expected()
    with netCDF4.Dataset(directory / "sample.vtkhdf") as file:
        file.set_auto_mask(False)
        assert file.complete == 1 and file.product_schema == "osteon-result 1.0"
        assert np.array_equal(file["VTKHDF/CellData/material"][:], material)
        assert np.array_equal(file["VTKHDF/CellData/sed"][:], sed, equal_nan=True)
        assert np.array_equal(file["VTKHDF/CellData/strain"][:], expected_strain(sed), equal_nan=True)
        assert file["VTKHDF/CellData/strain"].components == "xx yy zz xy yz xz"
        assert np.array_equal(file["VTKHDF/PointData/displacement"][:], u, equal_nan=True)
        assert file["x"].units == "mm" and np.allclose(file["x"][:], 1 + 0.1 * (np.arange(110) + 0.5))
        assert file["VTKHDF/CellData/material"].flag_meanings == "empty trabecular_bone cortical"
        assert np.isnan(file["VTKHDF/CellData/sed"]._FillValue)
        chunk = int(file["integrity/displacement"].planes_per_digest)
    want = [hashlib.sha256(u[i : i + chunk].tobytes()).hexdigest() for i in range(0, len(u), chunk)]
    assert digests(directory / "sample.vtkhdf")["displacement"] == want


@pytest.mark.parametrize("ranks", [1, 2, 5, 7])
def test_digests_do_not_depend_on_the_ranks(directory, tmp_path, ranks):
    subprocess.run(command(tmp_path, ranks), check=True, timeout=60)
    assert digests(tmp_path / "sample.vtkhdf") == digests(directory / "sample.vtkhdf")


def check_image(image):
    from vtk.util.numpy_support import vtk_to_numpy

    material, sed, u = expected()
    assert image.GetDimensions() == tuple(n + 1 for n in reversed(SHAPE))
    assert np.allclose(image.GetSpacing(), (0.1, 0.2, 0.3)) and np.allclose(image.GetOrigin(), (1, 2, 3))
    cells, points = image.GetCellData(), image.GetPointData()
    assert np.array_equal(vtk_to_numpy(cells.GetArray("material")).reshape(SHAPE), material)
    assert np.array_equal(vtk_to_numpy(cells.GetArray("sed")).reshape(SHAPE), sed, equal_nan=True)
    tensor = vtk_to_numpy(cells.GetArray("strain"))  # six components in our order: XDMF must not turn them round
    assert np.array_equal(tensor.reshape(*SHAPE, 6), expected_strain(sed), equal_nan=True)
    assert np.array_equal(vtk_to_numpy(points.GetArray("displacement")).reshape(u.shape), u, equal_nan=True)


def test_vtkhdf_reader(directory):
    vtk = pytest.importorskip("vtk")
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(directory / "sample.vtkhdf"))
    reader.Update()
    check_image(reader.GetOutput())


def test_xdmf_reader(directory):
    vtk = pytest.importorskip("vtk")
    if not hasattr(vtk, "vtkXdmfReader"):
        pytest.skip("this VTK has no XDMF reader")
    reader = vtk.vtkXdmfReader()
    reader.SetFileName(str(directory / "sample.xdmf"))
    reader.Update()
    check_image(reader.GetOutputDataObject(0))


def test_h5py_reads_the_same(directory):
    h5py = pytest.importorskip("h5py")
    with h5py.File(directory / "sample.vtkhdf") as file:
        assert np.array_equal(file["VTKHDF/CellData/material"][:], expected()[0])


def test_a_killed_writer_leaves_the_older_result(tmp_path):
    target = tmp_path / "sample.vtkhdf"
    source = random.Random(3)
    killed = 0
    for _ in range(10):
        target.write_bytes(b"older")
        job = subprocess.Popen(command(tmp_path, 2, 150), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(source.uniform(0.2, 2.5))
        job.kill()
        job.wait()
        time.sleep(0.5)  # the ranks see that mpirun is gone and end themselves
        if target.read_bytes()[:5] == b"older":
            killed += 1
            continue
        with netCDF4.Dataset(target) as file:
            file.set_auto_mask(False)
            assert file.complete == 1
            assert np.array_equal(file["VTKHDF/CellData/material"][:], expected((150, 120, 110))[0])
    assert killed > 0
