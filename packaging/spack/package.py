# This package is maintained manually, because osteon is not tested with Spack. Copy the file to
# packages/osteon/package.py in a repository of your own.
from spack.package import *


class Osteon(CMakePackage):
    """Physics computed directly on voxel CT images: stiffness, stress, heat and flow. The program uses MPI."""

    # there is no public home page; set `git` or `url` to the address of your copy
    homepage = "https://example.org/osteon"
    license("Apache-2.0")

    version("0.2.0")

    variant("studies", default=False, description="Commands that reproduce papers")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("mpi")
    depends_on("hdf5+mpi+hl")
    depends_on("netcdf-c+mpi")
    depends_on("fmt")
    depends_on("eigen@3.4:")
    depends_on("nlohmann-json")
    depends_on("tomlplusplus")
    depends_on("cli11")
    depends_on("xxhash")
    depends_on("hwloc")
    depends_on("openssl")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-numpy", type="run")
    depends_on("py-netcdf4", type="run")
    depends_on("py-matplotlib", type="run")

    generator("ninja")
    conflicts("%gcc@:11", msg="osteon is C++20")

    def cmake_args(self):
        # the compiler wrapper of Spack sets -march for the target
        return [
            self.define("OSTEON_ARCH", ""),
            self.define("OSTEON_TESTS", False),
            self.define("OSTEON_BRIDGE", False),
            self.define_from_variant("OSTEON_STUDIES", "studies"),
        ]
