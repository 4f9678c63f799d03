#!/usr/bin/env bash
# Look at the working copy quickly: style, types, import directions, and the tests that are named.
#   bash scripts/check.sh --install   make .venv first, or make it anew after the core was changed
#   bash scripts/check.sh             look, and run no tests
#   bash scripts/check.sh TESTS...    also run these, as pytest names them
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

environment .venv
if [ "${1-}" = --install ]; then
    shift
    say "installing weigh and what checks it (minutes)"
    install_weigh test -r <(group lint) -r <(group docs) --editable
fi
command -v lint-imports >/dev/null || {
    say ".venv is not complete; run 'bash scripts/check.sh --install'"
    exit 1
}
checks
if [ $# -gt 0 ]; then
    step tests
    python -m pytest -q "$@"
fi
