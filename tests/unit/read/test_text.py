from __future__ import annotations

import gzip
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.errors import InputError
from weigh.read import read_texts
from weigh.read.text import ending, less_gz, read_whole, shown

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# Everything that str.splitlines() takes for the end of a line and we do not.
SEPARATORS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"
texts = st.lists(
    st.text(
        st.sampled_from(SEPARATORS + "a ä語🙂\u0301\u200f\ufeff")
        | st.characters(exclude_categories=["Cs"], exclude_characters="\n\0")
    )
    .filter(lambda text: not text.endswith("\r"))
    .filter(lambda text: not text.startswith("\ufeff")),
    min_size=1,
    max_size=30,
)


@settings(deadline=None)
@given(lines=texts, ending=st.sampled_from(["\n", "\r\n"]), bom=st.booleans(), zipped=st.booleans())
def test_lines_come_back_as_written(lines: list[str], ending: str, bom: bool, zipped: bool) -> None:
    data = ("\ufeff" * bom + "".join(line + ending for line in lines)).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("texts.gz" if zipped else "texts")
        path.write_bytes(gzip.compress(data) if zipped else data)
        assert read_texts(str(path)) == tuple(lines)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 64])
def test_block_borders_change_nothing(monkeypatch, write, block) -> None:
    path = write("ref", "ein Häuschen\r\n\r\n\n\ufeff🙂 a\rb\u2028c\nlast")
    monkeypatch.setattr("weigh.read.text._BLOCK", block)
    assert read_texts(path) == ("ein Häuschen", "", "", "\ufeff🙂 a\rb\u2028c", "last")


def test_concatenated_gzip(write) -> None:
    assert read_texts(write("ref", gzip.compress(b"a\nb") + gzip.compress(b"c\n"))) == ("a", "bc")


@pytest.mark.parametrize("data", [b"a\nb\n", gzip.compress(b"a\nb\n", mtime=0)])
def test_standard_input(type_in, data) -> None:
    type_in(data)
    assert read_texts("-") == ("a", "b")


def test_standard_input_only_once(type_in, complaint) -> None:
    type_in(b"a\n")
    read_texts("-")
    assert "standard input can be read only once" in complaint(read_texts, "-")


def test_closed_standard_input(monkeypatch, complaint) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert complaint(read_texts, "-") == "-: standard input is closed; give a file"


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_empty_file(write, complaint, content) -> None:
    path = write("sys.en", content)
    assert complaint(read_texts, path) == "sys.en: empty, but one segment per line was expected"


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"]
)
def test_invalid_utf8_is_located(write, complaint, bad) -> None:
    path = write("sys.en", b"\xef\xbb\xbfone\n" * 50_000 + "zwö ".encode() + bad + b" b\nthree\n")
    assert complaint(read_texts, path) == (
        f"sys.en: line 50,001 is not UTF-8 (byte 0x{bad[0]:02x} at position 6); "
        "convert the file to UTF-8"
    )


def test_invalid_utf8_in_the_first_line_after_a_mark(write, complaint) -> None:
    message = complaint(read_texts, write("sys.en", b"\xef\xbb\xbfab\x80"))
    assert "line 1 is not UTF-8 (byte 0x80 at position 6)" in message


def test_utf16(write, complaint) -> None:
    assert "byte 0xff at position 1" in complaint(
        read_texts, write("s", b"\xff\xfe" + "äöü".encode("utf-16-le").replace(b"\0", b"\1"))
    )


def test_nul(write, complaint) -> None:
    path = write("sys.en", b"a\n" * 300_000 + b"b\0\n")
    assert complaint(read_texts, path) == (
        "sys.en: line 300,001 contains a NUL byte; save it as UTF-8 text"
    )


@pytest.mark.parametrize("letter", ["a", "🙂"])
def test_the_longest_line(write, complaint, letter) -> None:
    longest = letter * 1_000_000
    assert read_texts(write("ok", f"x\n{longest}\r\n")) == ("x", longest)
    message = complaint(read_texts, write("long", f"x\n{longest}b\ny\n"))
    assert message.startswith("long: line 2 has more than 1,000,000 characters")
    message = complaint(read_texts, write("last", f"x\n{longest}b"))
    assert message.startswith("last: line 2 has more than 1,000,000 characters")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no endless file here")
def test_an_endless_line_is_not_read_to_its_end(complaint) -> None:
    assert "line 1 has more than 1,000,000 characters" in complaint(read_texts, "/dev/zero")


def test_missing_file(write, complaint) -> None:
    write("here", "a\n")
    assert complaint(read_texts, "gone.en") == "gone.en: no such file; check the path"
    assert "not a directory" in complaint(read_texts, "here/gone.en").lower()


def test_directory(tmp_path, complaint) -> None:
    assert "a directory, but a file was expected" in complaint(read_texts, str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_unreadable_file(write, complaint) -> None:
    path = write("secret", "a\n")
    Path(path).chmod(0)
    assert complaint(read_texts, path) == "secret: permission denied; make the file readable"


def test_permission_is_reported(monkeypatch, complaint) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("weigh.read.text.open", refuse, raising=False)
    assert complaint(read_texts, "x") == "x: permission denied; make the file readable"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-9],
        lambda data: data[:20],
        lambda data: data[:12] + bytes([data[12] ^ 255]) + data[13:],
        lambda data: data[:-8] + b"\0" * 8,
        lambda data: data + b"garbage",
        lambda _: b"plain text",
    ],
)
def test_broken_gzip(write, complaint, damage) -> None:
    path = write("sys.en.gz", "")
    Path(path).write_bytes(damage(gzip.compress(bytes(range(1, 128)) * 9)))
    message = complaint(read_texts, path)
    assert message.startswith("sys.en.gz: damaged gzip data (")
    assert message.endswith("; copy or compress it again")


@pytest.mark.parametrize("name", ["sys.en.zst", "sys"])
def test_zstandard(write, complaint, name) -> None:
    data = zstd.compress(b"a\r\nb") + zstd.compress(b"c\n")
    assert read_texts(write(name, data)) == ("a", "bc")
    assert complaint(read_texts, write(name, data[:-3])).startswith(
        f"{name}: damaged Zstandard data"
    )
    damaged = data[:6] + b"\xff" + data[7:]
    assert complaint(read_texts, write(name, damaged)).startswith(f"{name}: damaged Zstandard data")


def test_zstandard_is_known_by_name(write, complaint) -> None:
    assert ending("a.jsonl.zst") == ".jsonl"
    assert less_gz("a.en.ZST") == "a.en"
    assert "damaged Zstandard data" in complaint(read_texts, write("sys.en.zst", "plain text"))


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "a\u2028b", "\udcff", "a\0b", ""])
def test_hostile_names_stay_on_one_line(complaint, name) -> None:
    assert complaint(read_texts, name).startswith(shown(name))
    assert shown(name) == repr(name)


@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_a_packed_file_that_unpacks_to_absurdly_much_is_refused(tmp_path, monkeypatch, compress):
    bomb = tmp_path / "bomb"
    bomb.write_bytes(compress(b"a b c\n" * 3_000_000))
    with pytest.raises(InputError, match="unpacks to more than 200 times its size; if that is"):
        read_whole(str(bomb))
    monkeypatch.setenv("WEIGH_UNPACK_RATIO", "20000")
    assert len(read_whole(str(bomb))) == 18_000_000
    monkeypatch.setenv("WEIGH_UNPACK_RATIO", "much")
    with pytest.raises(InputError, match="WEIGH_UNPACK_RATIO is 'much'; give a number"):
        read_whole(str(bomb))


def test_a_file_with_far_too_many_lines_is_not_read_to_its_end(tmp_path):
    long = tmp_path / "long"
    long.write_bytes(b"\n" * 1_000_000)
    with pytest.raises(InputError, match=r"long: more than [\d,]+ lines, but 3 were expected"):
        read_texts(str(long), 3)
    assert len(read_texts(str(long), 500_000)) == 1_000_000
