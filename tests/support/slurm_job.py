"""Jobs of osteon in the Slurm cluster of the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from slurm_cluster import SlurmCluster
from whole_job import BINARY, ROOT, follows_schema

# Open MPI and OpenMP yield their cores while they wait: the hosts share the cores of this machine.
VARIABLES = {
    "OSTEON_BINARY": str(BINARY),
    # Not the interpreter that forks for each image, which is outside of the cluster.
    "OSTEON_PYTHON": os.environ.get("OSTEON_TEST_PYTHON", sys.executable),
    "PYTHONPATH": str(ROOT / "python"),
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_WAIT_POLICY": "passive",
    "OMP_NUM_THREADS": "1",
}


class SlurmJob:
    """A folder with `job.toml`, and the batch jobs that a test submits from it."""

    def __init__(self, cluster: SlurmCluster, folder: Path) -> None:
        if not BINARY.exists():
            pytest.skip(f"{BINARY} is not built")
        self.cluster = cluster
        self.folder = folder
        self.submitted: list[int] = []

    def write(self, text: str) -> Path:
        path = self.folder / "job.toml"
        path.write_text(text)
        return path

    def run(self, *words: str | Path, timeout: float = 90, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder, on the host `head`."""
        return self.cluster.run(*words, cwd=self.folder, timeout=timeout, **{**VARIABLES, **variables})

    def sbatch(self, lines: str, *options: str, **variables: str) -> int:
        """Submit a script of these lines; `{osteon}` in it is the program. @return the number of the job"""
        script = self.folder / "job.sbatch"
        script.write_text("#!/bin/bash\n" + lines.replace("{osteon}", str(BINARY)) + "\n")
        number = self.cluster.submit(
            script, "--output=out.%j", "--open-mode=append", *options, **{**VARIABLES, **variables}
        )
        self.submitted.append(number)
        return number

    def batch(self, lines: str, *options: str, timeout: float = 90, **variables: str) -> tuple[int, str]:
        """Run a batch script to its end. @return exit code and output"""
        number = self.sbatch(lines, *options, **variables)
        facts = self.cluster.wait_for(number, timeout=timeout)
        return int(facts["ExitCode"].partition(":")[0]), self.output(number)

    def output(self, number: int) -> str:
        path = self.folder / f"out.{number}"
        return path.read_text() if path.exists() else ""

    def wait_for_text(self, number: int, text: str, times: int = 1, timeout: float = 60) -> str:
        """Wait until the output of a job contains `text`."""
        deadline = time.monotonic() + timeout
        while (out := self.output(number)).count(text) < times:
            facts = self.cluster.facts(number)
            if time.monotonic() > deadline or facts.get("JobState") in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"):
                out = self.output(number)
                assert out.count(text) >= times, (
                    f"'{text}' is not in the output of {facts}\n{out}\n{self.cluster.logs()}"
                )
                break
            time.sleep(0.1)
        return out

    @property
    def summary(self) -> dict:
        answer = json.loads((self.folder / "job.out/summary.json").read_text())
        follows_schema(answer, "summary")
        return answer

    def hosts(self) -> list[str]:
        """Hosts of the ranks, from the manifest."""
        return sorted(json.loads((self.folder / "job.out/manifest.json").read_text())["hosts"])

    def cancel_all(self) -> None:
        """Cancel the jobs, and wait until their hosts are idle."""
        if self.submitted:
            self.cluster.run("scancel", "--quiet", *map(str, self.submitted))
            for number in self.submitted:
                self.cluster.wait_for(number)
        deadline = time.monotonic() + 30
        while self.cluster.run("squeue", "-h").stdout.strip() and time.monotonic() < deadline:
            time.sleep(0.1)
