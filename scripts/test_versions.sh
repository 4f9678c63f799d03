#!/usr/bin/env bash
# Run tests on every other Python from 3.11 to 3.14 that is installed here, by its name or below
# pyenv's root: all of them, or only those named.
#
#     bash scripts/test_versions.sh                        the whole suite
#     bash scripts/test_versions.sh tests/unit/read ...    some of it
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

# Yields an interpreter for each version, other than the one that scripts/test.sh takes.
others() {
    local main version candidate
    main=$(version_of "$(find_python)")
    for version in 3.11 3.12 3.13 3.14; do
        [ "$version" = "$main" ] && continue
        for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version."*/bin/python; do
            # A shim of pyenv's may stand for a version that is not chosen here.
            if usable_python "$candidate" && [ "$(version_of "$candidate")" = "$version" ]; then
                command -v "$candidate"
                break
            fi
        done
    done
}

found=0
for python in $(others); do
    found=$((found + 1))
    version=$(version_of "$python")
    say "== Python $version"
    folder=.venv-test-$version
    [ "$(version_of "$folder/bin/python" || true)" = "$version" ] || rm -rf "$folder"
    (
        PYTHON=$python
        environment "$folder"
        install --upgrade '.[test]'
        PYTHONHASHSEED=$RANDOM python -m pytest -q --numprocesses auto --dist loadfile \
            "${@:-tests}"
    )
done
[ "$found" -gt 0 ] || say "no other Python from 3.11 to 3.14 is installed here"
