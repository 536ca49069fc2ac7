#!/bin/sh
# A base that stands in for node:24-slim where no registry of images can be reached: Debian's minimal system by debootstrap,
# Node and npm from the npm registry. Prints its root file system as a tar archive. As root, with debootstrap and npm.
#
#   stand-in-base.sh DIRECTORY NODE NPM_VERSION    an empty directory to work in; the program `node`; the npm of that Node
set -eu
directory=$1 node=$2 npm_version=$3
root=$directory/root

# What it prints is for whoever has to find out why it failed.
debootstrap --variant=minbase bookworm "$root" >&2
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc/* "$root"/usr/share/man/* \
  "$root"/usr/share/info/* "$root"/usr/share/locale/*
# As in Debian's own images: apt keeps nothing.
cat > "$root/etc/apt/apt.conf.d/docker-clean" <<'APT'
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };
APT

install -D "$node" "$root/usr/local/bin/node"
npm install --prefix "$directory/npm" --no-audit --no-fund "npm@$npm_version" >&2
mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc"
cp -a "$directory/npm/node_modules/npm" "$root/usr/local/lib/node_modules/"
for program in npm npx; do
  ln -s "../lib/node_modules/npm/bin/$program-cli.js" "$root/usr/local/bin/$program"
done
# npm asks there what it asks here, and trusts what Node is told to trust here.
echo "registry=$(npm config get registry)" > "$root/usr/local/etc/npmrc"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp "$NODE_EXTRA_CA_CERTS" "$root/usr/local/etc/machine-ca.crt"
  echo "cafile=/usr/local/etc/machine-ca.crt" >> "$root/usr/local/etc/npmrc"
fi
chroot "$root" groupadd --gid 1000 node
chroot "$root" useradd --uid 1000 --gid node --shell /bin/bash --create-home node

tar --directory "$root" --create .
