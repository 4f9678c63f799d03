#!/usr/bin/env bash
# Run tests with the lowest versions of other packages that pyproject.toml allows, on Python 3.11 if
# it is installed. Packages that others need, and pyproject.toml does not name, are the latest.
#
#     bash scripts/test_lowest.sh                    the whole suite
#     bash scripts/test_lowest.sh TESTS...           these
#     bash scripts/test_lowest.sh --basic [TESTS...] with few packages: readers, statistics, metrics,
#                                                    people's judgments and the page, or these
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

group=test
tests=(tests)
if [ "${1:-}" = --basic ]; then
    shift
    group=test-basic
    tests=(tests/unit/read tests/unit/stats tests/unit/human tests/unit/metrics tests/unit/web)
fi
[ $# -eq 0 ] || tests=("$@")
PYTHON=${PYTHON:-python3.11}
environment .venv-test-lowest
mkdir -p build
install uv
IFS=, read -ra extras <<<"$(extras "$group")"
uv pip compile --quiet --resolution lowest-direct "${extras[@]/#/--extra=}" --group "$group" \
    --output-file build/lowest.txt pyproject.toml
uv pip install --quiet --requirements build/lowest.txt
# The core is not optimised: that takes longer than the tests.
install --no-deps --force-reinstall --config-settings cmake.build-type=Debug \
    --config-settings cmake.define.CMAKE_CXX_FLAGS_DEBUG=-g0 .
python -m pytest -q --hypothesis-profile few "${tests[@]}"
