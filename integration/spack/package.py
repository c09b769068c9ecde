# A recipe for Spack: copy it to packages/ptxoffload/ of a repository. The address of `url` and the
# digest are those of the tarball that `meson dist` has made and that you publish:
# `spack checksum ptxoffload` prints the line of a version.
from spack.package import *


class Ptxoffload(MesonPackage):
    """Finds what PTX can offload to hardware near its data, and simulates GPUs with such hardware."""

    homepage = "https://ptxoffload.invalid"
    url = "https://ptxoffload.invalid/releases/ptxoffload-0.2.0.tar.xz"

    license("Apache-2.0")

    version("0.2.0")

    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("flex", type="build")
    depends_on("bison", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("elfutils")
    depends_on("jansson")
    depends_on("libiberty+pic")
    depends_on("libyaml")
    depends_on("lz4")
    depends_on("nettle")
    depends_on("sqlite")
    depends_on("zstd")

    def meson_args(self):
        return ["-Dtests=false", "-Dcuda-checks=disabled"]
