"""Many jobs: a batch, a cohort of scans, or cubes of an image, with their queue, tables and pages."""
