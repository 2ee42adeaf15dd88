"""Shell completion and the manual page, both generated from the command line definition."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from whole_job import BINARY, osteon


def script(shell: str) -> str:
    done = osteon("completion", shell)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(*command: str, text: str | None = None, **more: object) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False, **more)
    assert done.returncode == 0, done.stderr[-2000:]
    assert not done.stderr.strip(), done.stderr[-2000:]
    return done.stdout


def bash(words: list[str], folder: Path) -> list[str]:
    """Return the completions of bash for the last word."""
    (folder / "osteon.bash").write_text(script("bash"))
    quoted = " ".join(f"'{w}'" for w in words)
    return run(
        "bash",
        "--norc",
        "-c",
        f"source osteon.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _osteon; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        cwd=folder,
    ).split()


def test_bash_completes_commands_options_values_and_files(tmp_path: Path) -> None:
    """Oracle: the names printed by `--help`, and a file in the folder."""
    (tmp_path / "femur.toml").write_text("")
    assert {"report", "resume", "relay", "render", "run"} <= set(bash(["osteon", "r"], tmp_path))
    assert bash(["osteon", "net", "conf"], tmp_path) == ["conflicts"]
    for option in bash(["osteon", "render", "--"], tmp_path):
        assert option in osteon("render", "--help").stdout
    assert bash(["osteon", "run", "fem"], tmp_path) == ["femur.toml"]
    assert bash(["osteon", "run", "--json", "fem"], tmp_path) == ["femur.toml"]
    assert bash(["osteon", "completion", "z"], tmp_path) == ["zsh"]


def test_fish_completes_commands_and_options(tmp_path: Path) -> None:
    """Oracle: the names printed by `--help`."""
    (tmp_path / "osteon.fish").write_text(script("fish"))

    def offered(line: str) -> list[str]:
        text = run("fish", "--no-config", "-c", f"source osteon.fish; complete -C '{line}'", cwd=tmp_path)
        return [entry.split("\t")[0] for entry in text.splitlines()]

    assert {"report", "resume", "render", "run"} <= set(offered("osteon r"))
    assert offered("osteon net conf") == ["conflicts"]
    assert "--json" in offered("osteon version --js")
    assert "zsh" in offered("osteon completion z")
    assert "run" not in offered("osteon version r")


def test_zsh_takes_the_functions(tmp_path: Path) -> None:
    """Oracle: the parser of zsh. There is one function for each command without subcommands."""
    (tmp_path / "_osteon").write_text(script("zsh"))
    run("zsh", "--no-rcs", "-n", str(tmp_path / "_osteon"))
    text = (tmp_path / "_osteon").read_text()
    assert text.startswith("#compdef osteon\n")
    for function in ("_osteon", "_osteon_run", "_osteon_net_conflicts", "_osteon_plan_draw"):
        assert f"\n{function}() {{" in text


def test_manual_page_has_every_command_and_no_fault() -> None:
    """Oracle: the warnings of man, and the commands that the completion knows."""
    page = osteon("manual").stdout
    assert page.startswith(".TH OSTEON 1")
    shown = run(
        "man", "--warnings", "-l", "-", text=page, env={"MANWIDTH": "120", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    )
    for name in ("osteon run", "osteon render", "osteon net conflicts", "osteon bench exchange"):
        assert name in shown
    assert "--output" in shown  # the hyphens can be copied


def test_version_is_one_line() -> None:
    """Oracle: the output of `osteon version`."""
    done = osteon("--version")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [osteon("version").stdout.splitlines()[0]]


@pytest.mark.skipif(not BINARY.exists(), reason=f"{BINARY} is not built")
def test_unknown_shell_is_refused() -> None:
    """Oracle: exit codes."""
    assert osteon("completion", "tcsh").returncode == 2
