#!/usr/bin/env bash
# Set up a fresh virtual environment (.venv-test) and run every check: style, types, import
# directions, all tests against the installed package, the kernels under sanitizers. What needs
# one core runs beside the rest, and its output comes where its step does.
# Some tests use other programs: a browser, PostgreSQL, WordNet, LaTeX, shells. Root on a Debian
# machine installs what is missing; elsewhere those tests are skipped and say so.
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

# Install the Debian packages whose file (PACKAGE:FILE) is missing.
debian() {
    local wanted=() each
    for each; do
        [ -e "${each#*:}" ] || wanted+=("${each%%:*}")
    done
    [ ${#wanted[@]} -eq 0 ] && return
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        say "tests that need ${wanted[*]} are skipped"
        return
    fi
    say "installing ${wanted[*]}"
    apt-get update -qq >/dev/null || true
    apt_install "${wanted[@]}" || for each in "${wanted[@]}"; do
        apt_install "$each" || say "$each cannot be installed; tests that need it are skipped"
    done
}
apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o DPkg::Lock::Timeout=300 "$@" >/dev/null 2>&1
}

step install
beside versions bash scripts/test_versions.sh --basic
rm -rf .venv-test
environment .venv-test
beside debian debian chromium:/usr/bin/chromium postgresql:/usr/lib/postgresql \
    wordnet-base:/usr/share/wordnet fish:/usr/bin/fish zsh:/usr/bin/zsh \
    texlive-latex-recommended:/usr/share/texlive/texmf-dist/tex/latex/booktabs
install_weigh test -r <(group lint) -r <(group docs)
beside sanitized bash scripts/sanitize.sh --build

checks

step 'examples in docstrings'
# Not src/: the compiled core is in the installed package only, so its docstrings are run there.
python -m pytest -q --doctest-modules --collect-in-virtualenv --pyargs weigh weigh_lab

step 'other versions of Python'
await versions

await debian

step tests
# Neighbours stay together, since the tests of a file share what is slow to make, until a core has
# nothing left to do. All cores must find the tests in the same order, those of sets too.
PYTHONHASHSEED=$RANDOM python -m pytest --numprocesses auto --dist worksteal tests

step sanitizers
await sanitized
bash scripts/sanitize.sh --built

step 'all passed'
