"""Acceptance test of an installed osteon for ReFrame: `reframe -C SITE.py -c osteon_acceptance.py -r`.

The job is a foam of 64^3 voxels from a formula. The reference stiffness was computed by osteon on one rank. It does not
depend on the number of ranks.
"""

# ruff: noqa: RUF012 (ReFrame reads these attributes)

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, run_before, sanity_function, variable

REFERENCE_N_PER_MM = 2516.5374759
TOLERANCE = 1e-6

IMAGE = """
import numpy as np
z, y, x = (2 * np.pi * (np.indices((64, 64, 64)) + 0.5) / 32)
g = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)
np.save("foam.npy", np.where(g < 0.2, 200, 10).astype(np.uint8))
"""
JOB = """
[image]
path = "foam.npy"
spacing_mm = 0.02
[segment]
threshold = 100
[[material]]
youngs_modulus_MPa = 6829.0
poisson_ratio = 0.3
[solve]
tolerance = 1e-9
[picture]
enabled = false
"""


@rfm.simple_test
class OsteonAcceptance(rfm.RunOnlyRegressionTest):
    descr = "stiffness of a foam on several hosts"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "osteon"
    executable_opts = ["run", "job.toml", "--no-report"]
    hosts = variable(int, value=2)
    ranks_per_host = variable(int, value=1)

    @run_before("run")
    def prepare(self):
        self.num_tasks = self.hosts * self.ranks_per_host
        self.num_tasks_per_node = self.ranks_per_host
        folder = Path(self.stagedir)
        (folder / "job.toml").write_text(JOB)
        (folder / "foam.py").write_text(IMAGE)
        self.prerun_cmds = ['"${OSTEON_PYTHON:-python3}" foam.py']

    @sanity_function
    def has_the_reference_stiffness(self):
        summary = json.loads((Path(self.stagedir) / "job.out/summary.json").read_text())
        off = abs(summary["stiffness_N_per_mm"] / REFERENCE_N_PER_MM - 1)
        return sn.all([
            sn.assert_eq(summary["ranks"], self.num_tasks, "ranks: {0} instead of {1}"),
            sn.assert_lt(off, TOLERANCE, "the stiffness differs from the reference by {0}; the limit is {1}"),
        ])  # fmt: skip

    @performance_function("s")
    def solution(self):
        return json.loads((Path(self.stagedir) / "job.out/summary.json").read_text())["solve_seconds"]
