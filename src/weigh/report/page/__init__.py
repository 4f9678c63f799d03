"""Results as HTML pages that need nothing but themselves."""

from weigh.report.page.comparison import page
from weigh.report.page.validation import accuracy_page, power_page, samples_page

__all__ = ["accuracy_page", "page", "power_page", "samples_page"]
