"""Many jobs: a batch, a cohort of scans, cubes of an image; their queue, tables and pages."""
