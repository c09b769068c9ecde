#!/bin/sh
# archive.sh FOLDER OUT LIBRARY…: one static library of several, with the public symbols alone.
set -eu
folder=$1 out=$2
shift 2
mkdir -p "$folder"
object=$folder/ptxoffload.o
ld -r --whole-archive "$@" -o "$object"
objcopy --wildcard --keep-global-symbol='ptxoffload_*' "$object"
rm -f "$out"
ar rcs "$out" "$object"
