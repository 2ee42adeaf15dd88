"""The JSON documents of the commands of the studies match the schemas in the `schemas` folder of each study."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from whole_job import osteon

STUDIES = Path(__file__).resolve().parents[1]
SCHEMAS = {path.stem: path for path in STUDIES.glob("*/schemas/*.json")}
COMMANDS = [
    ("bench.is", "bench is --class S -n 2"),
    ("bench.is", "bench is --class S -n 1 --digits 6,5"),
    ("bench.ft", "bench ft --class S -n 1,2"),
    ("bench.ft", "bench ft --class S -n 2 --method transposition"),
    ("bench.predict", "bench predict --class S"),
    ("bench.predict", "bench predict --class S --network hxb --broadcast crossbars --scheme transposition,fixed"),
    ("net.adaptive", "net adaptive --network hxb:4x4x4 --plan transposition"),
    ("net.broadcast", "net broadcast --network hxb:4x4x4"),
    ("net.paper.hypercrossbar", "net paper hypercrossbar"),
    ("net.paper.compositing", "net paper compositing"),
    ("net.paper.messages", "net paper messages -n 64"),
    ("bench.composite", "bench composite -n 2 --width 16 --height 16 --seconds 0.01 -w auto -w fragments"),
    ("bench.composite", "bench composite -n 2 --width 16 --height 16 --seconds 0.01 --as-threads"),
    ("bench.poisson", "bench poisson -n 2 --scale 0.03 --seconds 0.01"),
    ("bench.weak-scaling", "bench weak-scaling --case 2 --cores 512"),
]


def test_every_schema_has_a_command() -> None:
    assert {name for name, _ in COMMANDS} == set(SCHEMAS)


@pytest.mark.parametrize(("name", "words"), COMMANDS, ids=[words for _, words in COMMANDS])
def test_an_answer_follows_its_schema(name: str, words: str) -> None:
    done = osteon(*words.split(), "--json", "-")
    assert done.returncode == 0, done.stderr
    schema = json.loads(SCHEMAS[name].read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(done.stdout))


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_refuses_other_keys_and_says_what_each_key_means(name: str) -> None:
    schema = json.loads(SCHEMAS[name].read_text())
    jsonschema.Draft202012Validator.check_schema(schema)

    def look_at(part: dict) -> None:
        for key, what in part.get("properties", {}).items():
            assert key == "schema" or what["description"], key
            look_at(what.get("items", what))
        if "properties" in part:
            assert part["additionalProperties"] is False

    look_at(schema)
