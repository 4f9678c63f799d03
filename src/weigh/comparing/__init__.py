"""Which of several systems differ: texts or scores in, tested pairs out."""
