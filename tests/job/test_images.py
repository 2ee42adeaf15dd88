"""Input and output of images in whole jobs. Oracle: the position of a voxel according to nibabel and NumPy."""

import json
import os
import subprocess
from pathlib import Path

import netCDF4
import nibabel
import numpy as np
import pytest
from whole_job import BINARY, Job, job_text


def osteon(*arguments: str, folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(BINARY), *arguments], cwd=folder, capture_output=True, text=True, check=False, env=os.environ
    )


def test_an_oblique_cropped_scan_keeps_its_place(job: Job):
    """Oracle: nibabel's affine of the scan, shifted by the crop."""
    turn = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = turn * [0.5, 0.25, 1.5], [-20.0, 7.0, 33.0]
    scan = nibabel.Nifti1Image(np.random.default_rng(2).integers(100, 200, (7, 8, 9)).astype("i2"), affine)
    scan.header.set_xyzt_units("mm")
    nibabel.save(scan, job.folder / "scan.nii.gz")
    crop = "crop_voxels = [[2, 8], [1, 8], [3, 7]]"
    job.write(job_text("scan.nii.gz", image_more=crop, spacing="", more="[segment]\nthreshold = 0\n"))
    assert job.run("--ranks", "2", "--no-report").code == 0
    done = osteon("export", "job.out/results.nc", "--field", "sed", "-o", "sed.nii.gz", folder=job.folder)
    assert (done.returncode, done.stdout) == (0, "sed.nii.gz\n"), done.stderr
    sed = nibabel.load(job.folder / "sed.nii.gz")
    assert sed.shape == (4, 7, 6)
    expected = affine.copy()
    expected[:3, 3] = nibabel.affines.apply_affine(affine, [3, 1, 2])
    np.testing.assert_allclose(sed.affine, expected, atol=1e-4)


def test_unit_and_calibration_of_a_scanner_reach_the_summary(job: Job):
    pytest.importorskip("py_aimio")
    import py_aimio

    log = "Mu_Scaling 8192\nHU: mu water 0.2409\nDensity: slope 1.6e+03\nDensity: intercept -390.5\n"
    values = np.full((6, 5, 4), 5000, "i2")
    py_aimio.write_aim(
        str(job.folder / "scan.aim"), values, {"element_size": (0.1, 0.1, 0.2), "processing_log": log}, unit="native"
    )
    job.write(job_text("scan.aim", spacing="", more="[segment]\nthreshold = 0\n"))
    done = job.run("--ranks", "1", "--no-report")
    assert done.code == 0, done.err
    image = done.summary["image"]
    assert image["spacing_mm"] == pytest.approx([0.2, 0.1, 0.1]) and image["unit"] == "Scanco native"
    assert image["calibration"]["slope"] == pytest.approx(1600 / 8192)
    assert (image["calibration"]["intercept"], image["calibration"]["unit"]) == (-390.5, "mg HA/cm3")


def test_a_law_takes_the_calibration_of_the_image(job: Job):
    """Oracle: the law by hand, with density = value * slope / mu_scaling + intercept."""
    aimio = pytest.importorskip("py_aimio")
    values = np.full((6, 5, 4), 5000, "i2")
    values[:, :, 2:] = 7000
    log = "Mu_Scaling 8192\nHU: mu water 0.2409\nDensity: slope 1.6e+03\nDensity: intercept -390.5\n"
    head = {"element_size": (0.1, 0.1, 0.2), "processing_log": log}
    aimio.write_aim(str(job.folder / "scan.aim"), values, head, unit="native")
    text = (
        '[image]\npath = "scan.aim"\n[segment]\nthreshold = 0\n[picture]\nenabled = false\n'
        "[density_law]\nfrom_image = true\ncoefficient_MPa = 0.01\nexponent = 2\npoisson_ratio = 0.3\n"
    )
    job.write(text)
    done = job.run("--ranks", "1", "--no-report")
    assert done.code == 0, done.err
    assert (
        "density calibration of the image: 0.195312 * grey value + -390.5 mg HA/cm3; the density law uses this calibration"
        in done.err
    )
    assert done.summary["segmentation"]["calibration"]["slope"] == 1600 / 8192
    with netCDF4.Dataset(done.folder / "model.nc") as file:
        found = np.sort(np.asarray(file["model/youngs_modulus"][:]))[1:]
    np.testing.assert_allclose(found, [0.01 * (g * 1600 / 8192 - 390.5) ** 2 for g in (5000, 7000)], rtol=1e-12)
    np.save(job.folder / "bare.npy", values)
    job.write(text.replace('"scan.aim"', '"bare.npy"\nspacing_mm = 0.1'))
    done = job.run("--ranks", "1", "--no-report")
    assert done.code == 3 and "does not contain the calibration that density_law.from_image = true requires" in done.err


def test_a_pattern_chooses_slices_among_other_files(job: Job):
    import tifffile

    for z in range(6):
        tifffile.imwrite(job.folder / f"s{z}.tif", np.full((4, 5), 100 + z, "u1"))
        tifffile.imwrite(job.folder / f"mask{z}.tif", np.zeros((4, 5), "u1"))
    job.write(job_text("s*.tif", more="[segment]\nthreshold = 0\n"))
    assert job.run("--ranks", "1", "--no-report").code == 0
    model = json.loads(job.run("--json", "-", command="import").out)
    assert model["reused"] and model["image"]["grey_min"] == 100


def test_the_spacing_of_the_job_takes_precedence_and_is_reported(job: Job):
    scan = nibabel.Nifti1Image(np.full((5, 6, 7), 150, "i2"), np.diag([0.5, 0.5, 0.5, 1]))
    scan.header.set_xyzt_units("mm")
    nibabel.save(scan, job.folder / "scan.nii")
    job.write(job_text("scan.nii", spacing="spacing_mm = [0.5, 0.5, 0.4]", more="[segment]\nthreshold = 0\n"))
    done = job.run("--json", "-", command="import")
    assert done.code == 0 and json.loads(done.out)["image"]["spacing_mm"] == [0.5, 0.5, 0.4]
    assert "states a voxel size of [0.5, 0.5, 0.5] mm (z, y, x), the job [0.5, 0.5, 0.4]" in done.err


def laid_over(job: Job, affine: np.ndarray, name: str) -> None:
    image = nibabel.Nifti1Image(np.full((5, 6, 7), 3, "i2"), affine)
    image.header.set_xyzt_units("mm")
    nibabel.save(image, job.folder / name)


def test_labels_and_moduli_have_to_lie_on_the_scan(job: Job):
    """A converter that flips an axis keeps the shape. Only the position in the header shows the flip."""
    place = np.array([[0.5, 0, 0, 9], [0, 0.5, 0, 8], [0, 0, 0.5, 7], [0, 0, 0, 1.0]])
    mirrored = place @ np.diag([1, -1, 1, 1])  # next to the scan, and not on it
    turned = place @ np.array([[0, 1, 0, 0], [-1, 0, 0, 5], [0, 0, 1, 0], [0, 0, 0, 1]])
    moved = place.copy()
    moved[0, 3] += 0.3
    laid_over(job, place, "scan.nii")
    labels = '[segment]\nthreshold = 0\n[[set]]\nname = "a"\nselect = "image"\nimage = "other.nii"\nlabels = [3]\n'
    moduli = '[image]\npath = "scan.nii"\n[segment]\nthreshold = 0\n[modulus_image]\npath = "other.nii"\npoisson_ratio = 0.3\n'
    for text in (job_text("scan.nii", spacing="", more=labels), moduli):
        job.write(text)
        for affine, word in ((mirrored, "origin_mm"), (turned, "direction"), (moved, "origin_mm")):
            laid_over(job, affine, "other.nii")
            done = job.run(command="import")
            assert done.code == 3 and "other.nii' is not aligned with the scan: " + word in done.err, done.err
        laid_over(job, place, "other.nii")
        assert job.run(command="import").code == 0
        np.save(job.folder / "other.npy", np.full((7, 6, 5), 3, "i2"))
        job.write(text.replace("other.nii", "other.npy"))
        assert job.run(command="import").code == 0


@pytest.mark.parametrize("axes", [[1], [0, 1, 2]])
def test_labels_of_dcm2niix_are_put_in_the_order_of_the_scan(job: Job, axes: list[int]):
    """Oracle: the labels of each voxel before their axes were reversed, at the same positions."""
    shape = (5, 6, 7)
    place = np.array([[0.5, 0, 0, 9], [0, 0.5, 0, 8], [0, 0, 0.5, 7], [0, 0, 0, 1.0]])
    back = np.eye(4)
    for axis in axes:
        back[axis, axis], back[axis, 3] = -1, shape[axis] - 1
    values = np.random.default_rng(3).integers(1, 4, shape).astype("i2")
    laid_over(job, place, "scan.nii")
    # values as floats, which some programs write
    image = nibabel.Nifti1Image(np.flip(values, axes).astype("f4"), place @ back)
    image.header.set_xyzt_units("mm")
    nibabel.save(image, job.folder / "other.nii")
    labels = '[segment]\nthreshold = 0\n[[set]]\nname = "a"\nselect = "image"\nimage = "other.nii"\nlabels = [1, 2]\n'
    job.write(job_text("scan.nii", spacing="", more=labels))
    done = job.run(command="import")
    assert done.code == 0 and "in the reverse direction of the scan, as dcm2niix does" in done.err, done.err
    with netCDF4.Dataset(job.folder / "job.out" / "labels_1.nc") as file:
        found = np.asarray(file["material"][:])
    np.testing.assert_array_equal(found, np.where(values == 3, 0, values).T)
    if axes == [1]:
        nibabel.save(nibabel.Nifti1Image(values + np.float32(0.5), place), job.folder / "other.nii")
        done = job.run(command="import")
        assert done.code == 3 and "has the value" in done.err and "labels must be 32-bit integers" in done.err, done.err


def test_export_reports_errors(job: Job):
    done = osteon("export", "none.nc", "--field", "sed", "-o", "x.nii", folder=job.folder)
    assert done.returncode == 3 and done.stderr == "osteon: no file 'none.nc'; pass the results.nc of a job\n"
    assert osteon("export", "none.nc", folder=job.folder).returncode == 2


def test_a_damaged_result_is_not_exported(job: Job, sponge: Path):
    """Oracle: one byte differs. The file is rejected before HDF5 reads it."""
    job.write(job_text(sponge, "heat"))
    assert job.run("-n", "1", "--no-report").code == 0
    path = job.folder / "job.out" / "results.nc"
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    done = osteon("export", "job.out/results.nc", "--field", "temperature", "-o", "t.npy", folder=job.folder)
    assert done.returncode == 3 and "do not match its seal" in done.stderr
    assert not (job.folder / "t.npy").exists()


def test_a_crop_to_the_solid_equals_a_crop_by_hand(job: Job):
    """Oracle: the same job with the ranges of the box in crop_voxels: same answers, fields and positions."""
    values = np.full((9, 11, 13), 10, "u1")
    values[2:8, 3:9, 4:10] = 200
    values[3:8:2, 4, 5:9] = 10
    values[0, 0, 0] = 210  # not in the largest part
    loads = (
        '[[set]]\nname = "spot"\nselect = "image"\nimage = "labels.npy"\nlabels = [7]\n[[set]]\nname = "low"\n'
        'select = "face"\nface = "z_low"\n[[support]]\non = "low"\nfix = "zyx"\n[[force]]\non = "spot"\nforce_N = [1, 0, 0]\n'
    )
    labels = np.zeros(values.shape, "u1")
    labels[2:4, 3:5, 4:6] = 7
    np.save(job.folder / "scan.npy", values)
    np.save(job.folder / "labels.npy", labels)
    answers, fields = {}, []
    for crop in ("crop_to_solid = true", "crop_voxels = [[2, 8], [3, 9], [4, 10]]"):
        job.write(job_text("scan.npy", image_more=crop, more="[segment]\nthreshold = 100\n" + loads))
        done = job.run("--ranks", "2", "--no-report")
        assert done.code == 0, done.err
        with netCDF4.Dataset(done.folder / "results.nc") as file:
            shape = {name: len(of) for name, of in file.dimensions.items()}
        exported = osteon("export", "job.out/results.nc", "--field", "sed", "-o", "sed.nii.gz", folder=job.folder)
        assert exported.returncode == 0, exported.stderr
        sed = nibabel.load(job.folder / "sed.nii.gz")
        solved = {key: done.summary[key] for key in ("forces", "answers", "stiffness") if key in done.summary}
        answers[crop] = (solved, done.summary["image"]["crop_voxels"], shape, sed.affine.tolist())
        fields.append(np.array(sed.get_fdata()))
        (job.folder / "sed.nii.gz").unlink()
    first, second = answers.values()
    assert first == second and first[1] == [[2, 8], [3, 9], [4, 10]] and fields[0].shape == (6, 6, 6)
    np.testing.assert_array_equal(*fields)


def test_empty_space_is_reported_with_its_remedy(job: Job):
    """Oracle: the box by hand; with the remedy of the message, the warning is absent."""
    values = np.full((110, 100, 100), 10, "u1")
    values[:, 20:30, 40:60] = 200
    np.save(job.folder / "scan.npy", values)
    job.write(job_text("scan.npy"))
    done = job.run("--json", "-", command="import")
    text = "the solid is in the box [[0, 110], [20, 30], [40, 60]] (z, y, x), 2 % of the image"
    assert done.code == 0 and text in done.err and any(text in w for w in json.loads(done.out)["warnings"])
    job.write(job_text("scan.npy", image_more="crop_to_solid = true"))
    done = job.run("--json", "-", command="import")
    made = json.loads(done.out)
    assert done.code == 0 and made["image"]["shape"] == [110, 10, 20] and not made["warnings"]
    assert "cropped to the box of the solid, [[0, 110], [20, 30], [40, 60]] (z, y, x), 2 % of its voxels" in done.err
