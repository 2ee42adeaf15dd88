"""The studio: build, run and view a job in the browser (docs/reference/studio.md). `osteon studio` starts the server.

The server (this package) listens on the loopback interface only; the page (page/) consists of plain JavaScript modules.
The job file is authoritative: every action of the page is an edit of its text.
"""
