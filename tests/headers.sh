#!/usr/bin/env bash
# Every header compiles alone; a public one also as C11 and C++11 to C++20, without extensions.
#
# usage: headers.sh SOURCE-ROOT BUILD-ROOT FOLDER…
set -u
root=$1
build=$2
shift 2
cd "$root" || exit 1
read -ra cc <<<"${CC:-cc}"
mapfile -t headers < <(find "$@" -name '*.h' | sort)
mapfile -t public < <([ -d include ] && find include -name '*.h' | sort)

number=0
failed=0
cuda=$(PYTHONPATH=tests/lib python3 -c 'import cuda_toolkit; print(cuda_toolkit.toolkit() / "include")' 2>/dev/null)
check() { # NAME COMMAND…
    local name=$1 said
    shift
    number=$((number + 1))
    if [[ $name = *cuda_overlap.h* && ! -f $cuda/cuda_runtime_api.h ]]; then
        echo "ok $number - $name # SKIP no CUDA toolkit"
        return
    fi
    if said=$("$@" 2>&1); then
        echo "ok $number - $name"
    else
        failed=1
        echo "not ok $number - $name"
        sed 's/^/# /' <<<"$said"
    fi
}

warnings=(-Wall -Wextra -Wundef -Werror -fsyntax-only -I. "-I$build" -Iinclude ${cuda:+-isystem "$cuda"})
standards=(c++11 c++14 c++17 c++20)
echo "1..$((${#headers[@]} + (2 + ${#standards[@]}) * ${#public[@]}))"
for header in "${headers[@]}" "${public[@]}"; do
    # Included from nothing, so that `#pragma once` in a main file is not warned of.
    check "$header alone" \
        "${cc[@]}" -std=gnu11 "${warnings[@]}" -include "$header" -x c /dev/null
done
for header in "${public[@]}"; do
    check "$header as C11" \
        "${cc[@]}" -std=c11 -pedantic "${warnings[@]}" -D_GNU_SOURCE -include "$header" -x c /dev/null
    for standard in "${standards[@]}"; do
        if command -v g++ >/dev/null; then
            check "$header as ${standard^^}" \
                g++ "-std=$standard" -pedantic "${warnings[@]}" -include "$header" -x c++ /dev/null
        else
            number=$((number + 1))
            echo "ok $number - $header as ${standard^^} # SKIP no g++"
        fi
    done
done
exit "$failed"
