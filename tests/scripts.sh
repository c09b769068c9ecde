#!/usr/bin/env bash
# Every shell script parses.
#
# usage: scripts.sh SOURCE-ROOT
set -u
cd "$1" || exit 1
mapfile -t scripts < <(
    find . -path ./.git -prune -o -path './build*' -prune -o -path ./out -prune \
        -o -type f -size -200k -print0 | sort -z |
        xargs -0 awk 'FNR == 1 { if (/^#!.*[\/ ](ba)?sh( |$)/) print FILENAME; nextfile }')
echo "1..${#scripts[@]}"
number=0
failed=0
for script in "${scripts[@]}"; do
    number=$((number + 1))
    if said=$(bash -n "$script" 2>&1); then
        echo "ok $number - $script"
    else
        failed=1
        echo "not ok $number - $script"
        sed 's/^/# /' <<<"$said"
    fi
done
exit "$failed"
