"""Files of finished jobs: results, their fields, the answers of a summary."""
