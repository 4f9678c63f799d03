# Sourced by the other scripts: changes to the repository's root and offers
#   environment DIR              make the virtual environment DIR if need be, and enter it
#   install ARGS...              install into it, quietly
#   install_weigh GROUP ARGS...  install weigh with what a group of pyproject.toml wants
#   pythons                      yield an interpreter for each version from 3.11 to 3.14
# Set PYTHON to choose the interpreter. What is missing on a Debian machine is installed when
# the script runs as root; elsewhere it is named.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
unset PYTHONPATH  # what is tested is what is installed
# Python keeps what it compiles, or each of hundreds of commands would compile it again.
unset PYTHONDONTWRITEBYTECODE

say() { printf '%s\n' "$*" >&2; }

# A Python that is new enough, can make virtual environments and has its headers.
usable_python() {
    command -v "$1" >/dev/null && "$1" - 2>/dev/null <<'PYTHON'
import ensurepip, os, sys, sysconfig, venv
headers = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 11) or not os.path.exists(headers))
PYTHON
}

find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11; do
        if usable_python "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

find_compiler() { command -v "${CXX:-c++}" || command -v g++ || command -v clang++; }

install_missing() {
    local wanted=()
    find_python >/dev/null || wanted+=(python3 python3-venv python3-dev)
    find_compiler >/dev/null || wanted+=(g++)
    [ ${#wanted[@]} -eq 0 ] && return
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        say "installing ${wanted[*]}"
        apt-get update -qq >&2
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            "${wanted[@]}" >&2
    fi
    if ! find_python >/dev/null; then
        say "weigh needs Python 3.11 or later with venv and its headers" \
            "(Debian: apt-get install python3 python3-venv python3-dev), or set PYTHON"
        return 1
    fi
    if ! find_compiler >/dev/null; then
        say "weigh needs a C++20 compiler (Debian: apt-get install g++), or set CXX"
        return 1
    fi
}

environment() {
    install_missing || exit 1
    if ! usable_python "$1/bin/python"; then
        say "making the virtual environment $1"
        "$(find_python)" -m venv --clear "$1"
    fi
    # shellcheck disable=SC1091
    . "$1/bin/activate"
}

# Python compiles what it imports, which is a small part of what is installed.
install() { python -m pip install -qq --disable-pip-version-check --no-compile "$@" >&2; }

# The packages of a group of pyproject.toml. (pip reads groups since 25.1; Python 3.11 has pip 23.)
group() {
    python - "$1" <<'PYTHON'
import sys, tomllib

groups = tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]

def packages(name):
    for entry in groups[name]:
        yield from [entry] if isinstance(entry, str) else packages(entry["include-group"])

print(*packages(sys.argv[1]), sep="\n")
PYTHON
}

# The extras that the tests of a group need: all but spaCy, in whose place they put a small one.
extras() {
    case "$1" in
    test) echo cluster,ja,ko,labels,meteor,postgres,sentencepiece,web ;;
    test-basic) echo web ;;
    esac
}

install_weigh() { install -r <(group "$1") "${@:2}" ".[$(extras "$1")]"; }

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

# An interpreter for each version that is installed here, by its name or below pyenv's root.
pythons() {
    local version candidate
    for version in 3.11 3.12 3.13 3.14; do
        for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version."*/bin/python; do
            # A shim of pyenv's may stand for a version that is not chosen here.
            if usable_python "$candidate" && [ "$(version_of "$candidate")" = "$version" ]; then
                command -v "$candidate"
                break
            fi
        done
    done
}
