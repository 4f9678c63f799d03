"""Results as HTML pages that need nothing but themselves."""

from weigh.report.page.comparison import page
from weigh.report.page.human_rank import human_page

__all__ = ["human_page", "page"]
