"""`weigh serve`: one command, links on stdout, pages on loopback, and a clean end."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from e2e.conftest import Run
from e2e.in_process import surroundings
from weigh.web.plan import HOST, PORT

Started = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Return a function that starts the installed command."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str | Path) -> subprocess.Popen[str]:
        command = Path(sys.executable).with_name("weigh")
        made = subprocess.Popen(
            [command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=tmp_path,
            env=surroundings() | {"TMPDIR": str(tmp_path)},
        )
        running.append(made)
        return made

    yield start
    for each in running:
        each.kill()
        each.communicate()


def links(server: subprocess.Popen[str], count: int) -> dict[str, str]:
    assert server.stdout is not None
    lines = [server.stdout.readline().rstrip("\n") for _ in range(count)]
    return dict(tuple(line.split("\t")) for line in lines)


def test_the_demonstration_runs_from_one_command(started: Started, tmp_path: Path) -> None:
    server = started("serve", "--demo", "--judges", "2", "--open", "--port", "0")
    known = links(server, 4)
    assert list(known) == ["organiser", "judge 1", "judge 2", "open"]
    with httpx.Client(follow_redirects=True) as browser:
        assert browser.get(known["judge 1"]).url.path == "/work"
        assert browser.get(known["organiser"]).url.path == "/organiser"
        page = browser.get(known["open"])
        assert page.status_code == 200
        assert "You are invited" in page.text
    server.send_signal(signal.SIGINT)
    _, said = server.communicate(timeout=60)
    assert server.returncode == 0
    assert "press Ctrl-C to stop" in said
    assert not [token for link in known.values() if (token := link.rpartition("/")[2]) in said]
    assert list(tmp_path.glob("weigh-demo-*/campaign.db"))


def test_the_story_serves_where_the_usual_port_is_taken(started: Started) -> None:
    with socket.socket() as taken:
        with suppress(OSError):  # by somebody else, which serves as well
            taken.bind((HOST, PORT))
            taken.listen()
        server = started("demo", "serve")
        assert server.stdout is not None
        link = next(line for line in server.stdout if line.startswith("organiser\t"))
        page = httpx.get(link.split("\t")[1].strip(), follow_redirects=True)
        assert page.url.path == "/organiser"


def test_what_cannot_be_served_is_said_in_one_line(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "names").write_text("anna\nanna\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, code, said in (
            ((), 2, "--demo"),
            (("empty", "--demo"), 2, "--demo"),
            (("empty", "other"), 2, "unexpected argument"),
            (("empty", "--port", "0"), 1, "no tasks"),
            (("nowhere", "--port", "0"), 1, "not a directory"),
            (("--demo", "--port", port), 1, "choose another --port"),
            (("--demo", "--port", "70000"), 2, "65535"),
            (("--demo", "--judges", "names"), 1, "twice"),
            (("--demo", "--proxy", "many"), 2, "expected a whole number from 0 to 16"),
            (("--demo", "--proxy", "-1"), 2, "--proxy"),
            (("--demo", "--embed", "https://a.b; script-src *"), 2, "expected a site"),
            (("--demo", "--completion-url", "javascript:alert(1)"), 2, "https://"),
            (("--demo", "--port", "0", "--database", "mysql://x/y"), 1, "postgresql://"),
        ):
            done = weigh("serve", *arguments)
            assert (done.returncode, done.stderr.count("\n")) == (code, 1), arguments
            assert said in done.stderr


def test_a_directory_cannot_open_the_page_to_the_network(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text('[serve]\nhost = "0.0.0.0"\n')
    done = weigh("serve", "--demo", "--port", "0")
    assert done.returncode == 2
    assert "decides who can reach people's answers" in done.stderr


def test_idle_connections_do_not_stop_the_service(started: Started) -> None:
    descriptors, idle = 400, 600
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, before[1]))  # the server inherits it
    try:
        server = started("serve", "--demo", "--judges", "1", "--port", "0")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    known = links(server, 2)
    address = httpx.URL(known["judge 1"])
    with ExitStack() as stack, httpx.Client(follow_redirects=True) as browser:
        for number in range(idle):
            half_sent = stack.enter_context(socket.create_connection((HOST, address.port)))
            half_sent.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
            if number % 50 == 49:
                assert browser.get(known["judge 1"], timeout=30).url.path == "/work"
    server.send_signal(signal.SIGINT)
    _, said = server.communicate(timeout=60)
    assert server.returncode == 0
    assert "Traceback" not in said
    assert len(said) < 2000
