"""The errors that people mark: categories and severities, as data.

The categories are those of MQM as the WMT has used it since 2020 (Freitag et al. 2021, table 3);
what an error costs is `weigh.read.judgment_tables.weight`.
"""

from __future__ import annotations

SEVERITIES_ESA = ("minor", "major")
"""Severities of error span annotation, which has no categories (Kocmi et al. 2024)."""

SEVERITIES_MQM = ("neutral", "minor", "major")
"""Severities of MQM."""

CATEGORIES = (
    "Accuracy/Addition",
    "Accuracy/Omission",
    "Accuracy/Mistranslation",
    "Accuracy/Untranslated text",
    "Fluency/Punctuation",
    "Fluency/Spelling",
    "Fluency/Grammar",
    "Fluency/Register",
    "Fluency/Inconsistency",
    "Fluency/Character encoding",
    "Terminology/Inappropriate for context",
    "Terminology/Inconsistent use",
    "Style/Awkward",
    "Locale convention/Address format",
    "Locale convention/Currency format",
    "Locale convention/Date format",
    "Locale convention/Name format",
    "Locale convention/Telephone format",
    "Locale convention/Time format",
    "Other",
    "Source error",
    "Non-translation",
)
"""Categories of MQM, the kind before the particular; `Non-translation` is of a whole text."""
