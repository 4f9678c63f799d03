#!/usr/bin/env bash
# Set up a fresh virtual environment (.venv-test) and run every check: style, types, import
# directions, all tests against the installed package, the kernels under sanitizers.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
step() { printf '\n== %s\n' "$*"; }

step install
rm -rf .venv-test
environment .venv-test
install '.[lint,test]'

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

step style
ruff format --check src tests bench scripts
ruff check src tests bench scripts
find src/core -name '*.[ch]pp' -print0 | xargs -0 clang-format --dry-run -Werror

step types
mypy

step 'import directions'
lint-imports

step tests
# Not src/: the compiled core is in the installed package only, so its docstrings are run there.
# Whole files go to a core each, since the tests of a file share what is slow to make. All cores
# must find the tests in the same order, those of sets too.
PYTHONHASHSEED=$RANDOM python -m pytest --numprocesses auto --dist loadfile tests
python -m pytest --doctest-modules --collect-in-virtualenv --pyargs weigh

step 'other versions of Python'
bash scripts/test_versions.sh tests/unit/metrics/test_plugins.py tests/unit/metrics/test_custom.py \
    tests/unit/read tests/unit/comparing/test_compare.py tests/unit/comparing/test_bad_input.py

step sanitizers
bash scripts/sanitize.sh

step 'all passed'
