#!/usr/bin/env bash
# Makes the Debian packages of the last commit, and tests them.
#
# usage: debian/packages.sh build FOLDER    source and binary packages on this system, and lintian
#        debian/packages.sh chroot FOLDER   the same in a bare Debian 12, from nothing but the source
#                                           package; then installs the packages in another bare Debian
#                                           12 and runs the tools, the examples and the Python module
#        debian/packages.sh twice FOLDER    builds in two folders and compares the packages' bytes
#
# Needs lintian, meson and the packages of Build-Depends; chroot needs mmdebstrap, and root.
# FOLDER gets the packages; it is made.
set -euo pipefail
PATH=/usr/sbin:/usr/bin:/sbin:/bin # Debian's own Python and tools

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
what=${1:-} folder=${2:-}
case $what in
build | chroot | twice) [ -n "$folder" ] ;;
*) false ;;
esac || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$top/meson.build" | head -n 1)

# The source as `meson dist` packs it, and debian/ of the same commit beside it.
source_package() { # FOLDER
    local to=$1 build
    build=$(mktemp -d)
    meson setup --buildtype=release -Dtests=false "$build" "$top" >"$build/log"
    meson dist -C "$build" --no-tests --formats xztar >>"$build/log" 2>&1 || {
        cat "$build/log"
        return 1
    }
    mkdir -p "$to"
    cp "$build/meson-dist/ptxoffload-$version.tar.xz" "$to/ptxoffload_$version.orig.tar.xz"
    rm -rf "$build" "${to:?}/ptxoffload-$version"
    tar -C "$to" -xf "$to/ptxoffload_$version.orig.tar.xz"
    (cd "$to" && dpkg-source -b "ptxoffload-$version")
}

# There is no bug in Debian that the first upload could close.
LINTIAN='lintian --allow-root --fail-on=error,warning --suppress-tags=initial-upload-closes-no-bugs'

binary_packages() { # FOLDER
    (cd "$1/ptxoffload-$version" && dpkg-buildpackage -us -uc -b)
}

# A bare Debian 12 with the named packages. Programs look in /proc for where they are.
bare() { # FOLDER PACKAGE,…
    mmdebstrap --variant=minbase --include="$2" bookworm "$1"
    mount -t proc proc "$1/proc"
}

remove() { # FOLDER
    umount "$1/second/proc" "$1/proc" 2>/dev/null || true
    rm -rf --one-file-system "$1"
}

tested() { # FOLDER OF THE ROOT
    local root=$1
    cp "$folder"/*.deb "$root/tmp/"
    cp -r "$top/examples" "$root/tmp/"
    chroot "$root" bash -euxc '
        export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
        apt-get -qq update
        apt-get install -y --no-install-recommends /tmp/*.deb gcc g++ libc6-dev cmake make pkgconf
        cd /tmp
        mkdir empty && cd empty
        samples=/usr/share/doc/ptxoffload/samples
        for tool in "" -sim -noc -dram -map -campaign -run -lsp; do
            ptxoffload$tool --version
        done
        ptxoffload "$samples/vecadd/vecadd.ptx" -o out.ptx --metadata=out.json
        ptxoffload-sim "$samples/vecadd/run.yaml" --policy=omni
        ptxoffload-noc --config=mesh88_8vc_islip --load=0.05
        ptxoffload-map "$samples/conv/conv.map.yaml"
        cat $(pkg-config --variable=prefix libptxoffload)/include/ptxoffload/{ptxoffload,models}.h >/dev/null
        cmake -S /tmp/examples/api -B c && cmake --build c && c/tag "$samples/vecadd/vecadd.ptx" tagged.ptx && test -s tagged.ptx && c/compare "$samples/vecadd/vecadd.ptx"
        python3 /tmp/examples/api/policies.py "$samples/vecadd/vecadd.ptx"
        test -s /usr/share/bash-completion/completions/ptxoffload-sim'
}

case $what in
build)
    source_package "$folder"
    binary_packages "$folder"
    $LINTIAN "$folder"/*.changes
    ;;
chroot)
    source_package "$folder"
    root=$(mktemp -d)
    trap 'remove "$root"' EXIT
    bare "$root" "dpkg-dev,lintian"
    cp "$folder"/*.dsc "$folder"/*.tar.xz "$root/tmp/"
    chroot "$root" env LINTIAN="$LINTIAN" bash -euxc '
        export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
        cd /tmp && dpkg-source -x *.dsc source && cd source
        apt-get -qq update
        apt-get -y --no-install-recommends build-dep ./
        dpkg-buildpackage -us -uc -b && $LINTIAN ../*.changes'
    cp "$root"/tmp/*.deb "$folder"
    bare "$root/second" ca-certificates
    tested "$root/second"
    ;;
twice)
    for one in first a/longer/second; do
        source_package "$folder/$one"
        binary_packages "$folder/$one"
    done
    for package in "$folder"/first/*.deb "$folder"/first/*.orig.tar.xz; do
        cmp "$package" "$folder/a/longer/second/$(basename "$package")"
    done
    echo 'Two builds have made the same bytes.'
    ;;
esac
