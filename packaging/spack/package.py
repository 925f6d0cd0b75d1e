# SPDX-License-Identifier: Apache-2.0
# A Spack recipe. tests/packaging loads it with a stand-in for Spack. It was never run by Spack.
from spack.package import *


class Roundelay(PythonPackage):
    """Faster MPI collectives, without a change to the program."""

    license("Apache-2.0")

    # The address of the sources and a checksum for each version belong here after a release:
    # url = "https://.../roundelay-0.1.0.tar.gz"
    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@2.2:", type="build")
    depends_on("py-click@8.1:", type=("build", "run"))
    depends_on("py-pyelftools@0.29:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("mpi", type=("build", "link", "run"))

    def config_settings(self, spec, prefix):
        return {"cmake.define.ROUNDELAY_MPI": spec["mpi"].mpicc}
