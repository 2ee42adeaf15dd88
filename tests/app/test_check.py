"""`osteon check` reports the errors of a run in advance and warns about implausible values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, job_text

BLOCK = (8, 6, 6)


def checked(job: Job, code: int, *words: str) -> dict:
    """Return the output of `check --json -`. No file is written next to the job."""
    done = job.run("--json", "-", *words, command="check")
    assert done.code == code, (done.out, done.err)
    assert not (job.folder / "job.out").exists()
    return json.loads(done.out)


def grey(folder: Path, values: np.ndarray, name: str = "scan.npy") -> str:
    np.save(folder / name, values)
    return name


def solid(folder: Path) -> str:
    values = np.zeros(BLOCK, np.uint8)
    values[:, 1:5, 1:5] = 200
    return grey(folder, values)


def test_a_good_job_is_told_what_its_image_holds(job: Job, tmp_path: Path) -> None:
    """Oracle: determined by hand. Of 288 voxels, 8 x 4 x 4 are solid."""
    job.write(job_text(solid(tmp_path)))
    answer = checked(job, 0)
    assert answer["problems"] == []
    assert answer["warnings"] == []
    assert answer["image"]["kept_voxels"] == 128
    assert answer["image"]["grey_max"] == 200
    assert "128 of 288 voxels are solid" in answer["looked_at"]
    assert "no faults" in job.run(command="check").out


@pytest.mark.parametrize(
    ("more", "image_more", "spacing", "said"),
    [
        ("", "", "", "image.spacing_mm: missing; "),
        ("[segment]\nthreshold = 210\n", "", None, "image: the threshold 210 leaves no solid voxel"),
        ("", "crop_voxels = [[0, 9], [0, 6], [0, 6]]", None, "image.crop_voxels: z = [0, 9] exceeds the image"),
        ("", "crop_to_solid = true\ncoarsen = 2", None, "image.crop_to_solid: must not be given with image.coarsen"),
        (
            "[uncertainty]\nthreshold_sd = 1\n",
            "crop_to_solid = true",
            None,
            "image.crop_to_solid: must not be given with [un",
        ),
        ('[load]\naxis = "x"\n', "", None, "image: the solid does not touch the "),
        ('[run]\nranks = 9\ndecomposition = "planes"\n', "", None, "run.ranks: 9 ranks for an image of 8 z planes"),
        ("[segment]\nlabels = true\n", "", None, "label"),
        (
            '[[set]]\nname = "a"\nselect = "box"\nlow_mm = [5, 5, 5]\nhigh_mm = [6, 6, 6]\n'
            '[[support]]\non = "a"\nfix = "zyx"\n[[force]]\non = "z_high"\nforce_N = [1, 0, 0]\n',
            "",
            None,
            "load: set 'a' ",
        ),
        (
            '[[support]]\non = "z_low"\nfix = "z"\n[[force]]\non = "z_high"\nforce_N = [1, 0, 0]\n',
            "",
            None,
            "translation along",
        ),
    ],
)
def test_what_run_refuses_check_refuses(
    job: Job, tmp_path: Path, more: str, image_more: str, spacing: str | None, said: str
) -> None:
    """Oracle: the program itself. `run` ends with an error of the same text."""
    words = {} if spacing is None else {"spacing": spacing}
    job.write(job_text(solid(tmp_path), more=more, image_more=image_more, **words))
    problems = checked(job, 2)["problems"]
    assert any(said in f"{p['where']}: {p['text']}" for p in problems), problems
    assert job.run("--no-report", "-n", "9" if "ranks" in more else "1").code in (2, 3)


HEAT = '[load]\ntest = "heat_transfer"\n[[boundary]]\nface = "z_low"\n'


@pytest.mark.parametrize(
    ("boundary", "printed"),
    [
        ('kind = "flux"\nflux_W_per_m2 = 5\n', "voxels of the solid have no heat sink"),
        (
            'temperature_K = 300\n[[boundary]]\nface = "z_high"\ntemperature_K = 300\n',
            "the low and the high z face have the same temperature (300 K)",
        ),
    ],
)
def test_heat_without_an_answer_is_a_fault(job: Job, tmp_path: Path, boundary: str, printed: str) -> None:
    """Oracle: the program itself. `run` ends with an error of the same text."""
    job.write(job_text(solid(tmp_path), "heat", HEAT + boundary))
    assert printed in checked(job, 2)["problems"][0]["text"]
    assert printed in job.run("--no-report", "-n", "1").err


def test_a_folder_that_is_a_file_is_a_fault(job: Job, tmp_path: Path) -> None:
    """Oracle: the contract. No file is created, and the job file is unchanged."""
    (tmp_path / "file").write_text("mine")
    more = '[output]\ndirectory = "file/out"\n[checkpoint]\ndirectory = "file"\n'
    job.write(job_text(solid(tmp_path), more=more))
    problems = {p["where"].split(": ")[1]: p["text"] for p in checked(job, 2)["problems"]}
    assert "is not a folder" in problems["output.directory"]
    assert "is not a folder" in problems["checkpoint.directory"]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_set_that_nothing_is_on_is_only_doubted(job: Job, tmp_path: Path) -> None:
    more = '[[set]]\nname = "far"\nselect = "box"\nlow_mm = [5, 5, 5]\nhigh_mm = [6, 6, 6]\n'
    job.write(job_text(solid(tmp_path), more=more))
    assert "set 'far' " in checked(job, 0)["warnings"][0]["text"]


def test_a_file_that_is_no_image_is_a_fault(job: Job, tmp_path: Path) -> None:
    (tmp_path / "junk.tif").write_bytes(b"this is no image")
    job.write(job_text("junk.tif"))
    assert "junk.tif' cannot be read" in checked(job, 2)["problems"][0]["text"]


def test_doubts_are_warnings(job: Job, tmp_path: Path) -> None:
    """Oracle: the contract. Valid but implausible values cause warnings and exit code 0."""
    text = job_text(solid(tmp_path), more="[segment]\nthreshold = -1\n[load]\nstrain = -1.0\n")
    job.write(text.replace("6829.0", "6.829"))
    warnings = {w["where"].split(": ")[1]: w["text"] for w in checked(job, 0)["warnings"]}
    assert "all of the voxels are solid" in warnings["segment.threshold"]
    assert "-1 % is -0.01" in warnings["load.strain"]
    assert "if the value is in GPa, write 6829" in warnings["material[1].youngs_modulus_MPa"]
    assert "3 warnings" in job.run(command="check").out


def test_another_spacing_than_the_files_is_a_warning(job: Job, tmp_path: Path) -> None:
    raw = np.zeros(BLOCK, np.uint8)
    raw[:, 1:5, 1:5] = 9
    (tmp_path / "scan.raw").write_bytes(raw.tobytes())
    layout = {"shape": list(BLOCK), "dtype": "uint8", "byte_order": "little", "spacing_mm": [0.1, 0.1, 0.1]}
    (tmp_path / "scan.json").write_text(json.dumps(layout))
    job.write(job_text("scan.raw"))
    assert "the image file states a voxel size of [0.1, 0.1, 0.1] mm" in checked(job, 0)["warnings"][0]["text"]
    large = checked(job, 0, "--most-voxels", "0")
    assert "the image file states 0.1 mm along z, the job 0.02 mm" in large["warnings"][0]["text"]


def test_a_large_image_is_judged_by_its_header_and_a_sample(job: Job, tmp_path: Path) -> None:
    """Oracle: determined by hand. Five of the eight planes of 36 voxels are read."""
    job.write(job_text(solid(tmp_path), more="[segment]\nthreshold = 201\n"))
    answer = checked(job, 0, "--most-voxels", "0")
    assert answer["image"]["looked_at"] == 5 * 36
    assert answer["image"]["grey_max"] == 200
    assert "only its header and the grey values of 180 voxels in a few planes were checked" in answer["looked_at"]
    assert "none of the 180 sampled voxels is solid" in answer["warnings"][0]["text"]
    assert "kept_voxels" not in answer["image"]


def test_a_large_image_has_the_warnings_of_its_reader(job: Job, tmp_path: Path) -> None:
    """Oracle: the check that reads the whole image. Each finding is reported once, also in a job with an error."""
    head = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 6 6 8\nspacings: 0.02 0.02 0.02\nencoding: raw\n\n"
    voxels = np.zeros((8, 6, 6), np.uint8)
    voxels[:, 1:5, 1:5] = 200
    (tmp_path / "scan.nrrd").write_bytes(head.encode() + voxels.tobytes())
    job.write(job_text("scan.nrrd", spacing=""))

    def of_image(answer: dict) -> list[str]:
        return [w["text"] for w in answer["warnings"] if "without a unit" in w["text"]]

    small, large = checked(job, 0), checked(job, 0, "--most-voxels", "0")
    assert len(of_image(small)) == 1
    assert of_image(large) == of_image(small)
    assert "warnings" not in large["image"]
    job.write(job_text("scan.nrrd", spacing="", more="[solve]\ntolerence = 1e-9\n"))
    assert of_image(checked(job, 2)) == of_image(small)
