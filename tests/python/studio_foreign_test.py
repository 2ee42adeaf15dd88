"""Tests of an untrusted folder in the studio: its list of runs, its links, its documents and the headers of its
images."""

import json
import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import studio

pytestmark = pytest.mark.skipif(bool(studio.why_not()), reason=studio.why_not())

ENTRY = {"number": 1, "name": "scan.run1", "digest": "x", "state": "waiting", "command": "osteon run", "added": 1}


@pytest.fixture
def folder(tmp_path):
    """A scan with its job, in a folder whose parent must not be accessible."""
    made = tmp_path / "in"
    made.mkdir()
    np.save(made / "scan.npy", studio.small_bone(12))
    with studio.studio(made, "scan.npy"):
        pass
    shutil.rmtree(made / "scan.studio")
    (made / "scan.studio").mkdir()
    return made


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A substitute for the program osteon. The substitute records its arguments. @return the calls so far"""
    calls = tmp_path / "calls"
    path = tmp_path / "fake_osteon"
    path.write_text(f"#!{sys.executable}\nimport sys\nopen({str(calls)!r}, 'a').write(repr(sys.argv[1:]) + '\\n')\n")
    path.chmod(0o755)
    monkeypatch.setenv("OSTEON_BINARY", str(path))
    return lambda: calls.read_text() if calls.exists() else ""


def write_runs(folder: Path, entries: object) -> None:
    (folder / "scan.studio" / "runs.json").write_text(entries if isinstance(entries, str) else json.dumps(entries))


def wait_for(is_so, seconds=120):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


# The list of runs


def test_entries_of_another_studio_start_by_a_click_only(folder, program):
    """Oracle: the calls of the program. There are no calls before the click, and then there is the command with number,
    name and ranks."""
    shutil.copy(folder / "scan.toml", folder / "scan.run1.toml")
    write_runs(folder, [{**ENTRY, "ranks": 3, "command": "osteon join evil.toml --grace 0 -- true"}])
    with studio.studio(folder, "scan.toml") as made:
        for _ in range(3):
            (entry,) = made.get("runs")["runs"]
            assert entry["state"] == "held"
            assert entry["command"] == "osteon run scan.run1.toml -o scan.run1.out -n 3"
            time.sleep(0.2)
        assert program() == ""
        made.post("runs/1/resume")
        wait_for(lambda: "--progress" in program())
        reported = folder / "scan.studio" / "run1.jsonl"
        words = ["run", "scan.run1.toml", "-o", "scan.run1.out", "-n", "3", "--progress", str(reported)]
        assert program() == f"{words!r}\n"


def test_an_entry_of_this_studio_starts_by_itself(folder, program):
    with studio.studio(folder, "scan.toml") as made:
        made.post("runs", {"base": made.get("job")["digest"], "ranks": 2})
        wait_for(lambda: program().count("-n") == 1)
        for ranks in (0.5, -1, "2; true", 10**9, True):
            answer = made.ask("/api/runs", "POST", {"base": made.get("job")["digest"], "ranks": ranks})
            assert answer.status == 400 and "ranks" in answer.json["error"], ranks


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '[{"number": 1, "name": "scan.run1", "state": "waiting", "digest": ' + "[" * 900 + "]" * 900 + "}]",
        "{}",
        "[1, null, [], {}]",
        json.dumps([{**ENTRY, "number": n} for n in ("1", 1.5, None, True, -1, 10**30)]),
        json.dumps([{**ENTRY, "name": n} for n in ("scan.run2", "../scan.run1", None, "-x.run1")]),
        json.dumps([{**ENTRY, "state": s} for s in ("gone", None, ["waiting"])]),
        '[{"number": 1, "name": "scan.run1", "state": NaN}]',
        "\x00\xff",
    ],
)
def test_damaged_lists_do_not_stop_the_page(folder, program, text):
    """Oracle: the contract. The answer contains a note, a run can be added, and the earlier file is kept."""
    write_runs(folder, text)
    with studio.studio(folder, "scan.toml") as made:
        answer = made.get("runs")
        assert answer["runs"] == [] and "runs.json.invalid" in answer["note"]
        assert made.get("session")["job"] == "scan.toml"
        made.post("runs", {"base": made.get("job")["digest"]})
        wait_for(lambda: program())
        assert (folder / "scan.studio" / "runs.json.invalid").read_text() == text
        assert "note" in made.get("runs")


def test_values_of_an_entry_are_checked(folder, program):
    """Oracle: JSON that a browser accepts, with the valid entry among the others."""
    odd = {"added": 1e400, "text": "\ud800", "host": 7, "answers": {"stiffness_N_per_mm": float("nan"), "x": 1}}
    write_runs(
        folder,
        json.dumps([{**ENTRY, "state": "done", **odd}, 3]).replace("NaN", "1" * 400).replace("Infinity", "1e400"),
    )
    for name, line in (("run1.jsonl", "[1]\n" + "[" * 5000 + '\nnull\n{"kind": "end", "exit_code": "x"}\n'),):
        (folder / "scan.studio" / name).write_text(line)
    with studio.studio(folder, "scan.toml") as made:
        answer = made.ask("/api/runs")
        (entry,) = json.loads(answer.body, parse_constant=lambda name: pytest.fail(name))["runs"]
        assert entry["text"] == "?" and entry["answers"] == {} and "added" not in entry


def test_no_process_but_a_run_is_stopped(folder, program):
    """Oracle: the process of this test. The list contains this process as the process of a run."""
    from osteon.studio.runs import born

    here = {"pid": os.getpid(), "born": born(os.getpid()), "state": "running"}
    write_runs(folder, [{**ENTRY, **here}])
    with studio.studio(folder, "scan.toml") as made:
        made.post("runs/1/stop")
        (entry,) = made.get("runs")["runs"]
        assert entry["state"] == "failed" and "by another process" in entry["text"]


# Links


def test_nothing_is_written_through_links(folder, program, tmp_path):
    """Oracle: the target files of the links, which must be unchanged."""
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    for name in ("log.jsonl", "edit.lock", "run1.log", "run1.jsonl", "undo.json", "sets.nrrd"):
        (folder / "scan.studio" / name).symlink_to(outside)
    shutil.copy(folder / "scan.toml", folder / "scan.run1.toml")
    (folder / "scan.run2.out").symlink_to(tmp_path / "not_there")
    write_runs(folder, [ENTRY])
    with studio.studio(folder, "scan.toml") as made:
        made.post("runs/1/resume")
        wait_for(lambda: made.get("runs")["runs"][0]["state"] == "failed")
        assert "is a link" in made.get("runs")["runs"][0]["text"]
        edit = {"base": made.get("job")["digest"], "operations": [{"op": "set", "path": ["name"], "value": "x"}]}
        assert made.ask("/api/job", "PATCH", edit).status == 422  # the lock is a link
        assert made.ask("/api/runs", "POST", {"base": made.get("job")["digest"]}).status in (200, 422)
        assert all(e["name"] != "scan.run2" for e in made.get("runs")["runs"])
    assert outside.read_text() == "mine" and not (tmp_path / "not_there").exists()
    assert program() == ""


def test_a_linked_folder_of_the_studio_is_rejected(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (folder / "scan.studio").rmdir()
    (folder / "scan.studio").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RuntimeError, match=r"scan\.studio' is outside of"):
        studio.start(folder, "scan.toml")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_pipes_do_not_block(folder, program):
    """Oracle: an answer, although the files next to the job are pipes without a writer."""
    for name in ("runs.json", "run1.jsonl", "undo.json"):
        os.mkfifo(folder / "scan.studio" / name)
    with studio.studio(folder, "scan.toml") as made:
        assert made.get("runs")["runs"] == []


# Images


HEADERS = {
    "a.mhd": "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementSpacing = 1 1 1\nElementDataFile = {}\n",
    "b.mhd": "NDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementDataFile = LIST\n{}\n{}\n",
    "c.mhd": "NDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementDataFile = {}%03d 1 2 1\n",
    "a.nhdr": "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nspacings: 1 1 1\nencoding: raw\ndata file: {}\n",
    "b.nhdr": "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\ndatafile: LIST\n{}\n",
    "a.json": '{{"shape": [2, 2, 2], "dtype": "uint8", "file": "{}", "spacing_mm": [1, 1, 1]}}',
}


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("way", ["../secret.raw", "{outside}/secret.raw", "link.raw", "./sub/../../secret.raw"])
def test_headers_lead_nowhere_outside(folder, program, tmp_path, name, way):
    """Oracle: a file next to the folder, by every path to this file. The same file inside the folder is read."""
    (tmp_path / "secret.raw").write_bytes(bytes(range(8)))
    (folder / "sub").mkdir()
    (folder / "link.raw").symlink_to(tmp_path / "secret.raw")
    (folder / "link.raw001").symlink_to(tmp_path / "secret.raw")
    (folder / name).write_text(HEADERS[name].replace("{}", way.format(outside=tmp_path)).replace("{{", "{"))
    if name.endswith(".json"):
        (folder / name).write_text((folder / name).read_text().replace("}}", "}"))
    with studio.studio(folder, "scan.toml") as made:
        made.edit({"op": "set", "path": ["image", "path"], "value": name})
        for method, path in (("GET", "scan"), ("GET", "histogram"), ("POST", "check"), ("POST", "estimate")):
            answer = made.ask(f"/api/{path}", method, {} if method == "POST" else None)
            assert answer.status == 422 and "outside" in answer.json["error"], (path, answer.body)
        answer = made.ask("/api/runs", "POST", {"base": made.get("job")["digest"]})
        assert answer.status == 422 and "outside" in answer.json["error"]
    assert program() == ""


def test_images_of_materials_are_inside(folder, program, tmp_path):
    np.save(tmp_path / "moduli.npy", np.ones((12, 12, 12), "f4"))
    with studio.studio(folder, "scan.toml") as made:
        made.edit({"op": "set", "path": ["material", 0, "youngs_modulus_MPa"], "value": {"path": "../moduli.npy"}})
        answer = made.ask("/api/check", "POST", {})
        assert answer.status == 422 and "outside" in answer.json["error"]
    assert program() == ""


def test_headers_within_the_folder_are_read(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "voxels.raw").write_bytes(bytes(range(8)))
    for name in ("a.mhd", "a.nhdr"):
        (folder / name).write_text(HEADERS[name].format("sub/voxels.raw"))
        with studio.studio(folder, "scan.toml") as made:
            made.edit({"op": "set", "path": ["image", "path"], "value": name})
            assert made.get("scan")["grey_max"] == 7


def test_a_tiff_names_other_files_inside_only(folder, tmp_path):
    """Oracle: OME-XML that names a file next to the folder."""
    import tifffile
    from osteon.errors import DataError
    from osteon.studio.folders import Folders
    from osteon.studio.image_files import require_inside

    xml = (
        '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="P:0" '
        'DimensionOrder="XYZCT" Type="uint8" SizeX="2" SizeY="2" SizeZ="2" SizeC="1" SizeT="1"><Channel ID="C:0"/>'
        '<TiffData FirstZ="1" IFD="0"><UUID FileName="{}">urn:uuid:1</UUID></TiffData></Pixels></Image></OME>'
    )
    below = Folders(folder).below
    for name, is_inside in (("../other.ome.tif", False), ("other.ome.tif", True)):
        path = folder / "scan.ome.tif"
        tifffile.imwrite(path, np.zeros((2, 2), "u1"), description=xml.format(name), metadata=None)
        if is_inside:
            require_inside(path, below)
        else:
            with pytest.raises(DataError, match="is outside of"):
                require_inside(path, below)


# Documents


def test_documents_of_a_folder_run_no_scripts(tmp_path):
    """Oracle: the policy for each type. Pictures have no policy, a report has its own sandbox, and all other documents
    have a sandbox without scripts."""
    results = tmp_path / "job.out"
    results.mkdir()
    (results / "summary.json").write_text('{"stiffness_N_per_mm": 1}')
    names = (
        "a.svg",
        "a.xhtml",
        "a.xht",
        "a.xml",
        "a.pdf",
        "a.mml",
        "a.json",
        "a.js",
        "a",
        "a.shtml",
        "report.html",
        "a.png",
    )
    for name in names:
        (results / name).write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    with studio.studio(tmp_path, "job.out") as made:
        ticket = made.get("results")["ticket"]
        for name in names:
            answer = made.ask(f"/results/{ticket}/{name}", X_Osteon_Token="")
            policy = answer.headers["content-security-policy"]
            assert answer.status == 200 and answer.headers["x-content-type-options"] == "nosniff"
            if name == "report.html" or name == "a.shtml":
                assert policy.startswith("sandbox allow-scripts") and "allow-same-origin" not in policy
            elif name == "a.png":
                assert "sandbox" not in policy
            else:
                assert policy.startswith("sandbox") and "allow-scripts" not in policy, name
                assert "default-src 'none'" in policy


@pytest.mark.parametrize("text", ['{"a": NaN}', "[" * 9000, '{"a": "\\ud800", "b": [[1]]}', "[]", "null"])
def test_any_summary_of_a_folder_is_answered(tmp_path, text):
    """Oracle: an answer in JSON, or one sentence with a status for bad data."""
    results = tmp_path / "job.out"
    results.mkdir()
    (results / "summary.json").write_text(text)
    with studio.studio(tmp_path, "job.out") as made:
        answer = made.ask("/api/results")
        assert answer.status in (200, 422)
        reported = json.loads(answer.body, parse_constant=lambda name: pytest.fail(name))
        assert answer.status == 200 or "damaged" in reported["error"]
