"""Where numbers were worded before `weigh.wording`."""

from weigh.wording import NO_NUMBER as NO_NUMBER
from weigh.wording import fixed as fixed
from weigh.wording import intervals as intervals
from weigh.wording import listed as listed
from weigh.wording import p_value as p_value
from weigh.wording import percent as percent
from weigh.wording import plural as plural
from weigh.wording import probability as probability
from weigh.wording import share as share
