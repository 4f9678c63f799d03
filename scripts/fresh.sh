#!/usr/bin/env bash
# Prove that a newcomer's two commands work: clone what is committed here into a bare Debian and
# run scripts/demo.sh and scripts/test.sh there, as root, with an empty home and environment.
#
#     bash scripts/fresh.sh [--demo] [FOLDER]
#
# --demo leaves the tests out. The Debian is made in FOLDER and stays there for the next time, or in
# a folder that is deleted at the end. All of it needs root, debootstrap and git. SUITE and MIRROR
# choose the Debian; CERTIFICATES is a file for a network that signs pages itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts="scripts/demo.sh scripts/test.sh"
if [ "${1:-}" = --demo ]; then
    shift
    scripts=scripts/demo.sh
fi
folder=${1:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf --one-file-system "$folder"' EXIT
fi

if [ ! -x "$folder/usr/bin/apt-get" ]; then
    echo "making a bare Debian in $folder" >&2
    debootstrap --variant=minbase "${SUITE:-stable}" "$folder" ${MIRROR:+"$MIRROR"} >&2
fi
rm -rf "$folder/root" "$folder/tmp"
mkdir -m 700 "$folder/root"
mkdir -m 1777 "$folder/tmp"
git clone --quiet --no-hardlinks . "$folder/root/weigh"
cp /etc/resolv.conf "$folder/etc/resolv.conf"
settings=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
if [ -n "${CERTIFICATES:-}" ]; then
    cp "$CERTIFICATES" "$folder/etc/certificates.pem"
    settings+=(PIP_CERT=/etc/certificates.pem SSL_CERT_FILE=/etc/certificates.pem)
fi

# What is mounted and started inside ends with it.
# shellcheck disable=SC2016
unshare --mount --pid --fork bash -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec env -i "${@:3}" chroot "$1" bash -euc "cd /root/weigh; for script in $2; do
        printf \"\n== bash %s\n\" \$script
        bash \$script
    done"' fresh "$folder" "$scripts" "${settings[@]}"
echo "all of it works in a bare Debian $(cat "$folder/etc/debian_version")"
