"""Jobs that are written from an image. Oracle: the greys that the test made, and a TOML parser of other people."""

import dataclasses
import os
import tomllib
from pathlib import Path

import nrrd
import numpy as np
import pytest
from osteon.images.grey_histogram import greys_of, otsu
from osteon.new_job import PROTOCOLS, inspect_image, main, protocols

import osteon

RNG = np.random.default_rng(1)
SOLID = RNG.random((24, 20, 20)) < 0.4
GREY = np.clip(np.where(SOLID, 180, 60) + RNG.normal(0, 15, SOLID.shape), 0, 255).astype("u1")


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def image(values: np.ndarray = GREY, name: str = "scan.nrrd", spacing: float | None = 0.0607) -> str:
    if name.endswith(".npy"):
        np.save(name, values)
    else:
        nrrd.write(name, values, {} if spacing is None else {"spacings": [spacing] * 3}, index_order="C")
    return name


def job(name: str = "scan.toml") -> dict:
    return tomllib.loads(Path(name).read_text())


def test_otsu_is_what_the_import_takes():
    """Oracle: the sum of the two classes' variances, least by trying all."""
    histogram = np.bincount(GREY.ravel(), minlength=256)
    levels = np.arange(256)

    def within(t: int) -> float:
        parts = [(histogram[: t + 1], levels[: t + 1]), (histogram[t + 1 :], levels[t + 1 :])]
        means = [(h * v).sum() / h.sum() for h, v in parts]
        return sum((h * (v - m) ** 2).sum() for (h, v), m in zip(parts, means, strict=True))

    occupied = range(int(GREY.min()), int(GREY.max()))
    at, separation = otsu(histogram)
    assert at == min(occupied, key=within)
    total = (histogram * (levels - GREY.mean()) ** 2).sum()
    assert separation == pytest.approx(1 - within(at) / total)


def test_a_histogram_says_how_sure_it_is():
    """Oracle: thresholds of the slabs, and shares counted by NumPy; floats have bins of 1/65536 of their range."""
    found = greys_of([GREY])
    assert found.above == pytest.approx((found.threshold < GREY).mean())
    each = [greys_of([slab]).threshold for slab in np.array_split(GREY, 8)]
    assert found.deviation == pytest.approx(np.std(each))
    floats = greys_of([GREY.astype("f4") / 7])
    assert floats.threshold * 7 == pytest.approx(found.threshold, abs=1.01)
    assert floats.above == pytest.approx(found.above, abs=0.01)
    assert greys_of([np.full((3, 3, 3), 7, "u1")]).threshold is None


@pytest.mark.parametrize("protocol", sorted(p.stem for p in PROTOCOLS.glob("*.toml")))
def test_every_protocol_is_a_job_with_its_source(protocol, capsys):
    """Oracle: TOML, and that what says where numbers are from is in the job."""
    assert main([image(), "-p", protocol]) == 0
    text, made = Path("scan.toml").read_text(), job()
    rules = tomllib.loads((PROTOCOLS / f"{protocol}.toml").read_text())
    assert rules["source"] and rules["decide"]
    words = " ".join(text.replace("\n#", " ").split())
    assert ("HU" in rules["threshold"]) == ("[density_law]" in rules["job"])  # of clinical CT
    for source in [*rules["source"], rules["phase"]["name"], rules["phase"]["source"], rules["threshold"]["source"]]:
        assert " ".join(source.split()) in words
    said = capsys.readouterr().out
    assert all(point in said for point in rules["decide"])
    assert made["name"] == "scan" and made["image"] == {"path": "scan.nrrd"} and made["physics"] == rules["physics"]
    assert "0.0607, 0.0607, 0.0607" in text and max(map(len, text.splitlines())) <= 120


def test_the_protocol_of_a_scanner():
    """Oracle: the numbers of the profile that it cites."""
    assert main([image(), "--protocol", "xtremect2-radius"]) == 0
    made = job()
    assert made["material"] == [{"name": "bone tissue", "youngs_modulus_MPa": 8748, "poisson_ratio": 0.3}]
    assert made["segment"] == {"threshold": greys_of([GREY]).threshold, "keep": "largest"}
    assert made["load"]["strain"] == -0.01 and made["pistoia"] == {"critical_strain": 0.007, "critical_volume": 0.02}


def test_nothing_is_guessed(capsys):
    """Oracle: what no file and no source states is not in the job."""
    assert main([image(name="scan.npy")]) == 0
    made = job()
    assert "spacing_mm" not in made["image"] and set(made["material"][0]) == {"name"}
    assert "# spacing_mm" in Path("scan.toml").read_text()
    said = capsys.readouterr().out
    assert "does not state the voxel size" in said and "youngs_modulus_MPa" in said


def test_pores_conduct_in_an_electrode():
    """Oracle: the dark voxels, counted."""
    assert main([image(), "-p", "electrode"]) == 0
    segment = job()["segment"]
    inside = (segment["threshold"] < GREY) & (segment["upper"] >= GREY)
    assert inside.sum() == (greys_of([GREY]).threshold >= GREY).sum()


def test_the_electrolyte_of_a_label_image_is_label_0():
    """Oracle: the tortuosity of the voxels of label 0, counted by themselves."""
    if not Path(os.environ.get("OSTEON_BINARY", "/nonexistent")).exists():
        pytest.skip("the osteon program is not built (OSTEON_BINARY)")
    labels = np.where(SOLID, 1, 0) + SOLID * (RNG.random(SOLID.shape) < 0.3)
    assert main([image(labels.astype("u1")), "-p", "electrode"]) == 0
    made = job()
    assert made["segment"] == {"labels": True, "void_labels": [1, 2], "keep": "percolating"}
    assert made["material"] == [{"name": "electrolyte", "label": 0, "conductivity_W_per_mK": 1}]
    by_job = osteon.run({**made, "picture": {"enabled": False}, "image": {**made["image"], "spacing_mm": 0.0607}})
    by_mask = osteon.tortuosity(pores=labels == 0, spacing_mm=0.0607)
    assert by_job.tortuosity == pytest.approx(by_mask.tortuosity, rel=1e-5)
    assert by_job.porosity == pytest.approx((labels == 0).mean())


@pytest.mark.parametrize(("protocol", "threshold"), [("vertebra", 148), ("femur-fall", 148), ("solid", None)])
def test_a_scan_in_hu_has_the_threshold_of_the_protocol(protocol, threshold, capsys, monkeypatch):
    """Oracle: the number in the protocol; Otsu's of a body in air, which lies between air and tissue."""
    body = np.full(SOLID.shape, -1000.0)
    body[:, 4:16, 4:16] = 40
    body[:, 8:12, 8:12] = 400
    body += RNG.normal(0, 20, body.shape)
    values = np.round(body).astype("i2")
    seen = inspect_image(image(values))
    monkeypatch.setattr("osteon.new_job.inspect_image", lambda source: dataclasses.replace(seen, unit="HU"))
    assert main(["scan.nrrd", "-p", protocol]) == 0
    said, text = capsys.readouterr().out, Path("scan.toml").read_text()
    if threshold is not None:
        assert job()["segment"]["threshold"] == threshold
        assert "148 HU (InVesalius, preset Spongial" in " ".join(text.replace("\n#", " ").split())
        assert "below water" not in said
    else:
        assert job()["segment"]["threshold"] == greys_of([values]).threshold < 0
        assert "below water at 0 HU: it separates air from tissue" in said


def test_a_protocol_in_hu_doubts_an_image_without_a_unit(capsys):
    assert main([image(), "-p", "vertebra"]) == 0
    assert "does not state that its values are HU; Otsu's threshold is written" in capsys.readouterr().out


def test_labels_are_labels():
    """Oracle: the values that the image has."""
    labels = np.where(SOLID, 100, 0) + np.where(GREY > 190, 27, 0) * SOLID
    assert main([image(labels.astype("u1")), "-p", "xtremect-radius"]) == 0
    made = job()
    assert made["segment"] == {"labels": True, "void_labels": [0], "keep": "largest"}
    assert [m["label"] for m in made["material"]] == [100, 127]


@pytest.mark.parametrize(
    ("values", "spacing", "protocol", "words"),
    [
        (
            GREY,
            60.7,
            "rock",
            "voxels of 60.7 mm along z are unusual.*0.0607 mm if the number in the file is in micrometres",
        ),
        (GREY, 0.082, "xtremect2-radius", "protocol is for voxels of 0.0607 mm"),
        (RNG.normal(100, 10, SOLID.shape).astype("u1"), 0.05, "rock", "no two clear phases"),
        (np.full(SOLID.shape, 9, "u1"), 0.05, "rock", "every sampled voxel is 9"),
    ],
)
def test_doubts_are_told(values, spacing, protocol, words, capsys):
    """Oracle: the contract; they are in the job, too."""
    import re

    assert main([image(values, spacing=spacing), "-p", protocol]) == 0
    assert re.search(words, capsys.readouterr().out)
    assert "# doubt: " in Path("scan.toml").read_text() and job()


def test_a_job_elsewhere_finds_its_image():
    """Oracle: the path from the job's folder."""
    Path("jobs").mkdir()
    assert main([image(), "-o", "jobs/a.toml"]) == 0
    assert (Path("jobs") / job("jobs/a.toml")["image"]["path"]).resolve() == Path("scan.nrrd").resolve()


def test_a_name_that_would_break_toml():
    """Oracle: the parser gives the name back."""
    name = image(name='a "b"\\\tc\x1b[31m\n.nrrd')
    assert main([name, "-o", "j.toml"]) == 0
    assert job("j.toml")["image"]["path"] == name and "\x1b" not in Path("j.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ["scan.nrrd", "-p", "skull"],
            3,
            "no protocol 'skull'; known protocols: electrode, femoral-neck-failure, femur-fall",
        ),
        (["gone.nrrd"], 3, "no file or folder 'gone.nrrd'"),
        (["scan.nrrd", "-o", "there.toml"], 3, "'there.toml' exists already and is not overwritten"),
        (["scan.nrrd", "-o", "link.toml"], 3, "'link.toml' exists already"),
        (["scan.nrrd", "-o", "no/folder.toml"], 5, "cannot write 'no/folder.toml': No such file"),
        (["broken.nrrd"], 3, "'broken.nrrd' cannot be read"),
        ([], 2, "the following arguments are required"),
    ],
)
def test_what_is_refused(arguments, code, words, capfd):
    """Oracle: the contract: the exit code, a line that says why, and nothing written."""
    image()
    Path("there.toml").write_text("mine")
    Path("link.toml").symlink_to("away.toml")
    Path("broken.nrrd").write_bytes(b"NRRD0004\n\x00\xff")
    before = sorted(p.name for p in Path().iterdir())
    assert main(arguments) == code
    assert words in capfd.readouterr().err
    assert sorted(p.name for p in Path().iterdir()) == before and Path("there.toml").read_text() == "mine"


def test_protocols_are_listed():
    """Oracle: the files."""
    assert protocols() == sorted(p.stem for p in PROTOCOLS.iterdir())
