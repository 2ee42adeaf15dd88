"""Steps before the threshold. Oracle: definitions as in SciPy, written out in NumPy, and positions computed by hand."""

import json
import subprocess
import sys

import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
from osteon.errors import DataError
from osteon.images.image_steps import apply_steps
from osteon.images.read_image import convert, main
from osteon.images.volume import Volume

RNG = np.random.default_rng(5)
GREY = RNG.integers(0, 200, (12, 10, 8)).astype("u1")


def stepped(values: np.ndarray, *steps: dict, spacing=(0.3, 0.2, 0.1), given=None, overlay=False) -> Volume:
    volume = Volume(values.copy(), "npy", spacing)
    apply_steps(volume, list(steps), given, overlay, "a.npy")
    return volume


def test_a_gaussian_of_a_point_has_its_width():
    """Oracle: second moments. They equal sigma in mm along each axis, for any voxel edges. The sum is preserved."""
    point = np.zeros((41, 61, 101), "u1")
    point[20, 30, 50] = 200
    found = stepped(point, {"kind": "gaussian", "sigma_mm": 0.6}).values.astype("f8")
    assert found.sum() == pytest.approx(200, rel=2e-3)
    for axis, (h, n) in enumerate(zip((0.3, 0.2, 0.1), (20, 30, 50), strict=True)):
        line = found.sum(axis=tuple(a for a in range(3) if a != axis))
        at = (np.arange(len(line)) - n) * h
        assert np.sqrt((line * at**2).sum() / line.sum()) == pytest.approx(0.6, rel=0.03)
    again = stepped(point, {"kind": "gaussian", "sigma_voxels": 2}, spacing=None).values
    np.testing.assert_allclose(again[20, 30, 49], again[20, 29, 50], rtol=1e-5)


def windows(values: np.ndarray, radius: int) -> np.ndarray:
    padded = np.pad(values, radius, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, [2 * radius + 1] * 3).reshape(*values.shape, -1)


@pytest.mark.parametrize("radius", [1, 2])
def test_a_median(radius):
    """Oracle: the median of the cube by NumPy, with a repeated border."""
    found = stepped(GREY, {"kind": "median", "radius_voxels": radius})
    np.testing.assert_array_equal(found.values, np.median(windows(GREY, radius), axis=-1))


@pytest.mark.parametrize("kind", ["close", "open"])
def test_closing_and_opening(kind):
    """Oracle: the definitions. The steps are idempotent. The results are above (below) the image, and gaps (specks) of
    one voxel are removed."""
    mask = np.zeros((9, 9, 9), "u1")
    mask[2:7, 2:7, 2:7] = 100
    mask[4, 4, 4], mask[1, 7, 4] = 0, 100
    once = stepped(mask, {"kind": kind}).values
    np.testing.assert_array_equal(stepped(once, {"kind": kind}).values, once)
    if kind == "close":
        assert (once >= mask).all() and once[4, 4, 4] == 100
    else:
        assert (once <= mask).all() and once[1, 7, 4] == 0


def test_a_closing_leaves_a_solid_that_the_border_cuts():
    """Oracle: a block that fills the image is preserved."""
    assert (stepped(np.full((6, 6, 6), 7, "u1"), {"kind": "close", "radius_voxels": 2}).values == 7).all()


def test_resampling_keeps_the_box_and_a_plane():
    """Oracle: a linear function of the position is preserved, except in the half voxel beyond the outer centres."""
    z, y, x = np.meshgrid(
        *((np.arange(n) + 0.5) * h for n, h in zip((20, 24, 30), (0.3, 0.2, 0.1), strict=True)), indexing="ij"
    )
    plane = (2 * z + 3 * y - x).astype("f4")
    found = stepped(plane, {"kind": "resample", "spacing_mm": [0.2, 0.2, 0.15], "interpolation": "linear"})
    assert found.values.shape == (30, 24, 20) and found.spacing_mm == (0.2, 0.2, 0.15)
    z, y, x = np.meshgrid(
        *((np.arange(n) + 0.5) * h for n, h in zip((30, 24, 20), (0.2, 0.2, 0.15), strict=True)), indexing="ij"
    )
    inner = (slice(1, -1),) * 3
    np.testing.assert_allclose(found.values[inner], (2 * z + 3 * y - x)[inner], atol=1e-4)


def test_an_overlay_moves_with_the_scan_and_keeps_its_values():
    """Oracle: labels have no new values. Filters do not change labels."""
    steps = [
        {"kind": "gaussian", "sigma_mm": 1.0},
        {"kind": "resample", "spacing_mm": [0.1] * 3, "interpolation": "linear"},
    ]
    scan, labels = (stepped(GREY // 50, *steps, overlay=o) for o in (False, True))
    assert scan.values.shape == labels.values.shape and labels.values.dtype == np.uint8
    assert set(np.unique(labels.values)) <= {0, 1, 2, 3}


def test_a_crop_stays_in_its_place():
    """Oracle: the position of the low corner of the crop."""
    step = {"kind": "crop", "voxels": [[2, 5], [1, 9], [3, 8]]}
    found = stepped(GREY, step)
    np.testing.assert_array_equal(found.values, GREY[2:5, 1:9, 3:8])
    assert found.placement.origin_z_y_x() == pytest.approx((0.6, 0.2, 0.3))
    assert stepped(GREY, step, given=[1.0, 1.0, 1.0]).placement.origin_z_y_x() == (2.0, 1.0, 3.0)


def test_ranges_become_labels():
    """Oracle: the grey values."""
    found = stepped(GREY, {"kind": "labels", "ranges": [[50, 99, 1], [100, 199, 7]]}).values
    np.testing.assert_array_equal(found, np.where(GREY < 50, 0, np.where(GREY < 100, 1, 7)))


@pytest.mark.parametrize(
    ("step", "options", "words"),
    [
        (
            {"kind": "gaussian", "sigma_mm": 1.0},
            {"spacing": None},
            r"image.step\[1\] \(gaussian\) is in mm.*add spacing_mm",
        ),
        ({"kind": "crop", "voxels": [[0, 13], [0, 1], [0, 1]]}, {}, r"z = \[0, 13\] exceeds the image, which has 12"),
        ({"kind": "labels", "ranges": [[0, 9, 1], [9, 20, 2]]}, {}, "overlaps another range"),
        ({"kind": "resample", "spacing_mm": [1e-7, 1e-4, 1e-4]}, {}, "choose a larger spacing_mm"),
    ],
)
def test_what_is_refused(step, options, words):
    """Oracle: the contract, with the step and the remedy."""
    with pytest.raises(DataError, match=words):
        stepped(GREY, step, **options)


def test_more_than_the_machine_has_is_refused(monkeypatch):
    """Oracle: the number of bytes that the step states to allocate."""
    monkeypatch.setattr("os.sysconf", lambda name: 1 if name == "SC_PAGE_SIZE" else GREY.size)
    with pytest.raises(DataError, match=r"needs all .12, 10, 8. voxels in memory"):
        stepped(GREY, {"kind": "median"})


def test_the_program_tells_what_it_did(tmp_path, monkeypatch, capfd):
    """Oracle: the steps passed to the program, and the spacing of ITK."""
    monkeypatch.chdir(tmp_path)
    image = sitk.GetImageFromArray(GREY)
    image.SetSpacing((0.1, 0.2, 0.3))
    sitk.WriteImage(image, "a.mha")
    steps = {"steps": [{"kind": "median", "radius_voxels": 1}, {"kind": "resample", "spacing_mm": [0.2, 0.2, 0.2]}]}
    assert main(["a.mha", "o.npy", json.dumps(steps)]) == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["spacing_mm"] == [0.2] * 3 and printed["file_spacing_mm"] == pytest.approx([0.3, 0.2, 0.1])
    assert [s["kind"] for s in printed["steps"]] == ["median", "resample"] and printed["steps"][1]["shape"] == [
        18,
        10,
        4,
    ]
    assert (
        printed["shape"] == [18, 10, 4] == list(np.load("o.npy").shape)
        and printed["steps"][0]["bytes"] == 3 * GREY.size
    )
    assert "steps" not in convert("a.mha", "p.npy")


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i2", "f4", "f8"])
@pytest.mark.parametrize(
    "step",
    [
        {"kind": "gaussian", "sigma_voxels": 0.8},
        {"kind": "gaussian", "sigma_mm": 0.3},
        {"kind": "median", "radius_voxels": 2},
        {"kind": "close", "radius_voxels": 2},
        {"kind": "open"},
        {"kind": "local_threshold", "radius_voxels": 2, "low": 20, "high": 90},
        {"kind": "local_threshold", "radius_voxels": 1, "low": 20, "high": 90, "method": "phansalkar"},
        {"kind": "local_threshold", "low": 20, "high": 90, "method": "bernsen", "contrast": 15},
    ],
)
def test_slabs_give_the_values_of_the_whole_image(monkeypatch, kind, step):
    """Oracle: the same filter of the whole image, in one slab: equal to the last bit, with the same type."""
    values = RNG.integers(0, 120, (37, 9, 8)).astype(kind)
    whole = stepped(values, step).values
    monkeypatch.setattr("osteon.images.image_steps.SLAB_VOXELS", 1)
    slabs = stepped(values, step).values
    assert slabs.dtype == whole.dtype
    np.testing.assert_array_equal(slabs, whole)


@pytest.mark.parametrize(
    ("kind", "limit"),
    [("gaussian", 4), ("median", 0), ("close", 0), ("open", 0), ("local_threshold", 0), ("hysteresis", 8)],
)
def test_filters_need_slabs_beside_the_image(kind, limit):
    """Oracle: the resident memory of a process, without that of a small image; `limit` is the bytes per voxel of a result
    of another type."""
    code = (
        "import resource, sys, numpy as np\n"
        "from osteon.images import image_steps\n"
        "from osteon.images.image_steps import apply_steps\n"
        "from osteon.images.volume import Volume\n"
        "image_steps.SLAB_VOXELS = 1 << 20\n"
        "n = int(sys.argv[1])\n"
        "values = np.ones((n, 256, 256), 'u1')\n"
        f"apply_steps(Volume(values, 'npy', None), [{{'kind': '{kind}', 'sigma_voxels': 1, 'low': 0, 'high': 0.5}}], None, False, 'a')\n"
        "print(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )

    def peak(planes: int) -> int:
        words = [sys.executable, "-c", code, str(planes)]
        return int(subprocess.run(words, capture_output=True, text=True, check=True, timeout=200).stdout)

    small, large = 128, 512
    assert peak(large) - peak(small) < (1 + limit + 0.5) * (large - small) * 256 * 256
