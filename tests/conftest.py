"""Settings of all tests."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# A machine that is busy with other things makes no example wrong. Tests that need more examples,
# or fewer, say so; --hypothesis-profile thorough is for the others.
settings.register_profile("weigh", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=400)
# For other versions of Python, where what differs is not the data.
# How long examples take is the machine's affair, and old versions of Hypothesis count more of it.
settings.register_profile(
    "few", deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("weigh")

# What a shell runs in the background ignores interrupts, and so would the commands of tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
