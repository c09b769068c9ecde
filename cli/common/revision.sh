#!/bin/sh
# Prints the git revision of the source: that of its own repository, not of one that it lies in; in a
# release tarball the one that the tarball was made from.
top=$(dirname "$0")/../..
cat "$top/revision.txt" 2>/dev/null ||
    exec git --git-dir="$top/.git" --work-tree="$top" describe --always --dirty --abbrev=10
