#!/usr/bin/env bash
# Install weigh, with the judgment page, into .venv-demo and compare the models of examples/logs/.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
environment .venv-demo
say "installing weigh"
install '.[web]'
show() {
    printf '$ %s\n' "$1"
    eval "$1"
}
show 'weigh compare examples/logs/ --brief'
say ""
say "Go on with '. .venv-demo/bin/activate', then 'weigh demo' or docs/tutorial.md."
