"""Tests of the compositing benchmark. The tests check runs, and the reported cost of each method."""

from __future__ import annotations

import json
import subprocess

import pytest
from whole_job import BINARY


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BINARY, "bench", "composite", *words], capture_output=True, text=True, timeout=120, check=False
    )


# Oracle: counted by hand. Each of the two ranks sends the half that it does not blend. One rank sends its half of the
# picture.
def test_rows_of_every_way_with_bytes_and_errors() -> None:
    done = run(
        "-n",
        "2",
        "--width",
        "64",
        "--height",
        "32",
        "--seconds",
        "0",
        "-w",
        "shared",
        "-w",
        "direct-send",
        "--json",
        "-",
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["ranks"], result["width"], result["height"], result["binding"]) == (2, 64, 32, "none")
    value = {row["name"]: row["value"] for row in result["rows"]}
    for row in result["rows"]:
        assert list(row) == ["name", "value", "unit", "peer", "ratio", "must", "aim"]
    assert value["shared, sent by all"] == 0
    assert value["direct-send, sent by all"] == 3 * 64 * 32 * 4 / 2
    assert value["direct-send, sent by a rank at most"] == 64 * 32 * 4
    for way in ("shared", "direct-send"):
        assert 0 < value[f"{way}, error"] <= 0.501
        assert value[f"{way}, best"] >= value[f"{way}, median"] > 0


# Oracle: counted by hand. Each rank sends half of its fragments to the other rank. A fragment has 32 bytes. One rank
# sends its half of the picture.
def test_fragments_need_no_order_and_parts_no_root() -> None:
    size = ("-n", "2", "--width", "64", "--height", "32", "--seconds", "0")
    done = run(*size, "-w", "fragments", "-w", "binary-swap+none", "-w", "binary-swap+parts", "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    value = {row["name"]: row["value"] for row in result["rows"]}
    assert 0 < value["fragments, error"] <= 0.501
    assert result["bytes_by_rank"]["fragments"] == [64 * 16 * 32, 64 * 16 * (32 + 16)]
    assert (
        result["bytes_by_rank"]["binary-swap+none"] == result["bytes_by_rank"]["binary-swap+parts"] == [64 * 16 * 4] * 2
    )
    assert value["fragments, sent by a rank at most"] == max(result["bytes_by_rank"]["fragments"])


# Oracle: counted by hand. With rectangles and with stripes, four ranks send equal numbers of pixels. Three ranks send
# their parts. The display node receives the whole picture again. The benchmark compares the digest of this picture.
def test_rectangles_and_a_display_node_in_a_run() -> None:
    size = ("-n", "4", "--width", "64", "--height", "32", "--seconds", "0", "--json", "-")
    done = run(*size, "-w", "binary-swap", "-w", "binary-swap:rectangles", "-w", "binary-swap+display", "-w", "shared")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    value = {row["name"]: row["value"] for row in result["rows"]}
    assert value["binary-swap:rectangles, sent by all"] == value["binary-swap, sent by all"]
    assert value["binary-swap+display, sent by all"] == value["binary-swap, sent by all"] + 64 * 32 * 4
    assert value["binary-swap:rectangles, error"] <= 0.51
    assert value["binary-swap+display, to the display node"] > 0
    assert "binary-swap, to the display node" not in value
    assert any(name.startswith("binary-swap+display, extended model") for name in value)
    refused = run("-n", "2", "--seconds", "0", "-w", "binary-swap+parts+display")
    assert refused.returncode == 2
    assert "a display node gets a picture from rank 0" in refused.stderr


# Oracle: the messages of the same plan with MPI, which contain the same pixels.
def test_threads_composite_by_the_same_plans() -> None:
    size = ("-n", "3", "--width", "60", "--height", "30", "--seconds", "0")
    done = run(*size, "--as-threads", "-w", "direct-send", "-w", "tree", "-w", "binary-swap+parts", "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["ranks"], result["threads"]) == (1, 3)
    value = {row["name"]: row["value"] for row in result["rows"]}
    assert value["direct-send, sent by all"] == (2 + 2 / 3) * 60 * 30 * 4
    for way in ("direct-send", "tree"):
        assert 0 < value[f"{way}, error"] <= 0.51
        assert value[f"{way}, best"] >= value[f"{way}, median"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-w", "binary-swop"), "binary-swap"),
        (("--format", "rgb"), "rgba8"),
        (("-w", "shared:0"), "at least 1"),
        (("--as-threads", "-w", "shared"), "binary-swap"),
        (("--as-threads", "--threads", "2"), "omit --threads and --binding"),
        (("-w", "shraed"), "did you mean 'shared'"),
        (("-w", "shared:2x"), "at least 1"),
        (("-w", "hybrid"), "hybrid:8"),
        (("-w", "fragments", "--format", "rgba8+z"), "without +z"),
        (("-w", "fragments+sparse"), "are collected at the root"),
        (("--as-threads", "-w", "tree+sparse"), "leave them out"),
        (("--ranks-per-domain", "0"), "'0' is not a positive number"),
    ],
)
def test_bad_words_are_named(words: tuple[str, ...], said: str) -> None:
    done = run("-n", "2", "--seconds", "0", *words)
    assert done.returncode == 2
    assert said in done.stderr


# Oracle: the nearest pixel of all images. The benchmark compares the picture with these pixels. Empty pixels hide no
# other pixel.
def test_depths_are_composited_where_images_are_empty_in_places() -> None:
    size = ("-n", "3", "--width", "64", "--height", "32", "--seconds", "0", "--format", "rgba16+z", "--active", "0.3")
    ways = [word for way in ("shared", "shared:2", "binary-swap", "tree+sparse") for word in ("-w", way)]
    done = run(*size, *ways, "--json", "-")
    assert done.returncode == 0, done.stderr
    errors = [row["value"] for row in json.loads(done.stdout)["rows"] if row["name"].endswith("error")]
    assert errors == [0, 0, 0, 0]


# Oracle: an image has 16 GiB of pixels, and each rank needs several images. This memory exceeds the memory of a test
# host, and no process is killed.
def test_more_than_the_memory_is_refused() -> None:
    size = ("--width", "65536", "--height", "65536", "--format", "rgba32f+z")
    done = run("-n", "3", "--seconds", "0", *size, "-w", "shared")
    assert done.returncode == 5
    assert "65536 x 65536 pixels of rgba32f+z" in done.stderr
    assert "GB are available" in done.stderr


# Oracle: the definition of the ratio. Equation 4 describes only binary swap, and the machines of [Ono] have no shared
# memory.
def test_models_stand_beside_the_rows_and_auto_says_its_choice() -> None:
    ways = [word for way in ("auto", "shared", "binary-swap", "direct-send") for word in ("-w", way)]
    done = run("-n", "2", "--width", "64", "--height", "32", "--seconds", "0", *ways, "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    (choice,) = result["choices"]
    assert choice.startswith("compositing by ")
    assert choice.count("predicted") == choice.count("measured") == 3
    rows = {row["name"]: row for row in result["rows"]}
    models = [name for name in rows if "equation" in name or "model" in name]
    assert sum(name.startswith("binary-swap, printed equation") for name in models) == 3
    assert not any(name.startswith("direct-send, printed equation") for name in models)
    assert [name for name in models if name.startswith("shared")] == ["shared, extended model, this machine"]
    for name in models:
        measured = rows[name.split(",")[0] + ", median"]["value"]
        assert rows[name]["ratio"] == pytest.approx(measured / rows[name]["value"])
