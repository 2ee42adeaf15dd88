"""Tests of unusual arguments and files. Each causes an error of osteon with one sentence before any data are copied."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from whole_job import BINARY, osteon

import osteon as package
from osteon import DataError, Error, UsageError

BONE = np.zeros((8, 8, 8), bool)
BONE[:, 2:6, 2:6] = True
ELASTIC = {"youngs_modulus_MPa": 1000.0, "poisson_ratio": 0.3}
JOB = (
    '[image]\npath = "scan.npy"\nspacing_mm = 1.0\n[segment]\nthreshold = 100\n[[material]]\nyoungs_modulus_MPa = 1.0\n'
    'poisson_ratio = 0.3\n[load]\ntest = "axial_bonded"\n[picture]\nenabled = false\n'
)

needs_program = pytest.mark.skipif(not BINARY.exists(), reason=f"{BINARY} is not built")


def repeated(shape: tuple[int, ...], kind: str = "u1") -> np.ndarray:
    """One value with strides of zero. The array allocates no memory."""
    return np.lib.stride_tricks.as_strided(np.ones(1, kind), shape, (0,) * len(shape))


@pytest.mark.parametrize("shape", [(1 << 20,) * 3, (1 << 14, 1 << 14, 1 << 14)])
def test_a_repeated_array_is_measured_before_it_is_copied(shape, tmp_path, monkeypatch):
    """Oracle: determined by hand, with 2^60 and 2^42 voxels. No file is written."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for call in (
        lambda: package.morphometry(repeated(shape), 0.05),
        lambda: package.morphometry(BONE, 0.05, compartments={"total": repeated(shape)}),
        lambda: package.stiffness(repeated(shape), 0.05, **ELASTIC),
        lambda: package.tortuosity(pores=repeated(shape, "?"), spacing_mm=0.05),
    ):
        with pytest.raises(DataError, match=rf"{shape[0]} x {shape[1]} x {shape[2]} = .* voxels of 1 bytes.*memory"):
            call()
    assert list(tmp_path.iterdir()) == []


def test_a_repeated_array_that_fits_is_an_image():
    """Oracle: the same array in memory."""
    from osteon.calls.arguments import array_of

    slice_ = np.arange(64, dtype="u1").reshape(1, 8, 8)
    many = np.broadcast_to(slice_, (20, 8, 8))
    assert np.array_equal(array_of(many), np.repeat(slice_, 20, axis=0))


@pytest.mark.parametrize(
    "spacing",
    ["x", "0.05", b"1", None, True, 1j, [1, 2], [1, 2, 3, 4], [[1, 2, 3]], {"z": 1}, [None] * 3, 10**400, [], object()],
)
def test_a_spacing_is_one_number_or_three(spacing):
    for call in (package.morphometry, lambda *given: package.stiffness(*given, **ELASTIC)):
        with pytest.raises(
            UsageError, match=r"^spacing_mm: .{1,61} (must be one number or three|is too large)|^spacing_mm: missing"
        ) as reported:
            call(BONE, spacing)
        assert reported.value.__context__ is None or reported.value.__suppress_context__


@pytest.mark.parametrize(
    "spacing", [2, 2.0, np.float32(2), np.int16(2), [2, 2, 2], (2.0, 2, 2), np.full(3, 2.0), np.array(2)]
)
def test_spacings_of_any_number_type(spacing):
    from osteon.calls.arguments import spacing_of

    assert spacing_of(spacing) == [2.0] * 3


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ({"output": 3}, r"output: 3 is not a table"),
        ({"run": [1]}, r"run: \[1\] is not a table"),
        ({"output": {"directory": 3}}, r"output\.directory is 3; pass a path"),
        ({"output": {"directory": "a\0b"}}, "must not contain a NUL"),
        ({"output": {"fields": {1}}}, r"output\.fields: \{1\} has the type set"),
        ({"strain": 1j}, r"strain: 1j has the type complex"),
        ({"axis": "\ud800"}, r"axis: '\\ud800' contains half of a surrogate pair"),
        ({"progress": 3}, "progress is 3; pass True"),
    ],
)
def test_values_that_no_job_has(options, printed):
    with pytest.raises(UsageError, match=printed):
        package.stiffness(BONE, 0.05, **{**ELASTIC, **options})


@pytest.mark.parametrize("call", [package.run, package.load, package.load_fields])
@pytest.mark.parametrize("path", [3, None, b"x", "a\0b", "a" * 5000])
def test_paths_that_no_system_has(call, path):
    with pytest.raises(Error):
        call(path)


def test_a_job_is_not_nested_without_end():
    job: dict = {}
    for _ in range(3000):
        job = {"a": job}
    with pytest.raises(UsageError, match="nested"):
        package.run(job)


def test_exceptions_of_the_callers_progress_function_stay():
    class OwnError(OSError):
        pass

    def listener(*_):
        raise OwnError("mine")

    with pytest.raises(OwnError, match="mine"):
        package.stiffness(BONE, 0.05, **ELASTIC, progress=listener)


@needs_program
def test_without_descriptors_the_limit_is_named(tmp_path):
    """Oracle: the soft limit of the process."""
    script = (
        "import numpy as np, osteon, resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "mask = np.ones((4, 4, 4), bool)\nosteon.UsageError\nkept = []\n"
        "import tomli_w, tempfile, netCDF4, osteon.results.result_file\n"
        "try:\n    while True: kept.append(open('/dev/null'))\nexcept OSError: pass\n"
        "for left in (0, 1, 3):\n    for _ in range(left): kept.pop().close()\n"
        "    for call in (lambda: osteon.morphometry(mask, 1), lambda: osteon.run('job.toml'), lambda: osteon.load('job.out')):\n"
        "        try: call()\n        except osteon.MachineError as e: assert 'uses all of its 64 file descriptors' in str(e), e\n"
        "        except osteon.DataError as e: assert left, e\n"
    )
    (tmp_path / "job.toml").write_text(JOB)
    (tmp_path / "job.out").mkdir()
    (tmp_path / "job.out" / "summary.json").write_text("{}")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


@needs_program
def test_a_backslash_in_a_path_is_named(tmp_path):
    """Oracle: determined by hand. netCDF would write to another folder."""
    folder = tmp_path / "a\\b"
    folder.mkdir()
    np.save(folder / "scan.npy", np.full((4, 4, 4), 200, "u1"))
    (folder / "job.toml").write_text(JOB)
    done = osteon("run", str(folder / "job.toml"), folder=folder, timeout=300)
    assert done.returncode == 0 or "backslash" in done.stderr, done.stderr
    done = osteon("run", str(folder / "job.toml"), "-o", str(folder / "x.out"))
    assert done.returncode == 2 and "contains a backslash" in done.stderr and "rename" in done.stderr
    assert not (tmp_path / "a").exists()
    with pytest.raises(DataError, match="backslash"):
        package.load_fields(folder / "x.out" / "results.nc")


# Names that begin with a hyphen


@needs_program
@pytest.mark.parametrize("words", [["-x.toml"], ["--", "-x.toml"], ["./-x.toml"]])
def test_a_job_whose_name_begins_with_a_dash(tmp_path, words):
    """Oracle: the files of the job under the name of the job, written by each command."""
    np.save(tmp_path / "-s.npy", np.full((4, 4, 4), 200, "u1"))
    (tmp_path / "-x.toml").write_text(JOB.replace("scan.npy", "-s.npy"))
    for command in (["check"], ["run"], ["run", "-n", "2", "--force"], ["estimate", "--quick"], ["batch"]):
        done = osteon(*command, *words, folder=tmp_path, timeout=300)
        assert done.returncode == 0, (command, done.stderr)
    assert {p.name for p in (tmp_path / "-x.out").iterdir()} >= {"summary.json", "report.html", "results.nc"}
    (tmp_path / "-x.out" / "report.html").unlink()
    for command in (
        ["report", "--", "-x.out"],
        ["verify", "--", "-x.out/results.nc"],
        ["export", "-o", "-b.vti", "--", "-x.out/results.nc"],
        ["render", "-o", "-c.png", "--width", "64", "--height", "64", "--", "-x.out/results.nc"],
    ):
        done = osteon(*command, folder=tmp_path, timeout=300)
        assert done.returncode == 0, (command, done.stderr)
    assert {"-b.vti", "-c.png"} <= {p.name for p in tmp_path.iterdir()}
    assert (tmp_path / "-x.out" / "report.html").exists()


# Files


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a small job."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    folder = tmp_path_factory.mktemp("finished")
    np.save(folder / "scan.npy", np.full((6, 6, 6), 200, "u1"))
    (folder / "job.toml").write_text(JOB)
    done = osteon("run", "job.toml", "--no-report", folder=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "job.out"


def changed(value, by):
    if isinstance(value, dict):
        return {key: changed(inner, by) for key, inner in value.items()}
    if isinstance(value, list):
        return [changed(inner, by) for inner in value]
    return by(value) if isinstance(value, str) else value


@pytest.mark.parametrize("name", ["manifest.json", "summary.json"])
def test_halves_of_surrogate_pairs_are_escaped(finished, tmp_path, name):
    """Oracle: the page is encoded in UTF-8."""
    folder = tmp_path / "job.out"
    shutil.copytree(finished, folder)
    document = json.loads((folder / name).read_text())
    keep = {"schema": document["schema"], "shown": document.get("shown")}
    text = json.dumps({**changed(document, lambda text: text + "\ud800"), **keep})
    (folder / name).write_text(text)
    done = osteon("report", str(folder))
    assert done.returncode in (0, 3) and "Traceback" not in done.stderr, done.stderr
    if name == "manifest.json":
        assert done.returncode == 0 and "\\ud800" in (folder / "report.html").read_text(encoding="utf-8")
    package.load(folder).summary["job"].encode()


@pytest.mark.skipif(not BINARY.exists(), reason="osteon is not built")
def test_converting_on_a_full_disk_leaves_nothing(tmp_path):
    """Oracle: the original content of the folder. The limit on the file size is between the size of the elements and
    the size with the constraints."""
    edge, blocks = 48, 8192  # the limit in blocks of 512 bytes; MPI needs several MB for its own files
    places = [(x, y, z) for z in range(1, edge + 1) for y in range(1, edge + 1) for x in range(1, edge + 1)]
    (tmp_path / "materials.txt").write_text("1 1000 0.3 1\n")
    cells = [f"{n + 1} 1 {x} {y} {z}" for n, (x, y, z) in enumerate(places)]
    (tmp_path / "model.txt").write_text("\n".join([str(len(cells)), *cells, ""]))
    lines = [f"SELECT_NODE_3D {x} {y} {z} 0.123456789 0.5 0.25 0 0 0" for x, y, z in places[1:]]
    (tmp_path / "constraints.txt").write_text("\n".join(["SELECT_NODE_3D 1 1 1 0 0 0 1 1 1", *lines, ""]))
    assert (tmp_path / "model.txt").stat().st_size < 512 * blocks < (tmp_path / "constraints.txt").stat().st_size
    (tmp_path / "script.txt").write_text(
        "LOAD_MATERIALS_FILE materials.txt\nVOXEL_SIZE 1 1 1 1\nALGORITHM_FEA JAPCG\nMAX_ITER 100\nTOLERANCE 1e-6\n"
        f"LOAD_MCTSCAN {edge} {edge} {edge} model.txt\nSELECTION_OF_NODES\nSELECT_NODE_FILE constraints.txt\nPRINT_X x.txt\n"
    )
    assert osteon("convert", "script.txt", "model.nc", "--units", "mm", folder=tmp_path, timeout=300).returncode == 0
    back = tmp_path / "back"
    back.mkdir()
    done = subprocess.run(
        ["sh", "-c", f'trap "" XFSZ; ulimit -f {blocks}; exec "$0" convert model.nc back/script.txt', str(BINARY)],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 5 and "constraints.txt': " in done.stderr, done.stderr
    assert list(back.iterdir()) == []
    assert osteon("convert", "model.nc", "back/script.txt", folder=tmp_path, timeout=300).returncode == 0
    assert len(list(back.iterdir())) == 4
