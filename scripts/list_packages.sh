#!/usr/bin/env bash
# List what weigh and its extras install: with licences in docs/licenses.md, and for programs in
# build/weigh.cdx.json (a CycloneDX bill of materials).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
environment .venv-packages
mkdir -p build
python -m venv --clear build/packages
install cyclonedx-bom uv
uv pip install --quiet --python build/packages/bin/python --requirements pyproject.toml \
    --extra all --extra postgres packaging
build/packages/bin/python scripts/make_licenses.py
cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
    --output-file build/weigh.cdx.json build/packages/bin/python
