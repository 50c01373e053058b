# Starts cli. A launcher of `deno task install` sets two absolute paths before it reads this file:
# $deno, the runtime, and $clone, the repository; or $program, the folder of a bundled program, with
# its own copy of this file. Nothing else says what runs, so the folder that somebody is in has no
# part in it. The flags are those of the task cli in deno.json; a test compares them.
# shellcheck shell=sh disable=SC2154

# Where another task was started says nothing about where this program is.
unset INIT_CWD

# Deno reads a file of the home folder first, and does not name HOME when it cannot.
if [ -e "${HOME-}" ] && [ ! -d "$HOME" ]; then
  printf 'Cannot start cli: HOME is "%s", which is not a folder\nSet HOME to your home folder.\n' "$HOME" >&2
  exit 1
fi

exec "$deno" run --config "$clone/deno.json" --lock "$clone/deno.lock" \
  --quiet \
  --no-prompt \
  --frozen \
  --unstable-lazy-dynamic-imports \
  --v8-flags=--min-semi-space-size=16,--no-lazy \
  --allow-net \
  '--allow-env=CLI_*,HOME,USERPROFILE,NO_COLOR,COLUMNS,TERM,TERM_PROGRAM,WT_SESSION,CI,INIT_CWD,HTTP_PROXY,HTTPS_PROXY,ALL_PROXY,NO_PROXY,http_proxy,https_proxy,all_proxy,no_proxy' \
  --ignore-env \
  '--allow-sys=hostname,uid' \
  --allow-read \
  --allow-write \
  '--allow-run=open,xdg-open,rundll32,sh,cmd,git' \
  "$clone/cli.ts" "$@"
