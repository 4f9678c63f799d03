#!/usr/bin/env bash
# Run tests on every other Python from 3.11 to 3.14 that is installed here, by its name or below
# pyenv's root, on all of them at once.
#
#     bash scripts/test_versions.sh                    the whole suite
#     bash scripts/test_versions.sh --basic            the tests of what versions may change:
#                                                      readers, plug-ins, campaigns, the Python functions
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

group=test
tests=(tests)
if [ "${1:-}" = --basic ]; then
    group=test-basic
    tests=(tests/unit/metrics/test_plugins.py tests/unit/metrics/test_custom.py tests/formats
        tests/unit/read/test_plain.py tests/unit/read/test_columns.py tests/unit/read/test_text.py
        tests/unit/read/test_judgments.py tests/unit/comparing/test_compare.py tests/unit/comparing/test_bad_input.py
        tests/unit/web/test_campaigns.py tests/unit/web/test_tasks.py tests/unit/test_result.py
        tests/unit/test_files.py tests/unit/comparing/test_compare_result.py)
fi

# Tests one version, in an environment of its own that stays for the next time. The core is not
# optimised and has no names for debuggers: that takes longer than the tests, and all versions
# share its C++.
test_version() {
    local python=$1 version=$2
    local folder=.venv-test-$version
    [ "$(version_of "$folder/bin/python" || true)" = "$version" ] || rm -rf "$folder"
    PYTHON=$python
    environment "$folder"
    install_weigh "$group" --upgrade --config-settings cmake.build-type=Debug \
        --config-settings cmake.define.CMAKE_CXX_FLAGS_DEBUG=-g0
    python -m pytest -q --hypothesis-profile few "${tests[@]}"
}

install_missing
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
running=()
main=$(version_of "$(find_python)") # scripts/test.sh takes this one
for python in $(pythons); do
    version=$(version_of "$python")
    [ "$version" != "$main" ] || continue
    test_version "$python" "$version" >"$logs/$version" 2>&1 &
    running+=("$version:$!")
done
[ ${#running[@]} -gt 0 ] || say "no other Python from 3.11 to 3.14 is installed here"
status=0
for each in "${running[@]}"; do
    wait "${each#*:}" || status=1
    printf '== Python %s\n' "${each%%:*}"
    cat "$logs/${each%%:*}"
done
exit "$status"
