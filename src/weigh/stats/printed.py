"""Where numbers were worded before `weigh.wording`."""

from weigh.wording import NO_NUMBER as NO_NUMBER
from weigh.wording import p_value as p_value
from weigh.wording import probability as probability
from weigh.wording import share as share
