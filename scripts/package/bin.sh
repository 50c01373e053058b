#!/bin/sh
# Starts cli with the Deno that was installed beside this package: no Node, and no file of the folder
# that somebody is in. `command -p` looks only where the system keeps its own programs.

self=$0
while [ -L "$self" ]; do
  link=$(command -p readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=${self%/*}/$link ;;
  esac
done
root=$(CDPATH='' cd -P "${self%/*}/.." && pwd -P) || exit 1

for deno in NPM_PLACES; do
  if [ -f "$deno" ] && [ -x "$deno" ]; then
    # Where npm was started says nothing about where this program is.
    unset INIT_CWD
    exec "$deno" run --config "$root/deno.json" TASK_FLAGS "$root/program/cli.js" "$@"
  fi
done
echo "Cannot start cli: the package deno is not installed beside it" >&2
echo "Run the installation again, without --omit=optional" >&2
exit 1
