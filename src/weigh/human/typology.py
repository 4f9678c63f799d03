"""What errors are called: the kinds and the severities that judges choose from."""

from __future__ import annotations

CATEGORIES = (
    "Accuracy/Addition",
    "Accuracy/Creative Reinterpretation",
    "Accuracy/Gender Mismatch",
    "Accuracy/Mistranslation",
    "Accuracy/Omission",
    "Accuracy/Source language fragment",
    "Fluency/Character Encoding",
    "Fluency/Grammar",
    "Fluency/Inconsistency",
    "Fluency/Punctuation",
    "Fluency/Register",
    "Fluency/Spelling",
    "Fluency/Text-Breaking",
    "Locale convention/Address format",
    "Locale convention/Currency format",
    "Locale convention/Date format",
    "Locale convention/Name format",
    "Locale convention/Telephone format",
    "Locale convention/Time format",
    "Style/Archaic or obscure word choice",
    "Style/Bad sentence structure",
    "Style/Unnatural or awkward",
    "Terminology/Inappropriate for context",
    "Terminology/Inconsistent",
    "Non-translation!",
    "Other",
    "Source issue",
)
SEVERITIES_ESA = ("minor", "major")
SEVERITIES_MQM = ("neutral", "minor", "major")
