#!/usr/bin/env bash
# Make the site of docs/ in site/, in an environment of its own (.venv-docs). The pages of
# reference are written by the program itself. A warning, such as a link that leads nowhere or a
# page that cannot be reached, is an error. Open site/index.html.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
environment .venv-docs
say "installing weigh and Sphinx"
install -r <(group docs) ".[web]"
say "making the site"
python scripts/make_docs.py --reference
rm -rf build/site site
python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto -c scripts/site -d build/site . site
say "site/index.html"
