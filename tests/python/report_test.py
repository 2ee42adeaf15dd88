"""The report page. Oracle: the numbers of the made-up output directory; the HTML parser of the standard library."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from fake_output import write_output
from osteon.errors import DataError
from osteon.report import build, main
from osteon.report_data import load
from osteon.report_text import certificates, number

VOID = {"meta", "img", "input", "br"}


class Balanced(HTMLParser):
    """Counts unclosed tags; collects images and addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.no_alt = 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.addresses += [attrs[k] for k in ("src", "href") if k in attrs]
        self.no_alt += tag == "img" and not attrs.get("alt")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("physics", "words"), [("elasticity", ["1348", "1523", "21.2"]), ("heat", ["0.146", "1.74", "W/(m K)"])]
)
def test_page_is_whole_self_contained_and_says_the_answers(tmp_path, physics, words):
    directory = write_output(tmp_path / "job", physics)
    assert main([str(directory)]) == 0
    page = (directory / "report.html").read_text(encoding="utf-8")
    parser = Balanced()
    parser.feed(page)
    assert parser.open == [] and parser.no_alt == 0
    assert all(a.startswith("data:") for a in parser.addresses) and len(parser.addresses) >= 9
    assert not re.search(r"(https?:)?//[a-z]", re.sub(r"base64,[A-Za-z0-9+/=]+", "", page))
    for word in [
        *words,
        "bone &lt;demo&gt;",
        "Assumed: the source does not state it.",
        "0.02, 0.02, 0.02",
        "# &lt;job&gt;",
        "12 islands",
    ]:
        assert word in page
    assert "✗" not in page and page.count("✓") == 4


def test_failed_certificate_and_status_are_shown(tmp_path):
    directory = write_output(tmp_path / "job")
    path = directory / "summary.json"
    summary = json.loads(path.read_text())
    summary["status"] = "not converged"
    summary["certificate"] |= {"true_relative_residual": 1e-2, "converged": False}
    path.write_text(json.dumps(summary))
    page = build(load(directory))
    assert page.count("✗") == 2 and "do not use these numbers" in page
    assert [good for *_, good in certificates(load(directory))] == [False, True, True, False]


@pytest.mark.parametrize("gone", ["manifest.json", "results.nc", "picture.png", "scan.npy"])
def test_page_is_made_without_what_is_gone(tmp_path, gone):
    directory = write_output(tmp_path / "job")
    (directory / gone).unlink()
    page = build(load(directory))
    assert "1348" in page
    assert gone == "picture.png" or "not shown" in page or "no slices" in page


def test_materials_are_compared_where_there_are_several(tmp_path):
    """Oracle: the made-up statistics."""
    directory = write_output(tmp_path / "job")
    path = directory / "summary.json"
    summary = json.loads(path.read_text())
    numbers = {"mean": 0.25, "median": 0.125, "p95": 1.5, "p98": 2.5, "max": 77.25}
    entry = {"voxels": 4321, "volume_mm3": 0.034568, "effective_strain": numbers, "von_mises_MPa": numbers}
    bone = {"material": 1, "name": "bone <1>", **entry, "sed_MPa": numbers}
    summary["by_material"] = [bone]
    path.write_text(json.dumps(summary))
    assert "By material" not in build(load(directory))
    summary["by_material"].append({"material": 2, "name": "screw", **entry, "sed_MPa": numbers | {"max": 88.5}})
    path.write_text(json.dumps(summary))
    page = build(load(directory))
    for words in ("By material", "bone &lt;1&gt;", "screw", "4\u202f321", "88.5", "von Mises stress (MPa)"):
        assert words in page, words
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []


def test_shown_field_that_was_not_written_is_named(tmp_path):
    directory = write_output(tmp_path / "job")
    path = directory / "summary.json"
    summary = json.loads(path.read_text()) | {"shown": {"field": "von_mises", "low": 0.0, "high": 9.0}}
    path.write_text(json.dumps(summary))
    page = build(load(directory))
    assert "name it in output.fields" in page and "von Mises stress (MPa)" in page


def test_scan_that_has_changed_is_not_shown(tmp_path):
    directory = write_output(tmp_path / "job")
    np.save(directory / "scan.npy", np.ones((3, 4, 5), "u1"))
    assert "it now has shape (3, 4, 5)" in build(load(directory))


def test_summary_with_only_the_schema_still_makes_a_page(tmp_path):
    (tmp_path / "summary.json").write_text('{"schema": "osteon.summary/1"}')
    assert main([str(tmp_path)]) == 0


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"schema": "other/1"}'])
def test_no_summary_is_refused_and_an_older_report_stays(tmp_path, text, capsys):
    (tmp_path / "report.html").write_text("older")
    if text is not None:
        (tmp_path / "summary.json").write_text(text)
    with pytest.raises(DataError):
        load(tmp_path)
    assert main([str(tmp_path)]) == 3
    assert capsys.readouterr().err.count("\n") == 1
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "older"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1347.6, "1348"),
        (1234567, "1\u202f234\u202f567"),
        (7.1e-7, "7.100·10⁻⁷"),
        (12345.6, "12\u202f346"),
        (0.0, "0"),
        (True, "yes"),
    ],
)
def test_numbers_are_written_for_people(value, text):
    assert number(value) == text


def test_stiffness_without_moduli_is_shown(tmp_path):
    """Oracle: the numbers of the summary; a matrix that is not positive has no compliance."""
    from osteon.report_homogenised import section

    result = load(write_output(tmp_path / "out"))
    assert section(result) == ""
    names = ["xx", "yy", "zz", "xy", "yz", "xz"]
    matrix = [[100.0 * i + j for j in range(6)] for i in range(1, 7)]
    result.summary["homogenisation"] = {"order": names, "stiffness_MPa": matrix}
    page = section(result)
    assert all(f">{number(value)}<" in page for row in matrix for value in row)
    assert "no moduli" in page


def test_names_the_test_and_its_answers() -> None:
    """Oracle: the words of the summary's load."""
    from osteon.report_text import words_of_test

    torsion = {"load": {"test": "torsion", "axis": "y", "angle_deg": 1.5, "length_mm": 3}}
    assert words_of_test(torsion) == "Torsion along y, 1.5°"
    cases = {**torsion, "cases": [{"name": "twist"}, {"name": "press"}]}
    assert words_of_test(cases) == "2 load cases; shown is twist: Torsion along y, 1.5°"
    assert words_of_test({"load": {"test": "custom", "axis": "z"}}) == "Prescribed supports and forces"
