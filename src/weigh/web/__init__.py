"""Web pages for judges and organisers, and their database (extra `web`)."""
