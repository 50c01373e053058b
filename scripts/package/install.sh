#!/bin/sh
# Installs cli @VERSION@ for Linux or macOS: downloads one program, compares it with the checksum that
# stands here, and puts it into a folder of yours. Nothing runs that does not match, and nothing needs
# sudo. The folder: $CLI_INSTALL_FOLDER, else ~/.local/bin. To remove it, delete the file.
set -eu

main() {
  from=${CLI_INSTALL_FROM:-@FROM@}
  folder=${CLI_INSTALL_FOLDER:-$HOME/.local/bin}
  program=cli-$(target)
  wanted=$(checksums | sed -n "s/^\([0-9a-f]\{64\}\)  $program\$/\1/p")
  [ -n "$wanted" ] || fail "there is no program for this system ($(uname -sm))"

  mkdir -p "$folder"
  # In the same folder, so that the last step is one rename.
  work=$(mktemp -d "$folder/.cli-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  download "$from/$program" "$work/cli"
  found=$(checksum "$work/cli")
  [ "$found" = "$wanted" ] || fail "the checksum of $from/$program is
  $found, not
  $wanted. Nothing was installed"
  chmod 755 "$work/cli"
  mv -f "$work/cli" "$folder/cli"
  echo "Installed cli @VERSION@ as $folder/cli"
  first=$(command -v cli || true)
  if [ -z "$first" ]; then
    echo "$folder is not on PATH. Add it with: export PATH=\"$folder:\$PATH\""
  elif [ "$first" != "$folder/cli" ]; then
    echo "Warning: $first comes first on PATH"
  fi
}

# The checksums of this version's programs.
checksums() {
  cat <<'SUMS'
@SUMS@
SUMS
}

# This system, as the programs are named after it.
target() {
  case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) machine=$(uname -m) ;;
  esac
  case $(uname -s) in
    Linux) echo "$machine-unknown-linux-gnu" ;;
    Darwin) echo "$machine-apple-darwin" ;;
    *) echo "$machine-unknown" ;;
  esac
}

download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$2" "$1" || fail "$1 cannot be loaded"
  elif command -v wget >/dev/null; then
    wget --quiet --output-document="$2" "$1" || fail "$1 cannot be loaded"
  else
    fail "neither curl nor wget is there"
  fi
}

checksum() {
  if command -v sha256sum >/dev/null; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  else
    fail "neither sha256sum nor shasum is there"
  fi
}

fail() {
  echo "Cannot install cli: $1" >&2
  exit 1
}

# On the last line, so that half a script does nothing.
main
