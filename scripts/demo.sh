#!/usr/bin/env bash
# Install weigh into .venv-demo and score the three systems of examples/.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
environment .venv-demo
say "installing weigh"
install .
show() {
    printf '$ %s\n' "$1"
    eval "$1"
}
show 'weigh score -r examples/reference.en -r examples/reference2.en -m bleu,chrf,ter examples/{good,middling,poor}.en'
