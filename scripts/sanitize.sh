#!/usr/bin/env bash
# Build the core with the address and undefined-behaviour sanitizers and run the kernel tests.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
environment .venv-test
python -c 'import pytest, weigh' 2>/dev/null || install '.[test]'

# A second copy of weigh that stands before the first one on the path.
copy=build/sanitized
rm -rf "$copy"
install --no-deps --target "$copy" --config-settings build-dir=build/sanitize \
    --config-settings cmake.define.WEIGH_SANITIZE=ON .

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
sanitized -c 'import sys, weigh._core as core
sys.exit(b"__asan_" not in open(core.__file__, "rb").read() and "the core is not instrumented")'
# All cores must find the tests in the same order, those of sets too.
# Signatures and tokenisers are chosen in Python, and their tests take long beside sacreBLEU.
PYTHONHASHSEED=$RANDOM sanitized -m pytest -q --numprocesses auto --dist loadfile \
    tests/unit/core tests/unit/metrics \
    --ignore tests/unit/metrics/test_signatures.py --ignore tests/unit/metrics/test_words.py
