#!/usr/bin/env python3
"""Write docs/reference/job.md, the reference of a job's keys, from `osteon schema`.

    ./run osteon schema | python3 tools/job_reference.py > docs/reference/job.md

A test compares the page with the schema, so the two cannot drift apart.
"""

import json
import sys

HEAD = """# Keys of a job file

A job is a TOML file. Lists are in the order z, y, x; key names include the unit. `tools/job_reference.py` generates this
page from `osteon schema`. `osteon check job.toml` reports all errors of a job and its image, and doubtful values.
"""


def kind(entry: dict) -> str:
    names = entry["type"] if isinstance(entry["type"], list) else [entry["type"]]
    return " or ".join({"array": "list", "boolean": "true/false", "string": "text"}.get(n, n) for n in names)


def shown(value: object) -> str:
    return f"`{json.dumps(value)}`"


def table(properties: dict, nested: bool = False) -> str:
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for key, entry in properties.items():
        if entry["type"] == "object" or (entry["type"] == "array" and entry["items"].get("type") == "object"):
            if nested:
                rows.append(f"| `{key}` | tables |  | {entry['description']} Keys as in `[[{key}]]`. |")
            continue
        default = shown(entry["default"]) if "default" in entry else ""
        meaning = entry["description"].replace("<", "&lt;")
        if "enum" in entry:
            meaning += " One of " + ", ".join(f"`{choice}`" for choice in entry["enum"]) + "."
        if "enum" in entry.get("items", {}):
            meaning += " Any of " + ", ".join(f"`{choice}`" for choice in entry["items"]["enum"]) + "."
        rows.append(f"| `{key}` | {kind(entry)} | {default} | {meaning} |")
    return "\n".join(rows)


def reference(schema: dict) -> str:
    parts = [HEAD, table(schema["properties"])]
    for name, entry in schema["properties"].items():
        if entry["type"] == "object":
            parts.append(f"\n## [{name}]\n{entry['description']}\n\n{table(entry['properties'])}")
            for inner, item in entry["properties"].items():  # lists of tables in a table: [[image.step]]
                if item["type"] == "array" and item["items"].get("type") == "object":
                    parts.append(
                        f"\n## [[{name}.{inner}]]\n{item['description']}\n\n{table(item['items']['properties'])}"
                    )
        elif entry["type"] == "array" and entry["items"].get("type") == "object":
            parts.append(
                f"\n## [[{name}]]\n{entry['description']}\n\n{table(entry['items']['properties'], nested=True)}"
            )
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference(json.load(sys.stdin)))
