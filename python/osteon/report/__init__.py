"""The page of a job: text, tables, plots and the viewer; labels on its picture."""
