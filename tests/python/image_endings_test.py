"""Tests of images given in place of a job. The list of file extensions in C++ equals the list of the readers."""

import re
from pathlib import Path

from osteon.images import slices
from osteon.images.read_image import READERS

SOURCE = Path(__file__).resolve().parents[2] / "src" / "osteon" / "job" / "adapters" / "read_job.cpp"
# Many kinds of files have the extensions .json and .dat. A DICOM file or an AIM file may have any extension, usually
# one of the extensions below.
NOT_LISTED = {".json", ".dat"}
WITHOUT_A_TABLE = {".aim", ".isq", ".dcm"}


def test_the_program_recognises_the_endings_of_all_readers():
    """Oracle: the tables of the readers."""
    body = re.search(r"bool is_image_name.*?\n}", SOURCE.read_text(), re.S).group()
    listed = set(re.findall(r'"(\.[\w.]+)"', body))
    readers = {ending for endings, _ in READERS for ending in endings} | set(slices.ENDINGS)
    assert listed == (readers - NOT_LISTED) | WITHOUT_A_TABLE
