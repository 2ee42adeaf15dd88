"""The HTML report of a job. The report contains text, tables, plots, a viewer, and labels of the job's picture."""
