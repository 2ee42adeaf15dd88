"""Files of completed jobs. The package reads results, their fields, and the answers in a summary."""
