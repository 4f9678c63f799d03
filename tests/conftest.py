"""Settings of all tests."""

from __future__ import annotations

import signal

from hypothesis import settings

# A machine that is busy with other things makes no example wrong.
settings.register_profile("weigh", deadline=None)
settings.load_profile("weigh")

# What a shell runs in the background ignores interrupts, and so would the commands of tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
