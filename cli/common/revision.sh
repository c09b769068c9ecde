#!/bin/sh
# Prints the git revision of the source: of its own repository, not of one that contains it; in a
# release tarball, the revision that the tarball was made from.
top=$(dirname "$0")/../..
cat "$top/revision.txt" 2>/dev/null ||
    exec git --git-dir="$top/.git" --work-tree="$top" describe --always --dirty --abbrev=10
