#!/usr/bin/env bash
# Installs the Debian and npm packages that Rota is built from and tested with.  Does nothing, quickly, if all are there.
#
# usage: deploy/setup.sh [tests] [review]
#   tests: also the programs that tests compare with (scikit-learn, glmnet, LIBLINEAR), the tools for network
#          namespaces, launchers of clusters (Slurm, Open MPI), containers, and a browser
#   review: also the tools of .ci/pull-request
set -euo pipefail

packages=(
  build-essential g++ cmake ninja-build pkg-config ccache
  libzmq3-dev cppzmq-dev
  libboost-dev libboost-filesystem-dev libboost-iostreams-dev libboost-system-dev
  librocksdb-dev libgflags-dev libgoogle-glog-dev
  librandom123-dev libxxhash-dev nlohmann-json3-dev libcpp-httplib-dev libssl-dev
  zlib1g-dev libbz2-dev liblzma-dev libzstd-dev libzip-dev
  libcurl4-openssl-dev  # its headers; the library is opened when an input is behind a URL
  python3-dev pybind11-dev python3-numpy python3-scipy
  libgtest-dev clang-format python3
  file  # for cpack
)
# npm comes with some packages of nodejs, or is one of its own.
command -v npm >/dev/null || packages+=(nodejs npm)
if [[ " $* " == *" review "* ]]; then
  packages+=(clang-tidy-16)
fi
if [[ " $* " == *" tests "* ]]; then
  packages+=(mypy python3-sklearn python3-pandas python3-yaml r-base-core r-cran-glmnet liblinear-tools)
  packages+=(iproute2 nftables openssh-client openmpi-bin slurm-wlm munge chromium)
  packages+=(lintian dpkg-dev mmdebstrap podman runc)
  packages+=(python3-matplotlib python3-joblib python3-venv python3-wheel python3-installer)
  # These start servers under systemd.  There the owner decides, and tests that need them skip.
  [ -d /run/systemd/system ] || packages+=(openssh-server prometheus)
fi

die() {
  echo "setup.sh: $*" >&2
  exit 1
}

command -v dpkg-query >/dev/null || die "this is not Debian; install by hand: ${packages[*]}"

# The installed packages, one name a line; errors about unknown names add no information.
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
  sed -n 's/ installed$//p' || true)
missing=()
for package in "${packages[@]}"; do
  grep -qx -- "$package" <<<"$installed" || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "run as root, or install sudo; missing: ${missing[*]}"
    as_root=(sudo)
  fi

  echo "setup.sh: installing ${missing[*]}" >&2
  # Without asking questions or starting services; the environment is given to the command itself, because sudo drops
  # it.
  apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -qq -o Dpkg::Use-Pty=0 "$@" >&2
  }
  apt update || die "apt-get update failed: is there a network, and are the package sources right?"
  apt install -y --no-install-recommends "${missing[@]}" || die "apt-get could not install: ${missing[*]}"
fi

# The npm packages: those that the build embeds ("build"), with [tests] also those that tests need ("all").
npm_folder=$(cd "$(dirname "$0")/npm" && pwd)
stamp=$npm_folder/node_modules/.installed
lock=$(sha256sum <"$npm_folder/package-lock.json")
kind=build omit=--omit=dev
[[ " $* " == *" tests "* ]] && kind=all omit=--include=dev
if ! grep -qsx -e "$lock $kind" -e "$lock all" "$stamp"; then
  echo "setup.sh: installing the packages of deploy/npm" >&2
  npm ci --prefix "$npm_folder" --no-audit --no-fund --ignore-scripts --loglevel=error "$omit" >&2 ||
    die "npm could not install the packages of deploy/npm: is there a network?"
  echo "$lock $kind" >"$stamp"
fi
