#!/usr/bin/env bash
# Builds the container image from nothing but this repository and this machine's C library: `npm run image [name]`.
# With `--rootfs FOLDER` it only writes what the image would have, for machines without a builder.
set -euo pipefail
# The user of the image has to read what is written here, whatever the mask of whoever builds it.
umask 022
cd "$(dirname "$0")/.."

certificates() {
  local file
  for file in "${SSL_CERT_FILE:-}" /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do
    [ -n "$file" ] && [ -f "$file" ] && { echo "$file"; return; }
  done
  echo "no certificate authorities found: install ca-certificates" >&2
  return 1
}

# The loader and the libraries that the executable names, at the paths at which it looks for them.
libraries() {
  ldd dist/turnpike | sed -nE 's/.*=> (\/[^ ]+) .*/\1/p; s/^[[:space:]]*(\/[^ ]+) .*/\1/p'
}

write_context() {
  local root=$1/rootfs library
  mkdir -p "$root/etc/ssl/certs" "$root/etc/turnpike" "$root/tmp" "$1/data"
  chmod 1777 "$root/tmp"
  chmod 700 "$1/data"
  cp dist/turnpike "$root/turnpike"
  for library in $(libraries); do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
  cp -L "$(certificates)" "$root/etc/ssl/certs/ca-certificates.crt"
  echo "turnpike:x:65532:65532::/data:/turnpike" >"$root/etc/passwd"
  echo "turnpike:x:65532:" >"$root/etc/group"
}

build() {
  # A health check is part of Docker's image format, not of OCI's.
  if command -v buildah >/dev/null; then
    buildah build --isolation chroot --format docker --layers=false -f deploy/Containerfile -t "$2" "$1"
  elif command -v podman >/dev/null; then
    podman build --isolation chroot --format docker --layers=false -f deploy/Containerfile -t "$2" "$1"
  elif command -v docker >/dev/null; then
    docker build -f deploy/Containerfile -t "$2" "$1"
  else
    echo "no builder found: install buildah, podman or docker" >&2
    return 1
  fi
}

npm run --silent build >&2
if [ "${1:-}" = "--rootfs" ]; then
  write_context "${2:?folder}"
  exit
fi
context=$(mktemp -d "${TMPDIR:-/tmp}/turnpike-image-XXXXXX")
trap 'rm -rf "$context"' EXIT
write_context "$context"
build "$context" "${1:-turnpike:latest}"
