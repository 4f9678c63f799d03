"""A comparison as one HTML page that needs nothing but itself."""

from weigh.report.page.assembly import page

__all__ = ["page"]
