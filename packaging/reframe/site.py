"""Example of a ReFrame configuration for a Slurm cluster: set the partition, and the --mpi of the MPI of osteon."""

site_configuration = {
    "systems": [
        {
            "name": "cluster",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "compute",
                    "scheduler": "squeue",  # "slurm" on a cluster with accounting
                    "launcher": "srun",
                    "environs": ["osteon"],
                }
            ],
        }
    ],
    "environments": [{"name": "osteon", "env_vars": [["SLURM_MPI_TYPE", "pmix"]]}],
}
