"""Tests of the server of the studio: permitted clients, permitted files, edits of the job file, and slices and rays of
the scan."""

import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest
import studio
from osteon.errors import DataError

pytestmark = pytest.mark.skipif(bool(studio.why_not()), reason=studio.why_not())

SPACING = [0.05, 0.05, 0.05]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    (folder / "in").mkdir()
    (folder / "secret.toml").write_text('name = "secret"\n')
    np.save(folder / "in" / "bone.npy", studio.small_bone())
    with studio.studio(folder / "in", "bone.npy") as made:
        yield made


# Permitted clients


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Osteon_Token": ""},
        {"X_Osteon_Token": "wrong"},
        {"X_Osteon_Token": studio.TOKEN[:-1]},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "localhost.evil.example:80"},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
@pytest.mark.parametrize(("path", "method"), [("/api/job", "GET"), ("/api/job", "PATCH"), ("/api/events", "GET")])
def test_strangers_are_refused(opened, headers, path, method):
    """Oracle: the contract. The job file is unchanged."""
    before = opened.get("job")
    # The server closes a connection after a head without Host. A body that arrives later would reset the connection
    # before the answer is read.
    body = None if headers == {"Host": ""} else {"base": before["digest"], "operations": []}
    answer = opened.ask(path, method, body, **headers)
    assert answer.status == (400 if headers == {"Host": ""} else 403)  # a request without Host is not HTTP/1.1
    assert opened.get("job")["digest"] == before["digest"]


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:65535", "[::1]:8080", "localhost"])
def test_loopback_by_any_name_and_port_is_answered(opened, host):
    """ssh -L selects its own port."""
    assert opened.ask("/api/session", Host=host).status == 200
    assert opened.ask("/api/session", Host=host, Origin=f"http://{host}").status == 200


def test_the_page_has_no_data_and_a_policy(opened):
    answer = opened.ask("/", X_Osteon_Token="")
    assert answer.status == 200 and studio.TOKEN.encode() not in answer.body
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers
    assert opened.ask("/api/job").headers["cache-control"] == "no-store"
    for name in ("studio.js", "views.js", "studio.css"):
        text = opened.ask(f"/page/{name}", X_Osteon_Token="").body.decode()
        assert not re.findall(r"https?://(?!www\.w3\.org)", text), name  # the page never requests an address outside


def test_nothing_outside_of_the_folder_is_read(opened, tmp_path):
    """Oracle: a file next to the folder, by every path to this file."""
    outside = opened.folder.parent / "secret.toml"
    link = opened.folder / "link.toml"
    link.symlink_to(outside)
    for path in ("../secret.toml", str(outside), "link.toml", "/etc/passwd", "x/../../secret.toml"):
        answer = opened.ask("/api/open", "POST", {"path": path})
        assert answer.status == 422 and "is outside of" in answer.json["error"], path
    for path in (
        "/page/..%2fserver.py",
        "/page/%2e%2e/server.py",
        "/page/../server.py",
        "/results/x/summary.json",
        "/page/",
    ):
        assert opened.ask(path).status == 404, path
    link.unlink()
    before = opened.get("job")
    for image in ("../secret.npy", "/etc/passwd"):
        opened.edit({"op": "set", "path": ["image", "path"], "value": image})
        answer = opened.ask("/api/scan")
        assert answer.status == 422 and "outside" in answer.json["error"]
        opened.post("undo", {"base": opened.get("job")["digest"]})
    assert opened.get("job")["text"] == before["text"]


def test_damaged_requests_are_reported(opened):
    for method, path, body, status in (
        ("POST", "/api/open", {}, 400),
        ("POST", "/api/meet", {"begin": [0, 0, 0], "end": ["a"], "threshold": 1}, 400),
        ("GET", "/api/slice/3/0", None, 422),
        ("GET", "/api/slice/0/40", None, 422),
        ("POST", "/api/runs/7/stop", {}, 400),
        ("PATCH", "/api/job", {"base": "x", "operations": []}, 409),
        ("DELETE", "/api/job", None, 405),
    ):
        assert opened.ask(path, method, body).status == status, path
    assert opened.ask("/api/meet", "POST", "text").status == 400


def test_a_port_in_use_is_replaced_and_reported(opened, tmp_path):
    with studio.studio(tmp_path, port=opened.port) as other:
        assert other.port != opened.port
        assert f"port {opened.port} is not available" in other.printed
        assert f"ssh -L {other.port}:127.0.0.1:{other.port}" in other.printed
        assert other.get("session")["job"] is None
        assert other.ask("/api/job").json["error"] == "no job is open"


@pytest.mark.parametrize(
    ("name", "data", "printed"),
    [
        ("junk.tif", b"this is no image", "cannot be read"),
        ("empty.npy", b"", "is empty"),
        ("no.npy", None, "does not exist"),
    ],
)
def test_a_scan_that_is_none_is_refused_at_the_start(tmp_path, name, data, printed):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(RuntimeError, match=printed):
        studio.start(tmp_path, name)
    assert sorted(p.name for p in tmp_path.iterdir()) == ([name] if data is not None else [])


# The job file


def test_the_scan_got_the_job_that_new_writes(opened, monkeypatch):
    """Oracle: the writer of `osteon new`, for the same image."""
    from osteon.new_job import write_job

    monkeypatch.chdir(opened.folder)
    text, points = write_job("bone.npy", opened.folder / "bone.toml", "solid")
    assert opened.get("job")["text"] == text
    assert all(point in opened.get("session")["note"] for point in points)


def test_edits_keep_comments_order_and_unknown_keys(opened):
    """Oracle: the text, written by hand."""
    before = opened.get("job")
    text = (
        '# mine\nname = "a"   # the name\nmystery = 3\n\n[image]\npath = "bone.npy"\n# spacing_mm = [ , , ]   # missing: by hand\n\n'
        "[segment]\nthreshold = 100   # by a phantom\n\n[tool.other]\nkept = true\n"
    )
    assert opened.ask("/api/job", "PUT", {"base": before["digest"], "text": text}).status == 200
    opened.edit(
        {"op": "set", "path": ["segment", "threshold"], "value": 101},
        {"op": "set", "path": ["image", "spacing_mm"], "value": SPACING},
        {"op": "add", "path": ["set"], "value": {"name": "low", "select": "face", "face": "z_low"}},
        {"op": "add", "path": ["support"], "value": {"on": "low", "fix": "zyx"}},
    )
    done = opened.edit({"op": "set", "path": ["support", 0, "fix"], "value": "z"})
    assert done["text"] == (
        '# mine\nname = "a"   # the name\nmystery = 3\n\n[image]\npath = "bone.npy"\nspacing_mm = [0.05, 0.05, 0.05]\n\n'
        "[segment]\nthreshold = 101   # by a phantom\n\n[tool.other]\nkept = true\n\n"
        '[[set]]\nname = "low"\nselect = "face"\nface = "z_low"\n\n[[support]]\non = "low"\nfix = "z"\n'
    )
    assert (opened.folder / "bone.toml").read_text() == done["text"]
    done = opened.edit({"op": "remove", "path": ["support", 0]}, {"op": "remove", "path": ["set", 0]})
    assert "set" not in done["data"] and "support" not in done["data"]
    for _ in range(4):
        opened.post("undo", {"base": opened.get("job")["digest"]})
    assert opened.get("job")["text"] == before["text"]


def test_fifty_edits_and_fifty_undos_come_back_to_the_byte(opened):
    begin = opened.get("job")
    texts = [begin["text"]]
    for n in range(50):
        texts.append(opened.edit({"op": "set", "path": ["segment", "threshold"], "value": 300 + n})["text"])
    assert len(set(texts)) == 51
    for expected in reversed(texts[:-1]):
        assert opened.post("undo", {"base": opened.get("job")["digest"]})["text"] == expected
    for expected in texts[1:]:
        assert opened.post("redo", {"base": opened.get("job")["digest"]})["text"] == expected
    for _ in range(50):
        opened.post("undo", {"base": opened.get("job")["digest"]})
    assert opened.get("job")["text"] == begin["text"]


def test_a_file_that_changed_on_disk_is_not_overwritten(opened):
    before = opened.get("job")
    path = opened.folder / "bone.toml"
    path.write_text(before["text"] + "# by an editor\n")
    edit = {"base": before["digest"], "operations": [{"op": "set", "path": ["segment", "threshold"], "value": 1}]}
    answer = opened.ask("/api/job", "PATCH", edit)
    assert answer.status == 409 and answer.json["text"].endswith("# by an editor\n")
    assert path.read_text().endswith("# by an editor\n")
    path.write_text(before["text"])


def test_text_that_is_no_toml_is_kept_and_reported(opened):
    before = opened.get("job")
    assert opened.ask("/api/job", "PUT", {"base": before["digest"], "text": "[image\n"}).status == 200
    state = opened.get("job")
    assert state["text"] == "[image\n" and state["data"] is None and "line 1" in state["fault"]
    edit = {"base": state["digest"], "operations": [{"op": "set", "path": ["name"], "value": "x"}]}
    assert opened.ask("/api/job", "PATCH", edit).status == 422
    opened.post("undo", {"base": state["digest"]})
    assert opened.get("job")["text"] == before["text"]


def test_undo_outlives_the_server(tmp_path):
    np.save(tmp_path / "bone.npy", studio.small_bone(12))
    with studio.studio(tmp_path, "bone.npy") as made:
        begin = made.get("job")["text"]
        made.edit({"op": "set", "path": ["segment", "threshold"], "value": 99})
        made.process.kill()
        made.process.wait()
    with studio.studio(tmp_path, "bone.toml") as made:
        assert "exists already" not in made.printed
        state = made.get("job")
        assert state["undo"] == 1 and state["data"]["segment"]["threshold"] == 99
        assert made.post("undo", {"base": state["digest"]})["text"] == begin
        lines = (tmp_path / "bone.studio" / "log.jsonl").read_text().splitlines()
        assert [next(iter(set(json.loads(line)) - {"time", "digest"})) for line in lines] == ["edit", "undo"]


@pytest.mark.parametrize(
    "operations",
    [
        [{"op": "remove", "path": ["nothing"]}],
        [{"op": "set", "path": ["set", 3, "name"], "value": "x"}],
        [{"op": "set", "path": [], "value": 1}],
        [{"op": "dance", "path": ["name"]}],
        [{"path": ["name"]}],
        [{"op": "add", "path": ["name"], "value": {"a": 1}}],
        [{"op": "add", "path": ["set"], "value": 3}],
        [{"op": "set", "path": ["name", "of"], "value": 1}],
    ],
)
def test_an_edit_that_does_not_fit_changes_nothing(operations):
    from osteon.studio.job_file import edited

    with pytest.raises(DataError, match="does not fit the job file"):
        edited('name = "a"\n', operations)


# The scan


def test_slices_are_those_of_the_array(opened):
    """Oracle: numpy."""
    values = np.load(opened.folder / "bone.npy")
    assert opened.get("scan")["codes"] == {"bytes": 1, "low": 0.0, "step": 1.0}
    for axis in range(3):
        for at in (0, 17, 39):
            body = opened.ask(f"/api/slice/{axis}/{at}").body
            expected = np.take(values, at, axis=axis)
            assert np.array_equal(np.frombuffer(body, "u1").reshape(expected.shape), expected)
    histogram = opened.get("histogram")
    counted = np.bincount(values.ravel(), minlength=256)
    assert histogram["counts"] == counted[values.min() : values.max() + 1].tolist() and histogram["low"] == values.min()


@pytest.mark.parametrize("kind", ["u2", "i2", "f4"])
def test_other_types_are_reported_by_codes(tmp_path, kind):
    """Oracle: numpy, with grey = low + step * code. The formula is exact for whole numbers, and exact to half a step
    for other numbers."""
    from osteon.studio.scan import Scan

    values = (np.random.default_rng(3).normal(0, 900, (9, 10, 11)) + (2000 if kind == "u2" else 0)).clip(
        0 if kind == "u2" else -3000, 6000
    )
    values = values.astype(kind)
    np.save(tmp_path / "scan.npy", values)
    scan = Scan(tmp_path / "scan.npy")
    codes = scan.described()["codes"]
    got = np.frombuffer(scan.slice(1, 4), "<u2").reshape(9, 11) * codes["step"] + codes["low"]
    assert np.abs(got - values[:, 4]).max() <= (0 if kind != "f4" else 0.51 * codes["step"])
    level = scan.level()
    assert level.factor == 1 and level.codes.shape == values.shape
    inside = (values > level.low) & (values < level.low + 255 * level.step)
    assert np.abs(level.codes * level.step + level.low - values)[inside].max() <= 0.51 * level.step
    histogram = scan.histogram()
    assert sum(histogram.counts) == values.size


def test_a_large_scan_has_a_level_of_means(monkeypatch, tmp_path):
    """Oracle: means of blocks, computed by a loop. The last blocks are cut."""
    from osteon.studio import scan as module

    monkeypatch.setattr(module, "MOST_LEVEL", 200)
    values = np.random.default_rng(5).integers(0, 256, (13, 11, 17)).astype("u1")
    np.save(tmp_path / "scan.npy", values)
    level = module.Scan(tmp_path / "scan.npy").level()
    k = level.factor
    assert k > 1 and level.codes.size <= 200
    for z, y, x in np.ndindex(*level.codes.shape):
        block = values[z * k : (z + 1) * k, y * k : (y + 1) * k, x * k : (x + 1) * k]
        assert level.codes[z, y, x] == round(float(block.mean()))
    labels = module.Scan(tmp_path / "scan.npy").level([0])
    assert labels.codes[0, 0, 0] == round(255 * float((values[:k, :k, :k] != 0).mean()))


def test_a_ray_meets_the_first_solid_voxel(opened):
    """Oracle: a walk through the array in small steps."""
    values = np.load(opened.folder / "bone.npy").astype(float)
    rng = np.random.default_rng(8)
    met = 0
    for _ in range(40):
        begin, end = rng.uniform(-20, 60, 3), rng.uniform(-20, 60, 3)
        answer = opened.post("meet", {"begin": begin.tolist(), "end": end.tolist(), "threshold": 120})["hit"]
        steps = np.floor(begin + np.linspace(0, 1, 40001)[:, None] * (end - begin)).astype(int)
        steps = steps[((steps >= 0) & (steps < 40)).all(1)]
        solid = [tuple(s) for s in steps if values[tuple(s)] > 120]
        if answer is None:
            assert len(solid) < 3  # a corner that the small steps may hit
            continue
        met += 1
        assert solid and tuple(answer["voxel"]) in {solid[0], *solid[:4]}
        assert answer["grey"] == values[tuple(answer["voxel"])]
    assert met > 10


def test_a_face_that_cuts_the_solid_has_its_direction(opened):
    """Oracle: determined by hand. A ray along x from outside hits no face of the image. A ray along z hits the low face
    of z."""
    hit = opened.post("meet", {"begin": [-5, 20.5, 3.5], "end": [45, 20.5, 3.5], "threshold": 120})["hit"]
    assert hit["voxel"] == [0, 20, 3] and hit["face"] == "z-"
    assert hit["normal"][0] < -0.5
    hit = opened.post("meet", {"begin": [20.5, 20.5, -5], "end": [20.5, 20.5, 45], "threshold": 120})["hit"]
    assert hit["face"] == "x-" and hit["normal"][2] < -0.9


# Runs, as found again after a restart


def test_a_process_is_known_by_its_start(tmp_path):
    from osteon.studio.runs import born, is_alive

    here = os.getpid()
    assert is_alive({"pid": here, "born": born(here)})
    assert not is_alive({"pid": here, "born": "1"})  # another process that now has the number of the run
    assert not is_alive({"pid": 2**22 + 1, "born": None})


def test_a_scan_without_room_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """Oracle: 60 GiB in a sparse file, with 10 GiB of free space."""
    from osteon.errors import MachineError
    from osteon.studio import scan

    path = tmp_path / "large.npy"
    np.save(path, np.zeros((2, 2, 2), "u1"))
    with path.open("r+b") as file:
        file.truncate(60 << 30)
    monkeypatch.setattr(scan.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100 << 30, 90 << 30, 10 << 30))
    with pytest.raises(MachineError, match=r"'large.npy' has 60 GiB.* 10 GiB free.*TMPDIR"):
        scan.Scan(path)


def test_two_studios_share_no_queue(tmp_path):
    np.save(tmp_path / "bone.npy", studio.small_bone(12))
    with studio.studio(tmp_path, "bone.npy") as first, studio.studio(tmp_path, "bone.toml") as second:
        assert first.get("runs")["is_mine"] and not second.get("runs")["is_mine"]
        answer = second.ask("/api/runs", "POST", {"base": second.get("job")["digest"]})
        assert answer.status == 400 and "another studio" in answer.json["error"]
        studio.stop(first)
        assert second.get("runs")["is_mine"]


def test_types_of_the_page():
    """Oracle: tsc, if installed. The comments in the modules of the page state the types of all definitions."""
    compiler = os.environ.get("OSTEON_TSC") or shutil.which("tsc")
    if not compiler:
        pytest.skip("tsc is not installed (npm: typescript); OSTEON_TSC names it")
    modules = sorted(str(path) for path in (studio.ROOT / "python/osteon/studio/page").glob("*.js"))
    words = "--noEmit --allowJs --checkJs --strict --skipLibCheck --target esnext --module esnext --moduleResolution bundler"
    libraries = "dom,dom.iterable,dom.asynciterable,esnext"
    done = subprocess.run(
        [compiler, *words.split(), "--lib", libraries, *modules], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
