"""Tests that netCDF4, h5py, the VTKHDF reader of VTK and its XDMF reader return equal contents of a result file.

Oracle: the functions of the position in tests/io/sample.hpp, written again in NumPy. The tests need osteon_write_sample
in OSTEON_BUILD_DIR (default build/release).
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import time

import pytest

np = pytest.importorskip("numpy")
netCDF4 = pytest.importorskip("netCDF4")

ROOT = pathlib.Path(__file__).parents[2]
BUILD = ROOT / os.environ.get("OSTEON_BUILD_DIR", "build/release")
WRITER = BUILD / "tests" / "osteon_write_sample"
OSTEON = BUILD / "src" / "app" / "osteon"
SHAPE = (13, 120, 110)

pytestmark = pytest.mark.skipif(not WRITER.exists(), reason=f"{WRITER} is not built")


def command(directory, ranks, **options):
    words = [f"{key}={value}" for key, value in options.items()]
    return [ROOT / "tools/mpirun.sh", str(ranks), WRITER, str(directory), *words]


def verify(*arguments):
    return subprocess.run([OSTEON, "verify", *arguments], capture_output=True, text=True, timeout=60)


def render(*arguments):
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    small = ["--field", "sed", "--width", "32", "--height", "32"]
    return subprocess.run(
        [OSTEON, "render", *arguments, *small], capture_output=True, text=True, timeout=120, env=environment
    )


def need(program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed (Debian: netcdf-bin)")
    return program


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
    xxhash = pytest.importorskip("xxhash")
    want = [xxhash.xxh3_64(u[i : i + chunk].tobytes()).hexdigest() for i in range(0, len(u), chunk)]
    assert digests(directory / "sample.vtkhdf")["displacement"] == want


@pytest.mark.parametrize("ranks", [1, 2, 5, 7])
def test_digests_do_not_depend_on_the_ranks(directory, tmp_path, ranks):
    subprocess.run(command(tmp_path, ranks), check=True, timeout=60)
    assert digests(tmp_path / "sample.vtkhdf") == digests(directory / "sample.vtkhdf")


def check_image(image, tensor_components=6):
    from vtk.util.numpy_support import vtk_to_numpy

    material, sed, u = expected()
    assert image.GetDimensions() == tuple(n + 1 for n in reversed(SHAPE))
    assert np.allclose(image.GetSpacing(), (0.1, 0.2, 0.3)) and np.allclose(image.GetOrigin(), (1, 2, 3))
    cells, points = image.GetCellData(), image.GetPointData()
    assert np.array_equal(vtk_to_numpy(cells.GetArray("material")).reshape(SHAPE), material)
    assert np.array_equal(vtk_to_numpy(cells.GetArray("sed")).reshape(SHAPE), sed, equal_nan=True)
    tensor = vtk_to_numpy(cells.GetArray("strain"))
    assert tensor.shape == (np.prod(SHAPE), tensor_components)
    if tensor_components == 9:  # a full symmetric matrix; VTK has the order xx, yy, zz, xy, yz, xz for six components
        matrix = tensor.reshape(-1, 3, 3)
        assert np.array_equal(matrix, matrix.transpose(0, 2, 1), equal_nan=True)
        tensor = tensor[:, [0, 4, 8, 1, 5, 2]]
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
    check_image(reader.GetOutputDataObject(0), tensor_components=9)


def test_h5py_reads_the_same(directory):
    h5py = pytest.importorskip("h5py")
    with h5py.File(directory / "sample.vtkhdf") as file:
        assert np.array_equal(file["VTKHDF/CellData/material"][:], expected()[0])


def metadata_digest(path):
    """The digest of docs/reference/format.md, "Digests", in NumPy."""
    lines = set()

    def attributes(owner, place):
        for name in owner.ncattrs():
            if place == "/" and name in ("complete", "history", "_NCProperties", "NCO"):
                continue
            value = owner.getncattr(name)
            if isinstance(value, str):
                kind, raw = 2, value.encode()
            else:
                value = np.asarray(value)
                kind = {"u1": 7, "i4": 4, "i8": 10, "f4": 5, "f8": 6}[value.dtype.str[1:]]
                raw = value.tobytes()
            lines.add(f"attribute {place}@{name} {kind} {raw.hex()}\n")

    def walk(group, place):
        attributes(group, place)
        for name, v in group.variables.items():
            if place == "/" and v.ndim > 2:  # another name of a field
                continue
            kind = {"u1": 7, "S1": 2, "i8": 10, "f4": 5, "f8": 6}[v.dtype.str[1:]]
            line = f"variable {place}{name} {kind}"
            line += "".join(f" {d}={n}" for d, n in zip(v.dimensions, v.shape, strict=True))
            if not place.startswith("/VTKHDF/"):
                line += " " + hashlib.sha256(np.ascontiguousarray(v[:]).tobytes()).hexdigest()
            lines.add(line + "\n")
            attributes(v, place + name)
        for name, inner in group.groups.items():
            if (place, name) != ("/", "integrity"):
                walk(inner, f"{place}{name}/")

    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        file.set_auto_chartostring(False)
        walk(file, "/")
        return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest(), file["integrity"].metadata_sha256


# Oracle: the digest of the metadata, computed independently from the description of the format.
def test_the_metadata_digest_is_the_documented_one(directory):
    computed, stored = metadata_digest(directory / "sample.vtkhdf")
    assert computed == stored


def test_xarray_reads_the_same(directory):
    xarray = pytest.importorskip("xarray")
    material, sed, u = expected()
    with xarray.open_dataset(directory / "sample.vtkhdf", group="VTKHDF/CellData", engine="netcdf4") as cells:
        assert cells["sed"].dims == ("z", "y", "x") and cells["sed"].attrs["units"] == "MPa"
        assert np.array_equal(cells["sed"].values, sed, equal_nan=True)
        assert np.array_equal(cells["material"].values, material)
    with xarray.open_dataset(directory / "sample.vtkhdf", group="VTKHDF/PointData", engine="netcdf4") as points:
        assert np.array_equal(points["displacement"].values, u, equal_nan=True)


def test_ncdump_reads_the_header(directory):
    text = subprocess.run(
        [need("ncdump"), "-h", directory / "sample.vtkhdf"], capture_output=True, text=True, check=True
    )
    for part in ('Conventions = "CF-1.11"', "float sed(z, y, x)", "displacement(zn, yn, xn, c)", 'Type = "ImageData"'):
        assert part in text.stdout


@pytest.mark.parametrize("options", [["-d", "9"], ["-d", "0"], ["-c", "z/4,y/50,x/60,zn/3,yn/7,xn/111"]])
def test_a_copy_by_nccopy_is_read_the_same(directory, tmp_path, options):
    copy = tmp_path / "copy.vtkhdf"
    subprocess.run([need("nccopy"), *options, directory / "sample.vtkhdf", copy], check=True, timeout=60)
    assert digests(copy) == digests(directory / "sample.vtkhdf")
    answer = verify(copy)
    assert answer.returncode == 0 and "no seal" in answer.stdout, answer
    picture = render(copy, "-o", tmp_path / "copy.png")
    assert picture.returncode == 0 and picture.stderr.count("copy.vtkhdf' has no seal") == 1, picture
    assert verify("--seal", copy).returncode == 0
    picture = render(copy, "-o", tmp_path / "copy.png")
    assert picture.returncode == 0 and "seal" not in picture.stderr, picture
    assert "no seal" not in verify(copy).stdout
    vtk = pytest.importorskip("vtk")
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(copy))
    reader.Update()
    check_image(reader.GetOutput())


# Oracle: equal values and digests. In an environment without the filter, one message contains the remedy.
def test_zstd(directory, tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "HDF5_PLUGIN_PATH"}
    refused = subprocess.run(
        command(tmp_path, 2, compression="zstd"), env=environment, capture_output=True, text=True, timeout=60
    )
    assert refused.returncode == 2 and "pip install hdf5plugin" in refused.stderr and not list(tmp_path.iterdir())
    hdf5plugin = pytest.importorskip("hdf5plugin")
    environment["HDF5_PLUGIN_PATH"] = hdf5plugin.PLUGIN_PATH
    subprocess.run(command(tmp_path, 3, compression="zstd"), check=True, timeout=60, env=environment)
    path = tmp_path / "sample.vtkhdf"
    assert digests(path) == digests(directory / "sample.vtkhdf")
    h5py = pytest.importorskip("h5py")
    with h5py.File(path) as file:
        assert "32015" in file["VTKHDF/CellData/sed"]._filters
        assert np.array_equal(file["VTKHDF/CellData/sed"][:], expected()[1], equal_nan=True)
    assert verify(path).returncode == 0  # the program finds the package without help
    environment["HDF5_PLUGIN_PATH"] = "/nowhere"
    checked = subprocess.run([OSTEON, "verify", path], env=environment, capture_output=True, text=True, timeout=60)
    assert checked.returncode == 3 and "CellData/sed: cannot be read: HDF5 filter 32015" in checked.stdout


def test_uncompressed_and_aligned(directory, tmp_path):
    subprocess.run(command(tmp_path, 2, compression="none", alignment=1 << 16), check=True, timeout=60)
    assert digests(tmp_path / "sample.vtkhdf") == digests(directory / "sample.vtkhdf")
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "sample.vtkhdf") as file:
        for name in ("CellData/sed", "CellData/strain", "PointData/displacement"):
            data = file["VTKHDF"][name]
            assert data.chunks is None and data.id.get_offset() % (1 << 16) == 0


# Oracle: every flipped bit and every truncation is reported with exit code 3, within a short time.
def test_verify_finds_every_damage(directory, tmp_path):
    good = (directory / "sample.vtkhdf").read_bytes()
    assert verify(directory / "sample.vtkhdf").returncode == 0
    path = tmp_path / "damaged.vtkhdf"
    source = random.Random(7)
    paths = []
    for trial in range(60):
        bad = bytearray(good)
        if trial % 3 == 0:
            del bad[source.randrange(len(bad)) :]
        else:
            bad[source.randrange(len(bad))] ^= 1 << source.randrange(8)
        path = tmp_path / f"damaged_{trial}.vtkhdf"
        path.write_bytes(bad)
        paths.append(path)
    start = time.monotonic()
    answer = verify("--json", "-", *paths)
    assert answer.returncode == 3
    for file in json.loads(answer.stdout)["files"]:
        assert file["faults"], file
    assert time.monotonic() - start < 60


# Oracle: an incomplete file has another name, and a complete file has a seal. Copies by other programs preserve the
# digests.
def test_pictures_of_what_is_no_whole_result_are_refused(directory, tmp_path):
    good = directory / "sample.vtkhdf"
    unfinished = tmp_path / "sample.vtkhdf.tmp.host.4711"
    shutil.copy(good, unfinished)
    damaged = tmp_path / "damaged.vtkhdf"
    subprocess.run([need("nccopy"), "-d", "0", good, damaged], check=True, timeout=60)
    with netCDF4.Dataset(damaged, "a") as file:
        file["VTKHDF/CellData/sed"][7, 50, 50] = 4e37
    cut = tmp_path / "cut.vtkhdf"
    cut.write_bytes(good.read_bytes()[:-7])
    for path, words in (
        (unfinished, "incomplete file of a running"),
        (damaged, "CellData/sed, planes 0 to"),
        (cut, "no seal at its end"),
    ):
        picture = render(path, "-o", tmp_path / "x.png")
        assert picture.returncode == 3 and words in picture.stderr and path.name in picture.stderr, picture
        assert not (tmp_path / "x.png").exists()


# Oracle: the times that VTK reads from the file. The reader of PyVista requests the times and fails if there are none.
def test_xdmf_states_a_time(directory):
    vtk = pytest.importorskip("vtk")
    if not hasattr(vtk, "vtkXdmfReader"):
        pytest.skip("this VTK has no XDMF reader")
    reader = vtk.vtkXdmfReader()
    reader.SetFileName(str(directory / "sample.xdmf"))
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    assert information.Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS()) == (0.0,)


def test_a_killed_writer_leaves_the_older_result(tmp_path):
    target = tmp_path / "sample.vtkhdf"
    source = random.Random(3)
    killed = 0
    for _ in range(10):
        target.write_bytes(b"older")
        job = subprocess.Popen(command(tmp_path, 2, planes=150), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(source.uniform(0.2, 2.5))
        job.kill()
        job.wait()
        time.sleep(0.5)  # the ranks detect the end of mpirun and exit
        if target.read_bytes()[:5] == b"older":
            killed += 1
            continue
        with netCDF4.Dataset(target) as file:
            file.set_auto_mask(False)
            assert file.complete == 1
            assert np.array_equal(file["VTKHDF/CellData/material"][:], expected((150, 120, 110))[0])
    assert killed > 0
