"""Execution of many jobs. The jobs are a batch, a cohort of scans, or cubes of an image. The package contains their
queue, tables and pages."""
