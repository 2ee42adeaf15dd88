"""`osteon compare` on synthetic outputs: numbers, jobs, files, rejections, and its page in a browser.
tests/app/test_compare.py tests real jobs."""

import csv
import json
from pathlib import Path

import browser
import jsonschema
import netCDF4
import numpy as np
import pytest
from fake_output import add_digests, seal, write_output, write_scene
from osteon.compare.comparison import compare, names_of
from osteon.compare.fields import load_fields
from osteon.compare.jobs import differences
from osteon.compare.program import main

ROOT = Path(__file__).resolve().parents[2]


def change(folder, **values):
    summary = json.loads((folder / "summary.json").read_text())
    summary.update(values)
    (folder / "summary.json").write_text(json.dumps(summary))


def change_field(folder, made):
    """Replace the field of a result by a function of its values."""
    path = folder / "results.nc"
    with netCDF4.Dataset(path) as file:
        material = file["VTKHDF/CellData/material"][:].data
        values = np.ma.filled(file["VTKHDF/CellData/sed"][:], np.nan)
    values = made(values)
    path.unlink()
    with netCDF4.Dataset(path, "w") as file:
        file.set_auto_mask(False)
        for axis, n in zip("zyx", values.shape, strict=True):
            file.createDimension(axis, n)
        cells = file.createGroup("VTKHDF/CellData")
        file["VTKHDF"].setncatts({"Origin": np.zeros(3), "Spacing": np.full(3, 0.02)})
        cells.createVariable("material", "u1", ("z", "y", "x"))[:] = material
        cells.createVariable("sed", "f4", ("z", "y", "x"))[:] = values
        add_digests(file)
    seal(path)
    return values


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two results. The second result is stiffer by 7 %. Its field is larger by 0.5 at one voxel, and smaller by 0.25 at
    another voxel."""
    base = tmp_path_factory.mktemp("compare")
    for name in ("a.out", "b.out"):
        write_output(base / name)
        write_scene(base / name)
    change(base / "b.out", stiffness_N_per_mm=1347.6 * 1.07)
    manifest = json.loads((base / "b.out/manifest.json").read_text())
    manifest["job_text"] = 'name = "bone"\n[segment]\nthreshold = 100\n[[material]]\nyoungs_modulus_MPa = 5\n'
    manifest["command"] = "osteon run b.toml --set segment.threshold=126 --set 'picture.width=9'"
    (base / "b.out/manifest.json").write_text(json.dumps(manifest))

    def two_changes(values):
        solid = np.argwhere(np.isfinite(values))
        values[tuple(solid[0])] += 0.5
        values[tuple(solid[-1])] -= 0.25
        return values

    change_field(base / "b.out", two_changes)
    return base


def run(base, *words, names=("a.out", "b.out")):
    return main([*words, *(str(base / n) for n in names)])


def test_the_table_has_values_units_and_changes(pair, capsys):
    """Oracle: determined by hand."""
    assert run(pair) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["Stiffness", "1347.6", "1441.93", "+94.33", "+7", "N/mm"]
    assert [line.split()[-4:] for line in lines if "Apparent" in line] == [["1523.4", "0", "0", "MPa"]]
    assert "inputs: the same bytes" in lines


def test_files_for_programs(pair, tmp_path, capsys):
    """Oracle: determined by hand, and the schema."""
    assert run(pair, f"--csv={tmp_path}/c.csv", f"--json={tmp_path}/c.json") == 0
    with (tmp_path / "c.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["answer [unit]", "title", "a.out", "b.out", "change of b.out", "relative change of b.out [1]"]
    assert rows[1][0] == "stiffness_N_per_mm [N/mm]" and float(rows[1][5]) == pytest.approx(0.07)
    answer = json.loads((tmp_path / "c.json").read_text())
    jsonschema.validate(answer, json.loads((ROOT / "docs/schemas/compare.json").read_text()))
    reported = answer["fields"][0]
    count = np.isfinite(load_fields(compare([pair / "a.out", pair / "b.out"])).fields[0].changes[0].values).sum()
    assert reported["changes"][0]["rms"] == pytest.approx(np.sqrt((0.5**2 + 0.25**2) / count), rel=1e-5)
    assert reported["changes"][0]["largest"] == pytest.approx(0.5, abs=1e-5)
    with netCDF4.Dataset(pair / "a.out/results.nc") as file:
        first = np.argwhere(file["VTKHDF/CellData/material"][:].data)[0]
    assert reported["changes"][0]["at_mm"] == pytest.approx(list((first + 0.5) * 0.02))
    capsys.readouterr()
    assert run(pair, "--json=-") == 0
    assert json.loads(capsys.readouterr().out) == answer


def test_keys_of_jobs_by_name(pair):
    """Oracle: determined by hand. Values of --set are listed above the file."""
    found = differences([json.loads((pair / n / "manifest.json").read_text()) for n in ("a.out", "b.out")])
    assert {d.key: d.values for d in found} == {
        "segment.threshold": [None, "126"],
        "material[1].youngs_modulus_MPa": [None, "5"],
        "picture.width": [None, "9"],
    }
    assert differences([{"job_text": "SET_SCRIPT_VERSION 2\n"}, {"job_text": ""}]) is None


def test_three_jobs_and_one_that_lacks_an_answer(pair, tmp_path, capsys):
    """Oracle: the contract."""
    third = write_output(tmp_path / "c.out")
    summary = json.loads((third / "summary.json").read_text())
    del summary["apparent_modulus_MPa"]
    summary["pistoia"]["failure_load_N"] = None
    (third / "summary.json").write_text(json.dumps(summary))
    assert main([str(pair / "a.out"), str(pair / "b.out"), str(third), f"--page={tmp_path}/three.html"]) == 0
    out = capsys.readouterr().out
    line = next(line for line in out.splitlines() if "Apparent" in line)
    assert line.split()[2:] == ["1523.4", "1523.4", "0", "-", "MPa"]
    assert "infinite" in next(line for line in out.splitlines() if "Failure load" in line)
    page = (tmp_path / "three.html").read_text(encoding="utf-8")
    assert page.count('class="card viewer pane"') == 5  # three viewers of jobs, and two viewers of changes


def test_a_higher_failure_load_is_a_positive_change(pair, tmp_path, capsys):
    """Oracle: determined by hand. The job compresses, so that both loads are negative. The second load is 25 %
    higher."""
    stronger = write_output(tmp_path / "b.out")
    summary = json.loads((stronger / "summary.json").read_text())
    summary["pistoia"]["failure_load_N"] *= 1.25
    summary["reaction_N"] = [2 * v for v in summary["reaction_N"]]
    (stronger / "summary.json").write_text(json.dumps(summary))
    assert main([str(pair / "a.out"), str(stronger), "--json=-"]) == 0
    answers = {a["key"]: a for a in json.loads(capsys.readouterr().out)["answers"]}
    load = answers["pistoia.failure_load_N"]
    assert load["values"] == [21.2, 26.5] and load["title"].endswith("magnitude")
    assert load["changes"] == [{"absolute": pytest.approx(5.3), "relative": pytest.approx(0.25)}]
    for answer in answers.values():
        for c in answer["changes"]:
            assert c is None or c["relative"] is None or c["relative"] * c["absolute"] >= 0, answer


def test_names_are_short_and_different(tmp_path):
    """Oracle: determined by hand."""
    assert names_of([Path("x/a.out"), Path("y/b.out")]) == ["a.out", "b.out"]
    assert names_of([Path("x/a.out"), Path("y/a.out")]) == ["x/a.out", "y/a.out"]


def test_what_cannot_be_compared_is_refused_with_a_sentence(pair, tmp_path, capsys):
    """Oracle: the contract, with exit code 3 and one line with the problem and the remedy."""
    a = str(pair / "a.out")
    heat = write_output(tmp_path / "heat.out", "heat")
    (tmp_path / "empty").mkdir()
    torn = write_output(tmp_path / "torn.out")
    (torn / "summary.json").write_text('{"schema": "osteon.summ')
    wrong = write_output(tmp_path / "wrong.out")
    change(wrong, answers=[{"key": 3}])
    broken = write_output(tmp_path / "broken.out")
    data = bytearray((broken / "results.nc").read_bytes())
    data[len(data) // 2] ^= 255
    (broken / "results.nc").write_bytes(data)
    for other, words in (
        (heat, "different physics: 'a.out' elasticity, 'heat.out' heat"),
        (tmp_path / "empty", "summary.json'; pass the output directory of a completed job"),
        (tmp_path / "nowhere", "no folder"),
        (pair / "a.out/summary.json", "is a file; pass the output folder that contains it"),
        (torn, "cannot be read"),
        (wrong, "lacks required content"),
        (broken, "is damaged"),
    ):
        assert main([a, str(other), f"--page={tmp_path}/p.html"]) == 3, other
        printed = capsys.readouterr()
        assert words in printed.err and printed.err.count("\n") == 1 and printed.out == "", printed.err
        assert not (tmp_path / "p.html").exists()


def test_other_grids_are_compared_by_numbers(pair, tmp_path, capsys):
    """Oracle: the contract. A sentence replaces the maps."""
    small = write_output(tmp_path / "small.out", shape=(12, 14, 16))
    assert main([str(pair / "a.out"), str(small), f"--page={tmp_path}/p.html"]) == 0
    sentence = "The fields are not subtracted: the shape of 'small.out' is 12 x 14 x 16 voxels (z, y, x)"
    assert sentence in capsys.readouterr().out
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "The fields are not subtracted" in page and "viewer" not in page.partition("<body>")[2]


def test_a_page_of_others_is_kept(pair, tmp_path, capsys):
    """Oracle: the bytes of the file. A page that osteon wrote is replaced."""
    page = tmp_path / "p.html"
    page.write_text("mine")
    assert run(pair, f"--page={page}") == 3 and page.read_text() == "mine"
    assert "choose another name" in capsys.readouterr().err
    page.unlink()
    assert run(pair, f"--page={page}") == 0 and run(pair, f"--page={page}") == 0
    capsys.readouterr()


def test_texts_of_others_do_not_become_markup(tmp_path, capsys):
    """Oracle: the markup."""
    for name in ("<i>.out", "b.out"):
        folder = write_output(tmp_path / name)
        change(folder, answers=[{"key": "stiffness_N_per_mm", "title": "<script>", "unit": "<b>", "meaning": ""}])
    assert run(tmp_path, f"--page={tmp_path}/p.html", names=("<i>.out", "b.out")) == 0
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<i>.out" not in page and "<b>" not in page.replace("<b>1348", "").replace("<b></b>", "").replace(
        "<b>no", ""
    )
    assert page.count("<script>") == 1  # a page that osteon wrote
    capsys.readouterr()


@pytest.mark.skipif(bool(browser.why_not()), reason=browser.why_not())
def test_one_cursor_reads_all_three(pair, tmp_path, capsys):
    """Oracle: the values of the files under the cursor. Keys in one view move the slices of all views."""
    assert run(pair, f"--page={tmp_path}/p.html") == 0
    capsys.readouterr()
    with netCDF4.Dataset(pair / "a.out/results.nc") as a, netCDF4.Dataset(pair / "b.out/results.nc") as b:
        first, second = (np.ma.filled(f["VTKHDF/CellData/sed"][:], np.nan) for f in (a, b))
    with browser.browser() as page:
        page.size(900, 700)
        page.open(tmp_path / "p.html")
        page.wait_for("document.body?.dataset.ready === 'yes'")
        cursors = "[...document.querySelectorAll('.pane')].map(p => [...p.querySelectorAll('.slice input')].map(i => +i.value))"

        def values():
            return page.value("[...document.querySelectorAll('.values b')].map(b => b.textContent)")

        z, y, x = page.value(cursors)[0]
        # The initial position is the position of the largest change.
        assert first[z, y, x] + 0.5 == pytest.approx(second[z, y, x], abs=1e-5)
        reported = [float(v.split()[1]) for v in values()]
        assert reported[2] == pytest.approx(0.5, abs=0.01) and len(reported) == 3
        page.value("document.querySelectorAll('.pane')[1].querySelector('.slice canvas').focus()")
        page.key("ArrowRight")
        assert page.value(cursors) == [[z, y, x + 1]] * 3
        for text, field in zip(values(), (first, second, second - first), strict=True):
            value = float(field[z, y, x + 1])
            assert text == "–" if np.isnan(value) else float(text.split()[1]) == pytest.approx(value, abs=0.06)
        # Limits: A and B have common limits, and the change has its own limits.
        page.value(
            "(() => { const c = document.querySelector('#tools [name=limit]'); c.value = 1000; c.dispatchEvent(new Event('input')); })()"
        )
        ends = page.value("[...document.querySelectorAll('.pane .bar em')].map(e => e.textContent)")
        assert ends[0] == ends[1] != ends[2]
        pictures = "[...document.querySelectorAll('.pane canvas.gl')].map(c => c.toDataURL())"
        before = page.value(pictures)
        page.value("document.querySelector('.pane canvas.gl').focus()")
        page.key("ArrowRight")
        page.wait_for(f"{pictures}.every((p, n) => p !== {json.dumps(before)}[n])")
        assert page.complaints == []
        page.size(420, 900)
        assert page.value("document.documentElement.scrollWidth") == 420
        assert 1 <= page.paper(tmp_path / "p.pdf") <= 6
