#!/usr/bin/env bash
# Build the core with the address and undefined-behaviour sanitizers and run the kernel tests;
# --build only builds it, --built only runs them.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
environment .venv-test
python -c 'import pytest, weigh' 2>/dev/null || install '.[test]'

# A second copy of weigh that stands before the first one on the path.
copy=build/sanitized
if [ "${1:-}" != --built ]; then
    rm -rf "$copy"
    install --no-deps --target "$copy" --config-settings build-dir=build/sanitize \
        --config-settings cmake.define.WEIGH_SANITIZE=ON --config-settings install.strip=false .
fi
[ "${1:-}" != --build ] || exit 0

# The interpreter itself is not instrumented, so the runtime library must be loaded first, and
# the C++ library beside it lest exceptions escape the sanitizer's notice. CPython keeps memory
# until it exits: leaks are not looked for.
library() { "$(find_compiler)" -print-file-name="$1"; }
sanitized() {
    PYTHONPATH="$PWD/$copy" \
        LD_PRELOAD="$(library libasan.so) $(library libstdc++.so)" \
        ASAN_OPTIONS=detect_leaks=0 \
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        python "$@"
}
sanitized -c 'import sys, weigh._core, weigh._translator
for core in (weigh._core, weigh._translator):
    if b"__asan_" not in open(core.__file__, "rb").read():
        sys.exit(f"{core.__name__} is not instrumented")'
# All cores must find the tests in the same order, those of sets too. tests/unit/core brings odd
# input to every kernel; what metrics add to it is threads, and references of a system's own.
common=tests/unit/metrics/test_common.py
PYTHONHASHSEED=$RANDOM sanitized -m pytest -q --numprocesses auto --dist worksteal tests/unit/core \
    "$common::test_threads_and_company_change_nothing" \
    "$common::test_own_references_equal_common_ones"
