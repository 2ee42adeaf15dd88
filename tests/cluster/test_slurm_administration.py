"""The commands of docs/howto/administrator.md: module file, container, acceptance test and prolog."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from page_runner import blocks_of
from slurm_cluster import SlurmCluster, why_not
from slurm_job import VARIABLES, SlurmJob
from whole_job import BINARY, ROOT, job_text

PAGE = (ROOT / "docs/howto/administrator.md").read_text()
PACKAGING = ROOT / "packaging"
REFRAME = ROOT / ".venv-launchers/reframe/bin/reframe"
MODULECMD = next((p for p in Path("/usr/lib").glob("**/modulecmd.tcl") if not p.is_symlink()), None)


def line_of_page(beginning: str) -> str:
    """The command of the page that begins so."""
    lines = [line for block in blocks_of(PAGE) if block.kind == "sh" for line in block.text.splitlines()]
    (found,) = [line for line in lines if line.startswith(beginning)]
    return found


def program_folder(folder: Path) -> Path:
    """A folder with the program, as PATH of an installation."""
    (folder / "bin").mkdir()
    (folder / "bin/osteon").symlink_to(BINARY)
    return folder / "bin"


@pytest.mark.skipif(MODULECMD is None, reason="environment-modules is not installed")
def test_module_file(tmp_path: Path) -> None:
    """Oracle: the program and the variables in a shell that has loaded the module."""
    program_folder(tmp_path)
    files = tmp_path / "modulefiles/osteon"
    files.mkdir(parents=True)
    text = (PACKAGING / "modules/osteon").read_text().replace("/opt/osteon/0.2.0", str(tmp_path))
    (files / "0.2.0").write_text(text)
    script = f'eval "$({MODULECMD} sh load osteon/0.2.0)"; osteon version | head -1; echo $OSTEON_PYTHON; echo $MANPATH'
    done = subprocess.run(
        ["sh", "-c", script],
        env={"PATH": "/usr/bin:/bin", "MODULEPATH": str(tmp_path / "modulefiles")},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0].startswith("osteon 0."), done.stderr
    assert lines[1] == f"{tmp_path}/venv/bin/python"
    assert lines[2].startswith(f"{tmp_path}/share/man")


def test_the_module_file_has_the_version_of_cmake() -> None:
    version = re.search(r"project\(osteon VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert f"set prefix /opt/osteon/{version}\n" in (PACKAGING / "modules/osteon").read_text()
    assert f"osteon/{version}" in PAGE


@pytest.mark.skipif(shutil.which("ch-run") is None, reason="charliecloud-runtime is not installed")
def test_an_unprivileged_container(slurm_job: SlurmJob, sponge: Path) -> None:
    """A root folder with the libraries of this machine. Oracle: one job of two ranks on two hosts."""
    image = slurm_job.folder / "image"
    folders = ["usr", "etc", "tmp", "proc", "sys", "dev", "run", "home", "mnt", "var/tmp", *top_folders()]
    for name in folders:
        (image / name).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        if Path("/", name).is_symlink():
            (image / name).symlink_to(f"usr/{name}")
    for name in ("passwd", "group", "hosts", "resolv.conf"):
        (image / "etc" / name).touch()
    binds = " ".join(f"-b /{name}:/{name}" for name in ["usr", "run", *top_folders()])
    slurm_job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    line = line_of_page("srun --mpi=pmix ch-run").replace("/opt/osteon-image", f"{binds} -c {slurm_job.folder} {image}")
    line = line.replace("-- osteon", f"-- {BINARY}").replace("job.toml", "job.toml --no-report")
    code, out = slurm_job.batch(line, "-N2", "--ntasks-per-node=1", TMPDIR="/tmp")  # ch-run binds $TMPDIR to /tmp
    assert code == 0, out
    assert slurm_job.summary["ranks"] == 2
    assert slurm_job.hosts() == ["n1", "n2"]


def top_folders() -> list[str]:
    """Folders of / that contain the program, its interpreter and its packages, except those of the image."""
    paths = [BINARY, ROOT, Path(VARIABLES["OSTEON_PYTHON"]).absolute(), Path(VARIABLES["OSTEON_PYTHON"]).resolve()]
    return sorted({path.parts[1] for path in paths} - {"usr", "tmp"})


@pytest.mark.skipif(not REFRAME.exists(), reason="ReFrame is not installed")
def test_acceptance(slurm_job: SlurmJob) -> None:
    """Oracle: ReFrame's own check against the reference value; a changed reference fails."""
    folder = program_folder(slurm_job.folder)
    check = slurm_job.folder / "check.py"
    text = (PACKAGING / "reframe/osteon_acceptance.py").read_text()
    line = line_of_page("reframe ").replace("packaging/reframe/site.py", str(PACKAGING / "reframe/site.py"))
    words = [str(REFRAME), *line.replace("packaging/reframe/osteon_acceptance.py", str(check)).split()[1:]]
    words += ["--prefix", str(slurm_job.folder / "reframe"), "--keep-stage-files"]
    reference = re.search(r"REFERENCE_N_PER_MM = ([0-9.]+)", text)[1]
    assert f"{reference} N/mm" in PAGE
    for value, code in ((reference, 0), (str(float(reference) * 1.001), 1)):
        check.write_text(text.replace(f"REFERENCE_N_PER_MM = {reference}", f"REFERENCE_N_PER_MM = {value}"))
        path = f"{folder}:{Path(VARIABLES['OSTEON_PYTHON']).parent}:{os.environ['PATH']}"
        done = slurm_job.run(*words, PATH=path)
        assert done.returncode == code, done.stdout + done.stderr
    assert "the stiffness differs from the reference" in done.stdout


def test_prolog(tmp_path: Path) -> None:
    """The script of the page as Prolog of a cluster. Oracle: a job runs; with a thousand times the bandwidth before, Slurm
    drains the host instead."""
    if reason := why_not():
        pytest.skip(reason)
    folder = program_folder(tmp_path)
    script = next(b.text for b in blocks_of(PAGE) if b.kind == "sh" and b.text.startswith("#!/bin/sh"))
    exports = f'export HOME={tmp_path} OSTEON_PYTHON="{VARIABLES["OSTEON_PYTHON"]}"\n'
    (tmp_path / "prolog.sh").write_text(
        script.replace("#!/bin/sh\n", f"#!/bin/sh\n{exports}")
        .replace("/etc/osteon", str(tmp_path))
        .replace("/opt/osteon/0.2.0/bin", str(folder))
    )
    (tmp_path / "prolog.sh").chmod(0o755)
    with SlurmCluster(hosts=1, configuration=f"Prolog={tmp_path}/prolog.sh") as cluster:
        measured = line_of_page("osteon probe --mode isolated --budget 2s -o").replace("/etc/osteon", str(tmp_path))
        measured = measured.replace("$(hostname -s)", "n1")
        cluster.good("sh", "-c", f"{exports}PATH={folder}:$PATH {measured}", host="n1")
        file = tmp_path / "n1.json"
        machine = json.loads(file.read_text())

        def earlier(factor: float) -> None:
            """Let the bandwidths of the earlier measurement differ, by more than the noise of a shared machine."""
            changed = json.loads(json.dumps(machine))
            for path in changed["isolated"]["inside"].values():
                path["bandwidth_B_per_s"] *= factor
            assert changed != machine
            file.write_text(json.dumps(changed))

        earlier(0.001)
        assert cluster.good("srun", "-n1", "echo", "ran", timeout=60).strip() == "ran"
        earlier(1000)
        cluster.run("timeout", "20", "srun", "-n1", "echo", "ran", timeout=60)
        assert "drain" in cluster.good("sinfo", "-h", "-o", "%T")
