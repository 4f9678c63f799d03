"""Where metrics that were written for weigh 0.1 find `option`; its home is `weigh.options`."""

from weigh.options import option as option
