"""Tests of the script ./run with substitutes for the programs of CMake, ninja and Debian. The tests check which
programs the script starts, and when."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAMS = {
    "dpkg-query": 'echo "dpkg-query $*" >>"$HERE/asked"; echo "ii "',
    "cmake": """echo "cmake $*" >>"$HERE/calls"; mkdir -p build/release; touch build/release/build.ninja
cache=build/release/CMakeCache.txt
case "$*" in
  *BENCH=OFF*) echo OSTEON_BENCH:BOOL=OFF >$cache ;;
  *BENCH=ON*) echo OSTEON_BENCH:BOOL=ON >$cache ;;
  *) [ -f $cache ] || touch $cache ;;
esac""",
    "ninja": 'echo "ninja $*" >>"$HERE/asked"; case "$*" in *query*) [ -e "$HERE/icet" ] ;; *) echo work to do ;; esac',
}
REQUIREMENTS = ["requirements-build", "requirements", "requirements-test", "requirements-docs", "requirements-js"]
EMPTY = "4294967295 0"  # cksum of an empty input


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text + "\n")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with ./run in which everything is set up but not built."""
    shutil.copy(ROOT / "run", tmp_path)
    for name, text in PROGRAMS.items():
        program(tmp_path / "bin" / name, text)
    program(tmp_path / ".venv/bin/python", "exit 0")
    program(tmp_path / "build/release/src/app/osteon", "exit 0")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/apt-packages.txt").write_text("cmake\n")
    for name in REQUIREMENTS:
        (tmp_path / f"tools/{name}.txt").write_text("")
        (tmp_path / f".venv/stamp-{name}").write_text(f"{EMPTY}\n")
    prettier = re.search(r"^prettier_version=(\S+)$", (ROOT / "run").read_text(), re.M).group(1)
    stamps = {"peers": "", "launchers/openmpi": "", "launchers/mpich": "", "docs": EMPTY, "js": f"{prettier} {EMPTY}"}
    for name, text in stamps.items():
        (tmp_path / f".venv-{name}").mkdir(parents=True)
        (tmp_path / f".venv-{name}/complete").write_text(f"{text}\n")
    (tmp_path / "dpkg").mkdir()
    (tmp_path / "dpkg/status").write_text("zlib1g 1\n")
    (tmp_path / "calls").touch()
    return tmp_path


def calls(folder: Path, *words: str) -> list[str]:
    """The CMake commands that `./run WORDS` starts."""
    (folder / "calls").write_text("")
    (folder / "asked").write_text("")
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HERE": str(folder)}
    environment["DPKG_ADMINDIR"] = str(folder / "dpkg")
    done = subprocess.run(
        [folder / "run", *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return (folder / "calls").read_text().splitlines()


CONFIGURE = "cmake --preset release"
PARTS = ["OSTEON_STUDIES", "OSTEON_BENCH", "OSTEON_BRIDGE_COMMANDS", "OSTEON_TESTS"]


def test_configures_again_when_a_debian_package_came(checkout: Path) -> None:
    """Oracle: optional packages that were missing at configuration are searched for again, and no others."""
    assert calls(checkout, "setup")[0] == CONFIGURE
    assert CONFIGURE not in calls(checkout, "osteon", "version")
    (checkout / "dpkg/status").write_text("zlib1g 1\nparaview 5.11\n")
    assert calls(checkout, "osteon", "version")[0] == CONFIGURE
    assert CONFIGURE not in calls(checkout, "osteon", "version")


def test_a_new_build_has_the_parts_that_its_command_needs(checkout: Path) -> None:
    """Oracle: a job needs no studies, measurements, tests or clusters. A command that needs these parts adds them once
    and rebuilds."""
    with_parts, without = ([f"-D{part}={value}" for part in PARTS] for value in ("ON", "OFF"))
    first = calls(checkout, "osteon", "version")
    assert first[0].split() == [*CONFIGURE.split(), *without]
    assert not [call for call in calls(checkout, "osteon", "check", "x.toml") if call.startswith(CONFIGURE)]
    (again,) = [call for call in calls(checkout, "osteon", "bench", "render") if call.startswith(CONFIGURE)]
    assert again.split() == [*CONFIGURE.split(), *with_parts]
    assert not [call for call in calls(checkout, "osteon", "bench", "render") if call.startswith(CONFIGURE)]
    assert not [call for call in calls(checkout, "osteon", "version") if call.startswith(CONFIGURE)]


def test_bench_builds_the_program_with_icet_once_it_can(checkout: Path) -> None:
    """Oracle: the program that `bench/icet.py` searches for is a target of the build only if IceT was found."""
    built = [call for call in calls(checkout, "bench", "icet") if call.endswith("osteon_bench_icet")]
    assert not built
    (checkout / "icet").touch()
    assert [call for call in calls(checkout, "bench", "icet") if call.endswith("osteon_bench_icet")]


def test_check_names_what_it_checks(checkout: Path) -> None:
    """Oracle: the words of the help. Any other word is a usage error before the build starts."""
    done = subprocess.run(
        [checkout / "run", "check", "tsan"], capture_output=True, text=True, timeout=60, check=False, cwd=checkout
    )
    assert done.returncode == 2
    assert "is not dev, asan, long or wheel" in done.stderr


def test_check_builds_what_it_tests(checkout: Path) -> None:
    """Oracle: both presets and the long tests by default. With sanitizers, the corpus of every fuzz target is
    replayed."""
    (checkout / "tests/fuzz").mkdir(parents=True)
    (checkout / "tests/fuzz/npy_fuzz.cpp").touch()
    program(checkout / "bin/ctest", 'echo "ctest $*" >>"$HERE/calls"')
    for preset in ("dev", "asan"):
        (checkout / "build" / preset).mkdir()
    started = calls(checkout, "check")
    assert [call.split()[2] for call in started if call.startswith("ctest")] == ["dev", "release", "asan"]
    assert [call for call in started if "-L ^long$" in call]
    (built,) = [call for call in started if call.startswith("cmake --build --preset asan")]
    assert {"replay_npy", "test_io", "test_bridge_wire", "osteon_damaged_files"} <= set(built.split())
    assert not [call for call in calls(checkout, "check", "asan") if "dev" in call]


def test_a_command_that_was_set_up_asks_nobody_again(checkout: Path) -> None:
    """Oracle: neither dpkg nor ninja is started until a source, a folder of sources, or the list of packages
    changes."""
    for name in ("cmake", "src/app", "bridge", "common", "studies/tests"):
        (checkout / name).mkdir(parents=True)
    for name in ("CMakeLists.txt", "CMakePresets.json", "src/app/main.cpp", "src/app/old.cpp"):
        (checkout / name).touch()

    def asked() -> str:
        calls(checkout, "osteon", "version")
        return (checkout / "asked").read_text()

    first = asked()
    assert "dpkg-query" in first and "ninja" in first
    assert asked() == ""
    time.sleep(0.05)
    old = checkout / "src/app/main.cpp"
    os.utime(old, (1, 1))  # like a copy that preserves the modification time; the status of the copy is new
    assert "ninja" in asked()
    assert asked() == ""
    time.sleep(0.05)
    (checkout / "src/app/old.cpp").unlink()
    assert "ninja" in asked()
    assert asked() == ""
    (checkout / "studies/tests/__pycache__").mkdir()  # a folder of tests, which are not part of the program
    assert asked() == ""
    (checkout / "tools/apt-packages.txt").write_text("cmake\nninja-build\n")
    assert "ninja-build" in asked()
    (checkout / "build/release/src/app/osteon").unlink()
    done = subprocess.run(
        [checkout / "run", "osteon", "version"],
        cwd=checkout,
        env=os.environ | {"PATH": f"{checkout / 'bin'}:{os.environ['PATH']}", "HERE": str(checkout)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "building osteon" in done.stderr
