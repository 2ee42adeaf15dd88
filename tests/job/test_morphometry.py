"""Tests of the morphometry of a solid: the command, the key of a job, and the function."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, follows_schema, job_text
from whole_job import osteon as command

import osteon


def rods() -> np.ndarray:
    """Rods of 4 x 4 voxels along all axes, which cross at their middles and form a frame with tunnels."""
    thick = np.zeros(24, bool)
    thick[[4, 5, 6, 7, 16, 17, 18, 19]] = True
    z, y, x = thick[:, None, None], thick[None, :, None], thick[None, None, :]
    return (y & x) | (z & x) | (z & y)


def test_ranks_and_threads_measure_the_same_bytes(job: Job) -> None:
    """Oracle: another number of ranks, and the numbers of the frame, determined by hand."""
    np.save(job.folder / "frame.npy", rods().astype("u1"))
    job.write(job_text("frame.npy", more="[segment]\nthreshold = 0.5\n"))
    alone = job.run("--json", "-", command="morphometry")
    assert alone.code == 0, alone.err
    reported = json.loads(alone.out)
    follows_schema(reported, "morphometry")
    words = ["sh", str(ROOT / "tools" / "mpirun.sh"), "3", str(BINARY), "morphometry", "job.toml", "--json", "-"]
    three = subprocess.run(words, cwd=job.folder, capture_output=True, text=True, timeout=120, check=True)
    assert three.stdout == alone.out
    # 12 rods through 24 voxels; at each of 8 crossings, three rods share a cube
    assert reported["BV_TV"] == pytest.approx((12 * 16 * 24 - 8 * 2 * 64) / 24**3)
    # the number of crossings minus the number of rods between them; the ends of the rods are free
    assert reported["euler"] == 8 - 12
    assert reported["inner_Conn_D_per_mm3"] == pytest.approx(-reported["inner_euler"] / (23 * 0.02) ** 3)
    assert "throats" not in reported
    assert reported["Tb_Th_mm"]["median"] == pytest.approx(4 * 0.02, rel=0.2)
    assert reported["fabric"]["DA"] == pytest.approx(1, abs=1e-9)


def test_a_run_measures_too(job: Job) -> None:
    """Oracle: the command."""
    np.save(job.folder / "frame.npy", rods().astype("u1"))
    text = job_text("frame.npy", more="[segment]\nthreshold = 0.5\n[output]\nmorphometry = true\n")
    job.write(text)
    done = job.run("-n", "2", "--set", "picture.enabled=false")
    assert done.code == 0, done.err
    told = done.summary["morphometry"]
    assert told["phase"] == "solid" and "Tb.Th, mean thickness by inscribed spheres" in done.out
    assert "Conn.D, (1 - Euler number)/TV" in (done.folder / "report.html").read_text()
    alone = job.run("--json", "-", command="morphometry")
    assert told == {key: value for key, value in json.loads(alone.out).items() if key in told}


@pytest.mark.parametrize(
    ("shape", "ranks", "printed"),
    [((4, 3, 2), "2", "all voxels of the image are solid"), ((6, 2, 1), "3", None)],
    ids=["a block without pores", "more ranks than lines along z"],
)
def test_a_run_keeps_its_answers_whatever_the_shape_is(
    job: Job, shape: tuple[int, ...], ranks: str, printed: str | None
) -> None:
    """Oracle: determined by hand. Undefined quantities are omitted and reported. Ranks without a line of voxels
    wait."""
    image = np.ones(shape, "u1")
    if printed is None:
        image[2:4, 1] = 0
    np.save(job.folder / "block.npy", image)
    job.write(job_text("block.npy", more="[segment]\nthreshold = 0.5\n[output]\nmorphometry = true\n"))
    done = job.run("-n", ranks, "--no-report", "--set", "picture.enabled=false", "--set", 'run.decomposition="bricks"')
    assert done.code == 0, done.err
    assert done.summary["stiffness_N_per_mm"] > 0
    assert ("morphometry" in done.summary) == (printed is None)
    assert printed is None or printed in done.err
    if printed is None:
        assert done.summary["morphometry"]["BV_TV"] == pytest.approx(10 / 12)


def chambers() -> np.ndarray:
    """Pores with two chambers of 9 voxels. A throat of 3 voxels connects the chambers along z, and a throat of 5 voxels
    opens them at the top. There is one closed pore."""
    middle = np.abs(np.arange(15) - 7)
    off = np.maximum(middle[:, None], middle[None, :])
    width = np.full(34, 1)
    width[4:13] = width[20:29] = 4
    width[29:] = 2
    pores = off[None] <= width[:, None, None]
    pores[16, 2, 2] = True
    return ~pores


def test_throats_of_pores(job: Job) -> None:
    """Oracle: determined by hand, as in tests/morphometry/throats_test.cpp. Balls end at the centres of solid voxels.
    The test uses several numbers of ranks."""
    solid = chambers()
    np.save(job.folder / "rock.npy", solid.astype("u1"))
    job.write(job_text("rock.npy", more='[segment]\nthreshold = 0.5\nkeep = "all"\n', spacing="spacing_mm = 0.1"))
    alone = job.run("--throats", "--json", "-", command="morphometry")
    assert alone.code == 0, alone.err
    reported = json.loads(alone.out)
    follows_schema(reported, "morphometry")
    words = [
        "sh",
        str(ROOT / "tools" / "mpirun.sh"),
        "3",
        str(BINARY),
        "morphometry",
        "job.toml",
        "--throats",
        "--json",
        "-",
    ]
    three = subprocess.run(words, cwd=job.folder, capture_output=True, text=True, timeout=120, check=True)
    assert three.stdout == alone.out
    assert reported["throats"]["critical_diameter_mm"] == {"z": pytest.approx(0.4), "y": None, "x": None}
    assert reported["throats"]["diameter_mm"]["max"] == pytest.approx(0.6)
    assert reported["Tb_Sp_mm"]["max"] == pytest.approx(1.0)
    pores = (~solid).sum()
    assert reported["throats"]["accessible_share"] == pytest.approx((pores - 1) / pores)
    python = osteon.morphometry(solid, spacing_mm=0.1, throats=True)
    assert python["throats"] == reported["throats"]


def test_a_flow_measures_the_throats_of_its_fluid(job: Job) -> None:
    """Oracle: the values of the command for the empty space of this image. The report and the table contain these
    values."""
    solid = np.pad(chambers()[4:29], ((0, 0), (0, 0), (0, 0)))
    solid[:, 6:9, 6:9] = False
    np.save(job.folder / "rock.npy", solid.astype("u1"))
    more = '[segment]\nthreshold = 0.5\n[load]\ntest = "permeability"\naxis = "z"\nboundary_condition = "closed"\n'
    job.write(job_text("rock.npy", "flow", more=more + "[output]\nmorphometry = true\n", spacing="spacing_mm = 0.1"))
    done = job.run("-n", "1")
    assert done.code == 0, done.err
    reported = done.summary["morphometry"]["throats"]
    assert reported["critical_diameter_mm"]["z"] == pytest.approx(0.4)
    assert "critical diameter, largest sphere along z" in done.out
    assert "critical diameter, largest sphere along z" in (done.folder / "report.html").read_text()


def shell() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A tube with a wall of 6 voxels and 2 pores. There are rods inside the tube and empty space around it. The result
    includes masks of the wall and of the inside."""
    wall = np.zeros((12, 44, 44), bool)
    wall[:, 2:-2, 2:-2] = True
    wall[:, 8:-8, 8:-8] = False
    inner = np.zeros_like(wall)
    inner[:, 8:-8, 8:-8] = True
    solid = wall.copy()
    solid[3:5, 4:6, 12:14] = solid[7:9, 4:6, 22:24] = False
    solid[:, 16:20, 16:20] = solid[:, 24:28, 24:28] = True
    return solid, wall, inner


def with_compartments(job: Job, more: str = "") -> None:
    solid, wall, inner = shell()
    np.save(job.folder / "image.npy", np.where(solid, 200, 10).astype("u1"))
    np.save(job.folder / "parts.npy", (wall + 2 * inner).astype("u1"))
    text = '[[compartment]]\nname = "cortical"\nimage = "parts.npy"\nlabels = [1]\n'
    text += '[[compartment]]\nname = "inside"\nkind = "trabecular"\nimage = "parts.npy"\nlabels = [2]\n'
    text += '[[compartment]]\nname = "all"\nkind = "total"\nimage = "parts.npy"\nlabels = [2]\n'
    job.write(job_text("image.npy", more='[segment]\nthreshold = 100\nkeep = "all"\n' + text + more))


def test_compartments_are_measured_by_themselves(job: Job) -> None:
    """Oracle: determined by hand, and another number of ranks. Without a calibration, the density is undefined."""
    with_compartments(job)
    alone = job.run("--json", "-", command="morphometry")
    assert alone.code == 0, alone.err
    reported = json.loads(alone.out)
    follows_schema(reported, "morphometry")
    solid, wall, inner = shell()
    cortical, inside, everything = (reported["compartments"][n] for n in ("cortical", "inside", "all"))
    assert cortical["TV_mm3"] == pytest.approx(wall.sum() * 0.02**3)
    assert cortical["Ct_Po"] == pytest.approx(16 / wall.sum())
    assert cortical["Ct_Th_mm"]["median"] == pytest.approx(6 * 0.02, rel=0.2)
    assert inside["BV_TV"] == everything["BV_TV"] == pytest.approx((solid & inner).sum() / inner.sum())
    assert inside["Tb_Th_mm"]["median"] == pytest.approx(4 * 0.02, rel=0.2)
    assert "Tb_Th_mm" not in everything and "vBMD" not in everything
    words = ["sh", str(ROOT / "tools" / "mpirun.sh"), "3", str(BINARY), "morphometry", "job.toml", "--json", "-"]
    three = subprocess.run(words, cwd=job.folder, capture_output=True, text=True, timeout=120, check=True)
    assert three.stdout == alone.out


def test_a_run_reports_compartments_and_their_densities(job: Job) -> None:
    """Oracle: mean greys by numpy, and the density law of the job."""
    with_compartments(job)
    text = (job.folder / "job.toml").read_text()
    begin, end = text.index("[[material]]"), text.index("[", text.index("[[material]]") + 2)
    law = "[density_law]\nslope = 2.0\nintercept = -3.0\ncoefficient_MPa = 10.0\npoisson_ratio = 0.3\n"
    job.write(text[:begin] + law + text[end:] + "[output]\nmorphometry = true\n")
    done = job.run("-n", "2", "--set", "picture.enabled=false")
    assert done.code == 0, done.err
    solid, wall, _ = shell()
    cortical = done.summary["morphometry"]["compartments"]["cortical"]
    assert cortical["vBMD"] == pytest.approx(2 * np.where(solid, 200, 10)[wall].mean() - 3)
    assert "Ct.Po, cortical porosity" in done.out and "cortical: vBMD" in (done.folder / "report.html").read_text()
    assert job.run("-n", "2", "--unless-done", "--no-report").code == 0
    job.run(
        "--set", "segment.threshold=110", "--set", "picture.enabled=false", "--no-report"
    )  # the same labels for a new model
    again = json.loads((done.folder / "summary.json").read_text())["morphometry"]["compartments"]["cortical"]
    assert again["vBMD"] == cortical["vBMD"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("labels = [2]\n[[comp", "labels = [1]\n[[comp"), "1 also belongs to 'cortical'"),
        (("labels = [2]\n[[comp", "labels = [7]\n[[comp"), "has the label 7"),
        (('kind = "trabecular"\n', ""), "give trabecular, cortical or total"),
        (('image = "parts.npy"\nlabels = [1]', "labels = [1]"), "give a label image with the shape of the scan"),
        (('image = "parts.npy"\nlabels = [2]\n[[c', 'image = "other.npy"\nlabels = [1]\n[[c'), "share 64 voxels"),
        (
            ('image = "parts.npy"\nlabels = [1]', 'image = "small.npy"\nlabels = [1]'),
            "use a label image of the same scan",
        ),
    ],
)
def test_compartments_that_cannot_be_are_refused(job: Job, change: tuple[str, str], words: str) -> None:
    with_compartments(job)
    other = np.zeros((12, 44, 44), "u1")
    other[:4, 2:6, 2:6] = 1
    np.save(job.folder / "other.npy", other)
    np.save(job.folder / "small.npy", other[:6])
    text = (job.folder / "job.toml").read_text()
    assert change[0] in text
    job.write(text.replace(*change, 1))
    done = job.run(command="morphometry")
    assert done.code in (2, 3) and words in done.err, done.err
    assert "Traceback" not in done.err


def test_the_function_takes_masks() -> None:
    solid, wall, inner = shell()
    reported = osteon.morphometry(solid, spacing_mm=0.1, compartments={"cortical": wall, "trabecular": inner})
    assert reported["compartments"]["cortical"]["Ct_Po"] == pytest.approx(16 / wall.sum())
    assert reported["compartments"]["trabecular"]["Tb_Th_mm"]["median"] == pytest.approx(0.4, rel=0.2)
    with pytest.raises(osteon.UsageError, match="give trabecular, cortical or total"):
        osteon.morphometry(solid, spacing_mm=0.1, compartments={"other": wall})


def test_the_function_has_the_units_in_its_keys() -> None:
    reported = osteon.morphometry(rods(), spacing_mm=0.1)
    assert reported["Tb_Th_mm"]["median"] == pytest.approx(0.4, rel=0.2) and reported["euler"] == -4
    with pytest.raises(osteon.DataError, match="all voxels of the image are solid"):
        osteon.morphometry(np.ones((4, 4, 4), bool), spacing_mm=0.1)


def test_the_command_has_help() -> None:
    assert "docs/reference/morphometry.md" in command("morphometry", "--help").stdout


def test_thickness_is_that_of_bone_microarchitecture(job: Job) -> None:
    """Oracle: bone-microarchitecture 0.3.1 (pip), if installed, with all of its balls. These balls are closed, and
    include voxels just outside the balls of osteon."""
    peer = pytest.importorskip("bone_microarchitecture")
    scan = ROOT / ".cache" / "scans" / "bone_128x128x128.tif"
    if not scan.exists():
        pytest.skip("the bone scan is not there; ./run demo fetches it")
    import tifffile

    solid = np.pad(tifffile.imread(scan)[30:70, 30:70, 30:70] > 120, 2)  # for the other program, the border is solid
    sizes = peer.hildebrand_thickness_map(
        solid, (0.02,) * 3, backend="cpu", diameter_margin_voxels=0, center_dominance_mm=9
    )[solid]
    reported = osteon.morphometry(solid, spacing_mm=0.02)["Tb_Th_mm"]
    assert 0.97 * sizes.mean() < reported["mean"] <= sizes.mean()
    assert reported["max"] == pytest.approx(sizes.max(), rel=1e-5)
