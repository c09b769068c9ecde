#!/usr/bin/env bash
# No part of the simulator names a scheme, but its own folder; and a scheme sees ports, not structs.
#
# usage: schemes.sh SOURCE-ROOT
#
# Each folder in runtime-sim/schemes has a file `words`: lines of WHERE and an extended regular
# expression. "everywhere": the rooms of the simulator and the commands; "machine": gpu and memsys
# only, for words that have another meaning elsewhere. A case each; then one that plants a word.
#
# Then each folder is compiled with a copy of gpu/scheme/ports.h that has declarations only: struct machine,
# struct core and all that they consist of are not defined there. A case each; then one that plants
# the use of a member.
set -u
root=$1
cc=${CC:-cc}
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
folders=("$root"/runtime-sim/schemes/*/)
echo "1..$((${#lines[@]} + ${#folders[@]} + 6))"
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

# Bodies of functions become semicolons.
mkdir -p "$out/opaque/runtime-sim/gpu/scheme" "$out/opaque/runtime-sim/memsys"
awk '/^{/ { print ";"; body = 1 }
     !body { sub(/machine\/machine_state\.h/, "scheme/scheme.h"); sub(/^static inline/, "extern"); print }
     /^}/ { body = 0 }' "$root/runtime-sim/gpu/scheme/ports.h" >"$out/opaque/runtime-sim/gpu/scheme/ports.h"

# Of these rooms a scheme may include ports.h, scheme.h and what these include.
for header in "$root"/runtime-sim/gpu/*/*.h "$root"/runtime-sim/memsys/memsys_*.h; do
    header=${header#"$root"/}
    mkdir -p "$out/opaque/${header%/*}"
    case ${header##*/} in
    ports.h | scheme.h | machine_config.h | machine_launch.h | tags.h | timing.h) ;;
    *) echo "#error \"$header is not for schemes\"" >"$out/opaque/$header" ;;
    esac
done

compile() { # FILES…
    local file
    for file; do
        # shellcheck disable=SC2086
        $cc -std=gnu11 -fsyntax-only -w -I"$out/opaque" -I"$root" "$file" 2>&1 || return 1
    done
}

check_ports() { # NAME FILES…
    local said
    if said=$(compile "${@:2}"); then
        verdict ok "$1 sees ports only"
    else
        verdict 'not ok' "$1 sees ports only" "$said"
    fi
}

for folder in "${folders[@]}"; do
    check_ports "$(basename "$folder")" "$folder"*.c
done
for example in toll satellite chain_count; do
    check_ports "$example" "$root/tests/unit/runtime-sim/$example.c"
done
document=docs/design/adding-hardware.md example=tests/unit/runtime-sim/chain_count.c
if said=$(diff <(awk '/^```/ { code = /c$/; next } code' "$root/$document") "$root/$example"); then
    verdict ok "the code of $document is $example"
else
    verdict 'not ok' "the code of $document is $example" "$said"
fi
printf '%s\n' '#include "runtime-sim/gpu/scheme/ports.h"' \
    'uint32_t count(const struct core *core) { return core->cta_count; }' >"$out/planted.c"
if said=$(compile "$out/planted.c"); then
    verdict 'not ok' 'a planted member is found' "it compiles"
else
    verdict ok 'a planted member is found'
fi
exit "$failed"
