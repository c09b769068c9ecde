#!/usr/bin/env bash
# Builds both container recipes of the last commit without a registry, and tests what is in them.
#
# usage: integration/container/check.sh
#
# The base image is a bare Debian 12 from Debian's archive. buildah builds the Dockerfile. Apptainer
# is not in Debian 12: the sections %setup and %post of its recipe are executed in the same base.
# Both must have all commands, and must tag and simulate a sample to the same bytes.
# Needs mmdebstrap, buildah, and root.
set -euo pipefail
export BUILDAH_ISOLATION=chroot
base=docker.io/library/debian:bookworm-slim

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
# Images and containers of its own: the user's image of the base's name stays as it is.
export CONTAINERS_STORAGE_CONF=$work/storage.conf
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$work/images" "$work/run" >"$CONTAINERS_STORAGE_CONF"
made=()
remove() {
    [ ${#made[@]} = 0 ] || buildah rm "${made[@]}" >/dev/null || true
    rm -rf --one-file-system "$work"
}
trap remove EXIT

container() { # IMAGE; the name is in $name
    name=$(buildah from --pull-never "$1")
    made+=("$name")
}

make_base() {
    mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar"
    container scratch
    buildah add --quiet "$name" "$work/base.tar" / >/dev/null
    buildah commit --quiet "$name" "$base" >/dev/null
}

section() { # NAME
    sed -n "/^%$1\$/,/^%/p" "$work/source/integration/container/ptxoffload.def" | grep -v '^%' || true
}

# Sets $name to a container in which the Apptainer recipe's sections were executed.
make_apptainer() {
    container "$base"
    local root
    root=$(buildah mount "$name")
    (cd "$work/source" && APPTAINER_ROOTFS=$root sh -ec "$(section setup)")
    buildah umount "$name" >/dev/null
    buildah run "$name" -- sh -ec "$(section post)"
}

# Tests the container $name; the folder gets what its programs write.
check() { # FOLDER
    local command
    mkdir "$1"
    buildah run "$name" -- sh -c 'ls /usr/bin/ptxoffload*' >"$1/commands"
    while read -r command; do # the wrapper of nvcc has no version without it
        [ "$command" = /usr/bin/ptxoffload-nvcc ] || buildah run "$name" -- "$command" --version </dev/null
    done <"$1/commands" >"$1/versions"
    buildah copy --quiet "$name" "$work/source/samples" /samples >/dev/null
    buildah run "$name" -- ptxoffload /samples/vecadd/vecadd.ptx -o /tmp/tagged.ptx
    buildah run "$name" -- ptxoffload-sim /samples/vecadd/run.yaml --config=isca19 --policy=omni \
        --program=/tmp/tagged.ptx --stats=/tmp/stats.txt >/dev/null
    buildah run "$name" -- cat /tmp/tagged.ptx >"$1/tagged.ptx"
    buildah run "$name" -- cat /tmp/stats.txt >"$1/stats.txt"
    [ -s "$1/tagged.ptx" ] && [ -s "$1/stats.txt" ]
}

git clone -q "$top" "$work/source"
make_base
buildah build --quiet --pull-never -t ptxoffload -f "$work/source/integration/container/Dockerfile" "$work/source"
container localhost/ptxoffload
check "$work/docker"
make_apptainer >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
check "$work/apptainer"
diff -r "$work/docker" "$work/apptainer"
cat "$work/docker/versions"
echo "both images have $(wc -l <"$work/docker/commands") commands, and tag and simulate to the same bytes"
