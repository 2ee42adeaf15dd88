"""Finished jobs side by side."""
