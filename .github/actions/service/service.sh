#!/usr/bin/env bash
# The steps of the action "Local service": start, events, stop. They share a folder of the runner.
set -euo pipefail

folder=$RUNNER_TEMP/cli-service
clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd -P)

# The value of a field in the line that the service prints when it has started.
field() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$folder/started.json"
}

# Sets a variable for the steps that follow, and an output of this one.
tell() {
  echo "$1=$3" >>"$GITHUB_ENV"
  [ -z "$2" ] || echo "$2=$3" >>"$GITHUB_OUTPUT"
}

start() {
  mkdir -p "$folder/report"
  (cd "$clone" && npx -y deno@2.9.6 task --quiet install --linked --to "$folder/bin") >&2
  export PATH="$folder/bin:$PATH"
  # Words of the workflow's author, to be taken apart as a shell does.
  # shellcheck disable=SC2086
  nohup cli service start --port 0 --data "$folder/data" --output json ${ARGUMENTS:-} \
    >"$folder/started.json" 2>"$folder/report/service.log" </dev/null &
  echo $! >"$folder/pid"
  wait_until_healthy
  token=$(cli service token --data "$folder/data")
  echo "::add-mask::$token"
  echo "$folder/bin" >>"$GITHUB_PATH"
  tell CLI_BASE_URL base_url "$(field base_url)"
  tell CLI_REFRESH_TOKEN "" "$token"
  if [ -n "$(field project_id)" ]; then tell CLI_PROJECT_ID project_id "$(field project_id)"; fi
}

wait_until_healthy() {
  for _ in $(seq 300); do
    if [ -s "$folder/started.json" ] && cli service status --data "$folder/data" >/dev/null 2>&1
    then
      return
    fi
    kill -0 "$(cat "$folder/pid")" 2>/dev/null || break
    sleep 0.1
  done
  echo "Cannot start the local service: it is not healthy" >&2
  cat "$folder/report/service.log" >&2
  exit 1
}

events() {
  cli events list --all --output json >"$folder/report/events.json"
}

stop() {
  local pid
  pid=$(cat "$folder/pid")
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 150); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -9 "$pid"
}

case ${1:-} in
  start | events | stop) "$1" ;;
  *)
    echo "Cannot run \"${1:-}\": it is none of start, events, stop" >&2
    exit 2
    ;;
esac
