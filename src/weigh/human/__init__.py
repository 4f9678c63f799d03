"""Human evaluation: plans, HITs, quality control, ranking, agreement."""
