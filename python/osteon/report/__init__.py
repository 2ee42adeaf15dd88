"""The HTML report of a job: text, tables, plots, viewer and labels of its picture."""
