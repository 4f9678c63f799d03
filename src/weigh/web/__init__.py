"""Pages on which people judge, over a database that keeps every answer (extra `web`)."""
