#!/usr/bin/env bash
# Builds the parts of a Kubernetes cluster from Debian's source package, once, into FOLDER/bin.
#
# usage: tests/kubernetes/build.sh FOLDER
#   FOLDER: outside of the repository; takes about 3 GB while it is built and 500 MB afterwards.
#
# Debian's own package holds kubectl alone, but its source package holds all programs with all their libraries, so
# nothing else is downloaded.  Takes 9 minutes on two idle cores; a second call returns at once.  kubectl is not built:
# any version will do.
set -euo pipefail

[ $# -eq 1 ] || { sed -n '4s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
parts=(kube-apiserver kube-controller-manager kube-scheduler kubelet)

all_built() {
  local part
  for part in "${parts[@]}"; do [ -x "$folder/bin/$part" ] || return 1; done
}
all_built && exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -qq -y --no-install-recommends install \
  golang-1.19-go rsync jq make gcc libc6-dev dpkg-dev etcd-server containerd runc containernetworking-plugins \
  dnsmasq-base openssl iproute2 python3-yaml

# Package lists of their own, so that the sources of this machine stay as they are.
lists=$folder/apt
mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial" "$lists/parts"
uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri bookworm main" >"$lists/sources.list"
cat >"$lists/apt.conf" <<CONF
Dir::Etc::sourcelist "$lists/sources.list";
Dir::Etc::sourceparts "$lists/parts";
Dir::State::lists "$lists/lists";
Dir::Cache "$lists/cache";
APT::Sandbox::User "root";
CONF
export APT_CONFIG=$lists/apt.conf
apt-get -qq update
tree=$folder/gopath/src/k8s.io/kubernetes
if [ ! -d "$tree" ]; then
  (cd "$folder" && apt-get -qq source --download-only kubernetes)
  mkdir -p "$(dirname "$tree")"
  dpkg-source -x "$folder"/kubernetes_*.dsc "$tree.part"
  mv "$tree.part" "$tree"
fi

cd "$tree"
cat >version.env <<'VERSION'
KUBE_GIT_COMMIT=0
KUBE_GIT_TREE_STATE=archive
KUBE_GIT_VERSION=v1.20.2
KUBE_GIT_MAJOR=1
KUBE_GIT_MINOR=20
VERSION
export PATH=/usr/lib/go-1.19/bin:$PATH GOPATH=$folder/gopath GOCACHE=$folder/gocache GOPROXY=off GOFLAGS=-p=2
export KUBE_GIT_VERSION_FILE=$PWD/version.env
for part in "${parts[@]}"; do
  echo "build.sh: $part, $(date -u +%H:%M:%S)" >&2
  nice -n 19 make WHAT="cmd/$part"
  install -D "_output/bin/$part" "$folder/bin/$part"
done
all_built
rm -rf "$folder/gocache" "$folder/gopath"
