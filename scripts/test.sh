#!/usr/bin/env bash
# Set up a fresh virtual environment (.venv-test) and run every check: style, types, import
# directions, all tests against the installed package, the kernels under sanitizers. What needs
# one core runs beside the rest, and its output comes where its step does.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# beside NAME COMMAND...  run a command in the background
# await NAME              show what it wrote, and fail if it failed
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
beside() {
    "${@:2}" >"$logs/$1" 2>&1 &
    echo $! >"$logs/$1.pid"
}
await() {
    local status=0
    wait "$(cat "$logs/$1.pid")" || status=$?
    cat "$logs/$1"
    return "$status"
}

step install
beside versions bash scripts/test_versions.sh --basic
rm -rf .venv-test
environment .venv-test
install_weigh test -r <(group lint) -r <(group docs)
beside sanitized bash scripts/sanitize.sh --build

# The page is looked at in a real browser, and labels are stored in a real PostgreSQL; without
# them those tests are skipped and say so.
debian() {
    if [ ! -e "$2" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        say "installing $1"
        {
            apt-get update -qq &&
                DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"
        } >/dev/null || say "$1 cannot be installed here"
    fi
}
debian chromium /usr/bin/chromium
debian postgresql /usr/lib/postgresql

checks

step 'examples in docstrings'
# Not src/: the compiled core is in the installed package only, so its docstrings are run there.
python -m pytest -q --doctest-modules --collect-in-virtualenv --pyargs weigh weigh_lab

step 'other versions of Python'
await versions

step tests
# Neighbours stay together, since the tests of a file share what is slow to make, until a core has
# nothing left to do. All cores must find the tests in the same order, those of sets too.
PYTHONHASHSEED=$RANDOM python -m pytest --numprocesses auto --dist worksteal tests

step sanitizers
await sanitized
bash scripts/sanitize.sh --built

step 'all passed'
