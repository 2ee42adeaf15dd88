"""Tests of results in one file per cluster. The ranks of one MPI are configured as two clusters, by the variables that
`osteon join` sets."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from joined_job import PLANES, has_same_answer_and_pictures, has_same_viewer, image_for
from osteon.report.data import load
from osteon.results.cluster_parts import open_results
from osteon.studio.results import fields_in
from whole_job import BINARY, ROOT, Job, job_text, osteon

from osteon import load as load_result


def run(folder: Path, clusters: int, *words: str) -> None:
    """Run the job on one rank, or on two ranks of each cluster."""
    program = [BINARY, "run", "job.toml", *words]
    command: list[str | Path] = [ROOT / "tools" / "mpirun.sh"]
    if clusters == 1:
        command += ["1", *program]
    for cluster in range(clusters if clusters > 1 else 0):
        command += ["2"] if cluster == 0 else [":", "-np", "2"]
        command += ["-x", f"OSTEON_WIRE_CLUSTER={cluster}", *program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("physics", ["elasticity", "flow", "heat"])
def test_a_job_in_parts_has_the_answer_the_pictures_and_the_report_of_one_file(
    job: Job, sponge: Path, tmp_path: Path, physics: str
) -> None:
    """Oracle: the same job on one rank, which writes one file."""
    lines = "streamlines = 20\n" if physics == "heat" else ""
    job.write(job_text(image_for(physics, sponge), physics, PLANES) + lines)
    run(tmp_path, 1, "--output", "alone")
    run(tmp_path, 2, "--output", "both")
    both = tmp_path / "both"
    assert sorted(path.name for path in both.glob("results*.nc")) == ["results.0.nc", "results.1.nc"]
    assert (both / "cut.png").exists() == (physics != "elasticity") == (tmp_path / "alone/cut.png").exists()
    has_same_answer_and_pictures(both, tmp_path / "alone", physics)
    has_same_viewer(both, tmp_path / "alone")


def test_parts_are_read_as_one_file_and_a_missing_one_is_named(job: Job, sponge: Path, tmp_path: Path) -> None:
    """Oracle: the fields of one rank, including nodes between the clusters. If a part is missing, a note names the
    part."""
    job.write(job_text(sponge, "elasticity", PLANES) + "enabled = false\n")
    run(tmp_path, 1, "--output", "alone", "--no-report")
    run(tmp_path, 2, "--output", "both", "--no-report")
    both = tmp_path / "both"
    with open_results(tmp_path / "alone/results.nc") as one, open_results(both / "results.nc") as parts:
        assert set(parts) == set(one)
        for name in one:
            high = np.nanmax(np.abs(one[name]))
            np.testing.assert_allclose(parts[name], one[name], rtol=1e-4, atol=1e-4 * high, err_msg=name)
    fields = load_result(both).fields
    assert fields["displacement"].shape == load_result(tmp_path / "alone").fields["displacement"].shape
    (both / "results.1.nc").rename(tmp_path / "elsewhere.nc")
    result = load(both)
    assert result.fields == []
    assert any("results.1.nc' is missing" in note and "2 clusters" in note for note in result.notes)


def pixels(path: Path) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(path).convert("RGB"), float)


def command(folder: Path, *words: str | Path, code: int = 0) -> str:
    done = osteon(*map(str, words), folder=folder, timeout=120)
    assert done.returncode == code, (words, done.stderr)
    return done.stderr


@pytest.mark.parametrize("physics", ["elasticity", "flow"])
def test_commands_on_results_in_parts(job: Job, sponge: Path, tmp_path: Path, physics: str) -> None:
    """Oracle: the same commands on the results of one rank. These results are one file."""
    job.write(job_text(image_for(physics, sponge), physics, PLANES) + "enabled = false\n")
    run(tmp_path, 1, "--output", "alone", "--no-report")
    run(tmp_path, 2, "--output", "both", "--no-report")
    size = ("--width", "64", "--height", "64")
    # first the field on nodes, then the field on cells
    field = {"elasticity": "displacement", "flow": "pressure"}[physics]
    for words in (("--method", "surface"), ("--field", field, "--method", "volume")):
        for name in ("alone", "both"):
            command(tmp_path, "render", f"{name}/results.nc", *words, *size, "-o", f"{name}.png")
        one, parts = pixels(tmp_path / "alone.png"), pixels(tmp_path / "both.png")
        assert np.ptp(one) > 50
        assert np.abs(parts - one).mean() < 0.5
    command(tmp_path, "export", "both/results.nc", "-f", field, "-o", "both.vti")
    if physics == "flow":
        for name in ("alone", "both"):
            command(tmp_path, "export", f"{name}/results.nc", "--streamlines", "20", "-o", f"{name}.vtp")
            command(tmp_path, "render", f"{name}/results.nc", "--method", "lic", *size, "-o", f"{name}.png")
        assert np.abs(pixels(tmp_path / "both.png") - pixels(tmp_path / "alone.png")).mean() < 2
        sizes = [(tmp_path / f"{name}.vtp").stat().st_size for name in ("alone", "both")]
        assert sizes[1] == pytest.approx(sizes[0], rel=0.02)
    command(tmp_path, "export", "both/results.nc", "--open-in", "paraview", "-o", "open.py")
    script = (tmp_path / "open.py").read_text()
    assert "VTKHDF, XDMF = ['results.0.vtkhdf', 'results.1.vtkhdf'], ['results.0.xdmf', 'results.1.xdmf']" in script
    compile(script, "open.py", "exec")
    assert fields_in(tmp_path / "both") == fields_in(tmp_path / "alone") != []
    assert load_result(tmp_path / "both/results.nc").summary == load_result(tmp_path / "both").summary
    command(tmp_path, "report", "both")
    command(tmp_path, "compare", "alone", "both", "-o", "compare.html")
    (tmp_path / "both/results.1.nc").rename(tmp_path / "elsewhere.nc")
    for words in (("render", "both/results.nc", "-o", "x.png"), ("export", "both/results.nc", "-o", "x.vtu")):
        reported = command(tmp_path, *words, code=3)
        assert "results.1.nc' is missing: each of the 2 clusters wrote its planes to a separate file" in reported
        assert len(reported.strip().splitlines()) == 1


def test_load_histories_of_results_in_parts(job: Job, sponge: Path, tmp_path: Path) -> None:
    """Oracle: the history of the results of one rank."""
    cases = "".join(f'[[case]]\nname = "{axis}"\ntest = "axial_bonded"\naxis = "{axis}"\n' for axis in "zx")
    job.write(job_text(sponge, "elasticity", PLANES + cases + '[output]\nfields = ["sed"]\n') + "enabled = false\n")
    run(tmp_path, 1, "--output", "alone", "--no-report")
    run(tmp_path, 2, "--output", "both", "--no-report")
    one, parts = (osteon("loads", name, "--json", "-", folder=tmp_path) for name in ("alone", "both"))
    assert one.returncode == parts.returncode == 0, one.stderr + parts.stderr
    expected, found = (json.loads(done.stdout) for done in (one, parts))
    for a, b in zip(expected["amplitudes"], found["amplitudes"], strict=True):
        assert b["factor"] == pytest.approx(a["factor"], rel=1e-4)
