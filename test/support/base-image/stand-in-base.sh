#!/bin/sh
# Replaces node:24-slim if no image registry can be reached: Debian's minimal system by debootstrap,
# Node and npm from the npm registry. Prints its root file system as a tar archive. Needs root, debootstrap and npm.
#
#   stand-in-base.sh DIRECTORY NODE NPM_VERSION    an empty work directory; the program `node`; the npm of that Node
set -eu
directory=$1 node=$2 npm_version=$3
root=$directory/root

# The output goes to stderr, for the search for a failure's cause.
debootstrap --variant=minbase bookworm "$root" >&2
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc/* "$root"/usr/share/man/* \
  "$root"/usr/share/info/* "$root"/usr/share/locale/*
# As in Debian's own images: apt caches nothing.
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
# npm in the image uses this machine's registry, and trusts the certificates that Node trusts here.
echo "registry=$(npm config get registry)" > "$root/usr/local/etc/npmrc"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  cp "$NODE_EXTRA_CA_CERTS" "$root/usr/local/etc/machine-ca.crt"
  echo "cafile=/usr/local/etc/machine-ca.crt" >> "$root/usr/local/etc/npmrc"
fi
chroot "$root" groupadd --gid 1000 node
chroot "$root" useradd --uid 1000 --gid node --shell /bin/bash --create-home node

tar --directory "$root" --create .
