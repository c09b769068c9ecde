#!/bin/sh
# topic.sh PAGES NAME SECTION PURPOSE COMMAND OPTION: a manual page of what the command prints.
set -eu
pages=$1 name=$2 section=$3 purpose=$4
shift 4
text=$("$@")
printf '%s\n' "$text" | "$pages" topic "$name" "$section" "$purpose"
