"""The report page. Oracle: the numbers of the synthetic output directory, and the HTML parser of the standard
library."""

import base64
import gzip
import hashlib
import json
import os
import re
from html.parser import HTMLParser

import netCDF4
import numpy as np
import pytest
from fake_output import write_output
from osteon.errors import DataError
from osteon.report.data import load
from osteon.report.page import build, main, page_of
from osteon.report.text import answers, certificates, number
from osteon.results.result_file import ResultFile
from osteon.results.unit_for_people import unit_for_people

VOID = {"meta", "img", "input", "br"}


class Balanced(HTMLParser):
    """Counts unclosed tags. Collects images and addresses."""

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
    assert all(a.startswith("data:") for a in parser.addresses) and len(parser.addresses) == 4
    bare = re.sub(r"base64,[A-Za-z0-9+/=]+|[A-Za-z0-9+/=]{200,}", "", page)
    assert not re.search(r"(https?:)?//[a-z]", bare)
    for word in [
        *words,
        "bone &lt;demo&gt;",
        "Assumed: the source does not state it.",
        "0.02, 0.02, 0.02",
        "# &lt;job&gt;",
        "12 disconnected parts",
        "90 voxels in 1 parts",
        "segment.connectivity = 26",
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
    """Oracle: the synthetic statistics."""
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
    summary = json.loads(path.read_text())
    summary["shown"] = {"field": "von_mises", "title": "von Mises stress", "units": "MPa", "low": 0.0, "high": 9.0}
    path.write_text(json.dumps(summary))
    page = build(load(directory))
    assert "add it to output.fields" in page and described(page)["fields"][0]["label"] == "sed"


@pytest.mark.parametrize("physics", ["elasticity", "heat"])
def test_results_of_an_older_version_are_shown_with_keys_for_titles(tmp_path, physics):
    """The summary contains neither the answers nor the field in words."""
    directory = write_output(tmp_path / "job", physics)
    path = directory / "summary.json"
    summary = json.loads(path.read_text())
    del summary["answers"], summary["shown"]["title"], summary["shown"]["caption"]
    path.write_text(json.dumps(summary))
    result = load(directory)
    keys = {answer.key for answer, _ in answers(result)}
    if physics == "heat":
        assert keys == {"flux_W", "effective_conductivity_W_per_mK", "tortuosity"}
    else:
        sed = {f"sed_MPa.{name}" for name in ("mean", "p95", "p98", "max")}
        failure = {"effective_strain.p98", "pistoia.factor", "pistoia.failure_load_N"}
        assert keys == {"reaction_N", "stiffness_N_per_mm", "apparent_modulus_MPa", *sed, *failure}
    page = build(result)
    assert "<td>tortuosity</td>" in page if physics == "heat" else "<td>sed_MPa.p98</td>" in page
    assert result.notes == [] and described(page)["fields"][0]["label"] == result.field_name[0]


@pytest.mark.parametrize(
    ("unit", "shown"),
    [
        ("W mm-2", "W/mm²"),
        ("N mm2", "N mm²"),
        ("N mm/deg", "N mm/°"),
        ("kg/m3", "kg/m³"),
        ("W/(m K)", "W/(m K)"),
        ("", ""),
    ],
)
def test_units_are_written_for_people(unit, shown):
    assert unit_for_people(unit) == shown


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
    """Oracle: the numbers of the summary. A matrix that is not positive definite has no compliance."""
    from osteon.report.tensors import sections as section

    result = load(write_output(tmp_path / "out"))
    assert section(result) == ""
    names = ["xx", "yy", "zz", "xy", "yz", "xz"]
    matrix = [[100.0 * i + j for j in range(6)] for i in range(1, 7)]
    result.summary["homogenisation"] = {"order": names, "stiffness_MPa": matrix}
    page = section(result)
    assert all(f">{number(value)}<" in page for row in matrix for value in row)
    assert "compliance and moduli are undefined" in page


def test_names_the_test_and_its_answers() -> None:
    """Oracle: the words of the load in the summary."""
    from osteon.report.text import describe_test

    torsion = {"load": {"test": "torsion", "axis": "y", "angle_deg": 1.5, "length_mm": 3}}
    assert describe_test(torsion) == "Torsion along y, 1.5°"
    press = {"load": {"test": "axial_bonded", "axis": "z", "strain": -0.01}}
    cases = {**torsion, "cases": [{"name": "twist", **torsion}, {"name": "press", **press}]}
    words = "2 load cases: twist: Torsion along y, 1.5°; press: Axial test, bonded faces along z, -1 % strain"
    assert describe_test(cases) == words
    assert describe_test({"load": {"test": "custom", "axis": "z"}}) == "Prescribed supports and forces"


def with_cases(directory, names):
    """Change an output directory to several load cases with supports and forces, on a crop of an image."""
    path = directory / "summary.json"
    summary = json.loads(path.read_text())
    support = {"on": "<grip>", "held": "zy", "nodes": 4, "reaction_N": [1.5, 1e-9, 0], "moment_N_mm": [0, 2.5, 0]}
    support["about_mm"] = [0, 0, 0]
    force = {"on": "top", "nodes": 9, "force_N": [-3, 0, 0], "displacement_mm": 0.0123}
    summary |= {"supports": [support], "forces": [force], "load": {"test": "custom", "axis": "z"}}
    summary["cases"] = [{**summary, "name": name, "stiffness_N_per_mm": 1000.0 + n} for n, name in enumerate(names)]
    summary["shown"] |= {"field": f"sed_{names[0]}", "low": 0.0, "high": 1.0}
    summary["image"]["origin_mm"] = [100.0, -7.0, 0.5]
    path.write_text(json.dumps(summary))


def test_all_load_cases_and_supports_are_shown(tmp_path):
    directory = write_output(tmp_path / "job", cases=("push", "pull"))
    with_cases(directory, ["push", "pull"])
    result = load(directory)
    assert result.notes == []
    assert result.field_name[0] == "sed"
    by_case = {f.case: f.thin.values for f in result.fields if f.case}
    np.testing.assert_allclose(by_case["pull"], 2 * by_case["push"])
    page = build(result)
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    for word in [
        "2 load cases",
        "push: Stiffness",
        "pull: Stiffness",
        *(">1000<", ">1001<", "Supports and forces", "&lt;grip&gt;", "1.5; 0; 0", "0; 2.5; 0", "-3; 0; 0", ">0.0123<"),
        "(case push)",
    ]:
        assert word in page, word
    fields = described(page)["fields"]
    assert [(f["label"], f["case"]) for f in fields[:2]] == [
        ("strain energy density (push)", "push"),
        ("strain energy density (pull)", "pull"),
    ]


def described(page):
    """The data passed to the viewer."""
    return json.loads(re.search(r'<script type="application/json" class="description">(.*?)</script>', page)[1])


def unpacked(page, name, shape):
    """A volume of the page, unpacked as viewer/volumes.js unpacks it."""
    text = re.search(rf'<script type="text/plain" id="{name}">(.*?)</script>', page)[1]
    return np.frombuffer(gzip.decompress(base64.b64decode(text)), "u1").reshape(shape)


def test_volumes_of_the_page_hold_the_fields_and_the_scan(tmp_path):
    """Oracle: the values of the file, to half a code. The scan has 64 grey levels."""
    directory = write_output(tmp_path / "job")
    page = build(load(directory))
    reported = described(page)
    assert reported["shape"] == [28, 24, 20] and reported["spacing"] == pytest.approx([0.02] * 3)
    with ResultFile(directory / "results.nc") as file:
        sed = file["sed"]
    field = reported["fields"][0]
    codes = unpacked(page, field["volume"], sed.shape).astype(float)
    assert np.array_equal(codes == 0, np.isnan(sed))
    solid = codes > 0
    share = (np.clip(sed[solid], 0, field["high"]) / field["high"]) ** (1 / field["power"])
    assert np.abs(share * 254 - (codes[solid] - 1)).max() <= 0.5 + 1e-3
    assert field["peak"]["value"] == pytest.approx(np.nanmax(sed))
    place = tuple(int(v) for v in field["peak"]["at"])[::-1]
    assert sed[place] == np.nanmax(sed)
    scan = (
        unpacked(page, "scan", sed.shape) / 255 * (reported["scan"]["high"] - reported["scan"]["low"])
        + reported["scan"]["low"]
    )
    grey = np.clip(np.load(directory / "scan.npy"), reported["scan"]["low"], reported["scan"]["high"])
    assert np.abs(scan - grey).max() <= (reported["scan"]["high"] - reported["scan"]["low"]) / 63


def test_large_volumes_are_thinned_by_the_mean_over_the_solid(tmp_path, monkeypatch):
    """Oracle: the mean over each block by NumPy. The maximum is the maximum of all voxels, at its position."""
    directory = write_output(tmp_path / "job", shape=(9, 10, 11))
    monkeypatch.setattr("osteon.report.volumes.LARGEST_PAGE", 200)
    result = load(directory)
    assert result.thinned == 2 and result.page_shape == (5, 5, 6)
    with ResultFile(directory / "results.nc") as file:
        sed, solid = file["sed"], file["material"]
    thin = result.fields[0].thin
    for z, y, x in np.ndindex(*result.page_shape):
        block = tuple(slice(2 * n, 2 * n + 2) for n in (z, y, x))
        values = sed[block][np.isfinite(sed[block])]
        assert (
            np.isnan(thin.values[z, y, x]) if not values.size else thin.values[z, y, x] == pytest.approx(values.mean())
        )
        assert result.share[z, y, x] == round(255 * (solid[block] != 0).sum() / 8)
    assert thin.largest == np.nanmax(sed)
    assert np.floor(np.array(thin.largest_at)[::-1] * 2).astype(int).tolist() == list(
        np.unravel_index(np.nanargmax(sed), sed.shape)
    )
    page = build(result)
    assert "each block of 2 x 2 x 2 voxels" in page and "solid" in described(page)["solid"]


def test_slices_are_counted_from_the_zero_of_the_job(tmp_path):
    """Oracle: the origin of the crop, in the order x, y, z."""
    directory = write_output(tmp_path / "job", cases=("push",))
    with_cases(directory, ["push"])
    assert described(build(load(directory)))["origin"] == [0.5, -7.0, 100.0]


def test_a_damaged_plane_is_found_while_the_volumes_are_packed(tmp_path):
    """Oracle: the digest of each group of planes. The file is a copy, so that it has no seal that would detect the
    change."""
    directory = write_output(tmp_path / "job")
    with netCDF4.Dataset(directory / "results.nc", "a") as file:
        file["VTKHDF/CellData/sed"][7, 3, 4] += 1
    assert main([str(directory)]) == 3


def test_without_a_path_the_tortuosity_is_infinite(tmp_path):
    directory = write_output(tmp_path / "job", "heat")
    path = directory / "summary.json"
    summary = json.loads(path.read_text())
    path.write_text(json.dumps({**summary, "percolates": False, "tortuosity": None, "flux_W": 0.0}))
    page = build(load(directory))
    assert "∞" in page
    assert "No path of solid connects the two faces" in page


PAYLOAD = "\"'><script>alert(1)</script><img src=x onerror=alert(2)><a href='javascript:alert(3)'>"


def _leaves(tree: object, place: tuple = ()) -> list[tuple]:
    if isinstance(tree, dict):
        return [leaf for key, value in tree.items() for leaf in _leaves(value, (*place, key))]
    if isinstance(tree, list):
        return [leaf for i, value in enumerate(tree) for leaf in _leaves(value, (*place, i))]
    return [place]


def _with(tree: dict, place: tuple, value: object) -> dict:
    tree = json.loads(json.dumps(tree))
    at = tree
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    return tree


class Elements(HTMLParser):
    """All elements with the names of their attributes, as a browser would create them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, *(name for name, _ in attrs)))
        assert all(not name.startswith("on") for name, _ in attrs)
        assert all(not str(value).startswith("javascript:") for _, value in attrs)


def _elements(page: str) -> set[tuple[str, ...]]:
    parser = Elements()
    parser.feed(page)
    return set(parser.found)


@pytest.mark.parametrize("physics", ["elasticity", "heat"])
def test_no_text_of_a_summary_becomes_a_part_of_the_page(tmp_path, physics, monkeypatch):
    """Each value of summary.json and manifest.json in turn is a text with a script. Oracle: the page has the elements
    of a page without the script, or the summary is rejected in one line."""
    directory = write_output(tmp_path / "job", physics, (6, 7, 8))
    summary = json.loads((directory / "summary.json").read_text())
    # The test also includes tables and sections of other jobs.
    numbers = {"mean": 0.25, "median": 0.125, "p95": 1.5, "p98": 2.5, "max": 77.25}
    entry = {"voxels": 4, "volume_mm3": 0.03, "effective_strain": numbers, "von_mises_MPa": numbers, "sed_MPa": numbers}
    summary["by_material"] = [{"material": i, "name": f"m{i}", **entry} for i in (1, 2)]
    summary["homogenisation"] = {
        "order": ["xx", "yy", "zz", "xy", "yz", "xz"],
        "stiffness_MPa": [[float(i + j) for j in range(6)] for i in range(6)],
    }
    summary["residual_history"] = summary["residual_history"][:3]
    summary["shown"] |= {"colour_map": "batlow", "low": 0.0, "high": 1.0}
    summary["image"]["unit"] = "HU"
    manifest = json.loads((directory / "manifest.json").read_text())
    for tree, name in ((summary, "summary.json"), (manifest, "manifest.json")):
        (directory / name).write_text(json.dumps(tree))
    (directory / "scan.npy").unlink()
    # Plots and colours take most of the time and contain no texts.
    monkeypatch.setattr("osteon.report.page.histogram", lambda _: "data:image/svg+xml;base64,")
    monkeypatch.setattr("osteon.report.page.convergence", lambda _: "data:image/svg+xml;base64,")
    usual = _elements(page_of(directory))
    made = 0
    for tree, name in ((summary, "summary.json"), (manifest, "manifest.json")):
        for place in _leaves(tree):
            (directory / name).write_text(json.dumps(_with(tree, place, PAYLOAD)))
            try:
                page = page_of(directory)
            except DataError as e:
                assert "\n" not in str(e)
                continue
            made += 1
            assert _elements(page) <= usual, place
        (directory / name).write_text(json.dumps(tree))
    assert made > 20


def test_a_browser_runs_no_script_but_that_of_the_page(tmp_path):
    """Oracle: the policy of the page contains the SHA-256 of its only script and permits no other source."""
    page = build(load(write_output(tmp_path / "job")))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert len(scripts) == 1 and f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and "unsafe-inline" not in policy.split("script-src")[1]


def test_the_report_follows_no_link(tmp_path):
    """Oracle: an external file is unchanged. A link with the temporary name points to this file."""
    directory = write_output(tmp_path / "job")
    (tmp_path / "precious").write_text("precious")
    (directory / f"report.html.tmp.{os.getpid()}").symlink_to(tmp_path / "precious")
    assert main([str(directory)]) == 0
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (directory / "report.html").is_symlink() and "osteon report" in (directory / "report.html").read_text()


def test_terminal_escapes_of_names_are_shown_and_not_sent(tmp_path, capsys):
    directory = tmp_path / "a\x1b]0;title\x07b"
    assert main([str(directory)]) == 3
    err = capsys.readouterr().err
    assert "\x1b" not in err and "\\x1b]0;title\\x07" in err
