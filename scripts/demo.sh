#!/usr/bin/env bash
# Install weigh, with the judgment page, into .venv-demo and compare two systems of examples/.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
environment .venv-demo
say "installing weigh"
install '.[web]'
show() {
    printf '$ %s\n' "$1"
    eval "$1"
}
show 'weigh compare -r examples/reference.en -m bleu,chrf,ter examples/{good,middling}.en'
say ""
say "Go on with '. .venv-demo/bin/activate', then 'weigh demo' or docs/tutorial.md."
