#!/usr/bin/env bash
# Build the core with sanitizers and run the kernel tests, odd arguments for every kernel among them.
#
#     bash scripts/sanitize.sh                  addresses and undefined behaviour
#     bash scripts/sanitize.sh --build          only build it
#     bash scripts/sanitize.sh --built          only run the tests
#     bash scripts/sanitize.sh --fuzz MINUTES   odd arguments for so long instead of the tests
#     bash scripts/sanitize.sh --threads        races between threads, by tests that use several
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
environment .venv-test
python -c 'import pytest, weigh' 2>/dev/null || install_weigh test

copy=build/sanitized
sanitizers=address,undefined
mark=__asan_
libraries=(libasan.so libstdc++.so)
if [ "${1:-}" = --threads ]; then
    copy=build/sanitized-threads
    sanitizers=thread
    mark=__tsan_
    libraries=(libtsan.so)
fi

# A second copy of weigh that stands before the first one on the path.
if [ "${1:-}" != --built ]; then
    rm -rf "$copy"
    install --no-deps --target "$copy" --config-settings build-dir="$copy-objects" \
        --config-settings cmake.define.WEIGH_SANITIZE="$sanitizers" \
        --config-settings install.strip=false .
fi
[ "${1:-}" != --build ] || exit 0

# The interpreter itself is not instrumented, so the runtime library must be loaded first, and
# the C++ library beside it lest exceptions escape the sanitizer's notice. CPython keeps memory
# until it exits: leaks are not looked for.
loaded() {
    local name
    for name in "${libraries[@]}"; do "$(find_compiler)" -print-file-name="$name"; done | paste -sd' '
}
sanitized() {
    PYTHONPATH="$PWD/$copy" \
        LD_PRELOAD="$(loaded)" \
        ASAN_OPTIONS=detect_leaks=0 \
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        TSAN_OPTIONS=halt_on_error=1:exitcode=66 \
        python "$@"
}
sanitized -c 'import sys, weigh._core, weigh_lab._translator
for core in (weigh._core, weigh_lab._translator):
    if sys.argv[1].encode() not in open(core.__file__, "rb").read():
        sys.exit(f"{core.__name__} is not instrumented")' "$mark"
# All cores must find the tests in the same order, those of sets too. tests/unit/core brings odd
# input to every kernel; what metrics add to it is threads, and references of a system's own.
common=tests/unit/metrics/test_common.py
threads="$common::test_threads_and_company_change_nothing"
case "${1:-}" in
--fuzz)
    sanitized scripts/fuzz.py --core --minutes "$2"
    ;;
--threads)
    sanitized -m pytest -q tests/unit/core/test_contracts.py \
        tests/unit/core/test_translator_contracts.py tests/unit/stats/test_resample.py "$threads"
    ;;
*)
    sanitized scripts/fuzz.py --core --minutes 1 &
    fuzzing=$!
    trap 'kill "$fuzzing" 2>/dev/null || true' EXIT
    PYTHONHASHSEED=$RANDOM sanitized -m pytest -q --numprocesses auto --dist worksteal \
        tests/unit/core "$threads" "$common::test_own_references_equal_common_ones"
    wait "$fuzzing"
    ;;
esac
