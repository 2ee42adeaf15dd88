"""Comparison of completed jobs."""
