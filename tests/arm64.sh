#!/usr/bin/env bash
# Builds for arm64 with Debian's cross compiler, and runs the tests with qemu: the unit tests, the
# cases, the simulator's runs and the samples against their references. Takes six minutes.
#
# usage: arm64.sh BUILD-FOLDER PACKAGE…
#
# The packages, which hold the libraries and headers, are unpacked into BUILD-FOLDER/root; nothing
# of arm64 is installed on this machine. Last line: `N passed, N failed`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "$1"
build=$(realpath "$1")
shift
root=$build/root emulator=(qemu-aarch64-static -L "$build/root")

fail() {
    echo "arm64: $*" >&2
    exit 1
}

# apt with lists, a cache and a database of its own, as if this were an arm64 machine where nothing
# is installed.
fetch_packages() { # FOLDER PACKAGE…
    local folder=$1
    shift
    mkdir -p "$folder"/{lists,cache}/partial
    : >"$folder/status"
    cat >"$folder/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$folder";
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
Dir::Cache::archives "$folder/cache";
Debug::NoLocking "true";
APT::Sandbox::User "";
END
    APT_CONFIG=$folder/apt.conf apt-get -qq update
    APT_CONFIG=$folder/apt.conf apt-get -qq -y --no-install-recommends --download-only install "$@"
}

# Links to absolute paths would lead out of the root.
make_links_relative() {
    local link
    find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
        ln -snfr "$root$(readlink "$link")" "$link"
    done
}

make_root() { # PACKAGE…
    local folder package
    folder=$(mktemp -d)
    rm -rf "$root" "$root.new"
    fetch_packages "$folder" "$@" >&2 || fail "could not fetch the packages of arm64"
    for package in "$folder"/cache/*.deb; do
        dpkg-deb -x "$package" "$root.new"
    done
    rm -rf "$folder"
    mv "$root.new" "$root"
    make_links_relative
}

configure() {
    cat >"$build/cross.ini" <<END
[constants]
root = '$root'
[binaries]
c = ['aarch64-linux-gnu-gcc', '--sysroot=' + root]
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['${emulator[0]}', '${emulator[1]}', root]
[properties]
sys_root = root
pkg_config_libdir = root + '/usr/lib/aarch64-linux-gnu/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
    # The compiler that CC names is this machine's.
    [ -f "$build/build.ninja" ] || env -u CC meson setup --cross-file "$build/cross.ini" "$build" \
        >"$build/setup.txt" || fail "meson could not configure: see $build/setup.txt"
}

# A build folder as the scripts among the tests expect it, with programs that start the emulator.
make_programs() { # NAME…
    local name
    mkdir -p "$build/emulated/cli"
    ln -sfn ../tests "$build/emulated/tests"
    for name; do
        printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${emulator[*]}" "$build/cli/$name" \
            >"$build/emulated/cli/$name"
        chmod +x "$build/emulated/cli/$name"
    done
}

# Counts the cases of a program that speaks TAP, and shows what failed.
passed=0
failed=0
count() { # NAME COMMAND…
    local name=$1 output status=0 good bad
    shift
    output=$(CMOCKA_MESSAGE_OUTPUT=TAP "$@" 2>&1 </dev/null) || status=$?
    good=$(grep -Ec '^\s*ok ' <<<"$output") || true
    bad=$(grep -E '^\s*not ok ' <<<"$output" | grep -vc '# SKIP') || true
    if ((bad || status || !good)); then
        echo "$name: exit code $status"
        grep -Ev '^\s*ok ' <<<"$output" | sed "s/^/    /"
        ((bad)) || bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    echo "$name: $good passed, $bad failed"
}

[ -d "$root" ] || make_root "$@"
configure
ninja --quiet -C "$build" >&2 || fail "the build failed"
make_programs ptxoffload ptxoffload-sim
for test in "$build"/tests/unit/test-*; do
    [ ! -f "$test" ] || count "${test##*/test-}" "${emulator[@]}" "$test"
done
count golden tests/golden.py "$build/emulated"
for name in runs ends prints; do
    count "sim-$name" "tests/sim/$name.py" "$build/emulated"
done
count samples "${emulator[@]}" "$build/tests/samples-references" "$build/emulated" "$PWD" small
echo "$passed passed, $failed failed"
((passed && !failed))
