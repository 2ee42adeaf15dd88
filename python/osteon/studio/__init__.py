"""The studio: a job is built, run and looked at in the browser (docs/reference/studio.md). `osteon studio` starts it.

The server (this package) is on the loopback only; the page (page/) is plain modules of JavaScript. The job file stays
the truth: whatever the page does is an edit of its text.
"""
