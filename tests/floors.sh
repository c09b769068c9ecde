#!/usr/bin/env bash
# A floor knows only the floors below it.
#
# usage: floors.sh SOURCE-ROOT "PACKAGES" FLOOR=ARCHIVE…   (bottom to top)
#
# Two cases a floor: none of its files includes a header from above or by a relative path, and its
# archive, taken whole, links with nothing but the archives below it and the declared packages.
set -u
root=$1
read -ra packages <<<"$2"
shift 2
cc=${CC:-cc}
libraries=()
if ((${#packages[@]})); then
    read -ra libraries <<<"$(pkg-config --libs "${packages[@]}")"
fi
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

number=0
failed=0
verdict() { # VERDICT NAME OUTPUT
    number=$((number + 1))
    echo "$1 $number - $2"
    [ "$1" = ok ] && return
    failed=1
    sed 's/^/# /' <<<"$3"
}

check_includes() { # FLOOR FLOORS-ABOVE…
    local floor=$1 above
    shift
    above=$(IFS='|' && echo "$*")
    local found
    found=$(cd "$root" && grep -rnE --include='*.[chly]' --include='*.def' \
        "^[[:space:]]*#[[:space:]]*include[[:space:]]*[\"<](\.\.?/${above:+|($above)/})" "$floor")
    if [ -z "$found" ]; then
        verdict ok "$floor includes nothing from above"
    else
        verdict 'not ok' "$floor includes nothing from above" "$found"
    fi
}

check_link() { # FLOOR ARCHIVE ARCHIVES-BELOW…
    local floor=$1 archive=$2 said
    shift 2
    if said=$(read -ra command <<<"$cc" && "${command[@]}" -shared -o "$out/${floor//\//-}.so" \
        -Wl,--whole-archive "$archive" -Wl,--no-whole-archive "$@" \
        -Wl,--no-undefined "${libraries[@]}" -liberty -lm 2>&1); then
        verdict ok "$floor links with the floors below it"
    else
        verdict 'not ok' "$floor links with the floors below it" "$said"
    fi
}

echo "1..$(($# * 2))"
below=()
for pair; do
    shift
    above=("${@%%=*}")
    [[ $pair = cli/* ]] || above+=(cli)
    check_includes "${pair%%=*}" "${above[@]}"
    check_link "${pair%%=*}" "${pair#*=}" "${below[@]}"
    below=("${pair#*=}" "${below[@]}")
done
exit "$failed"
