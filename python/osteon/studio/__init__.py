"""The studio, which builds, runs and displays a job in the browser (docs/reference/studio.md). `osteon studio` starts
the server.

The server (this package) listens only on the loopback interface. The page (page/) consists of plain JavaScript modules.
The job file is authoritative. Every action on the page is an edit of its text.
"""
