"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# A machine that is busy with other things makes no example wrong.
settings.register_profile("weigh", deadline=None)
settings.load_profile("weigh")
