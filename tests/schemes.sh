#!/usr/bin/env bash
# No part of the simulator names a scheme, but its own folder.
#
# usage: schemes.sh SOURCE-ROOT
#
# Each folder in runtime-sim/schemes has a file `words`: lines of WHERE and an extended regular
# expression. "everywhere": the rooms of the simulator and the commands; "machine": gpu and memsys
# only, for words that have another meaning elsewhere. A case each; then one that plants a word.
set -u
root=$1
number=0
failed=0
verdict() { # VERDICT NAME OUTPUT
    number=$((number + 1))
    echo "$1 $number - $2"
    [ "$1" = ok ] && return
    failed=1
    sed 's/^/# /' <<<"$3"
}

machine='runtime-sim/gpu runtime-sim/memsys'
everywhere="$machine runtime-sim/base runtime-sim/exec runtime-sim/noc runtime-sim/cache
            runtime-sim/dram runtime-sim/run cli"

find_word() { # ROOT WHERE WORD
    local places=$machine
    [ "$2" = everywhere ] && places=$everywhere
    # shellcheck disable=SC2086
    (cd "$1" && grep -rnE --include='*.[ch]' --include='*.def' --include='*.inc' -- "$3" $places)
}

mapfile -t lines < <(cat "$root"/runtime-sim/schemes/*/words)
echo "1..$((${#lines[@]} + 1))"
for line in "${lines[@]}"; do
    where=${line%% *} word=${line#* }
    if found=$(find_word "$root" "$where" "$word"); then
        verdict 'not ok' "$where: no $word" "$found"
    else
        verdict ok "$where: no $word"
    fi
done

out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
for place in $everywhere; do
    mkdir -p "$out/$place"
done
echo '#include "runtime-sim/schemes/llc_omni/llc_omni.h"' >"$out/runtime-sim/gpu/core.c"
if find_word "$out" everywhere llc_omni >"$out/found"; then
    verdict ok 'a planted word is found'
else
    verdict 'not ok' 'a planted word is found' "$(cat "$out/found")"
fi
exit "$failed"
