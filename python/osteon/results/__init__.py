"""Files of completed jobs: results, their fields, the answers of a summary."""
