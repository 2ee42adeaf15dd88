#!/usr/bin/env python3
"""Write docs/reference/job.md from `osteon schema`. The page is the reference of the keys of a job.

    ./run osteon schema | python3 tools/job_reference.py > docs/reference/job.md

A test compares the page with the schema.
"""

import json
import posixpath
import re
import sys

HEAD = """# Keys of a job file

A job is a TOML file. Lists are in the order z, y, x; key names include the unit. `tools/job_reference.py` generates
this page from `osteon schema`. `osteon check job.toml` reports all errors of a job and its image, and doubtful values.
"""


def kind(entry: dict) -> str:
    names = entry["type"] if isinstance(entry["type"], list) else [entry["type"]]
    return " or ".join({"array": "list", "boolean": "true/false", "string": "text"}.get(n, n) for n in names)


def shown(value: object) -> str:
    return f"`{json.dumps(value)}`"


def linked(text: str) -> str:
    """Text with links to the pages that it names."""
    text = text.replace("<", "&lt;")
    return re.sub(
        r"docs/([\w/]+\.md)(#[\w-]+)?",
        lambda found: f"[{found[1]}]({posixpath.relpath(found[1], 'reference')}{found[2] or ''})",
        text,
    )


def values_of(entry: dict) -> tuple[str, list[tuple[str, str]]]:
    """Return the description without the descriptions of the values of a closed set, and the description of each
    value."""
    text = entry["description"]
    choices = "|".join(re.escape(choice) for choice in entry.get("enum", entry.get("items", {}).get("enum", [])))
    parts = re.split(rf"(?:(?<=[.;] )|^)((?:{choices})): ", text) if choices else [text]
    if len(parts) < 7:
        return text, []
    last, _, rest = parts[-1].partition(". ")
    parts[-1] = last.rstrip(".") + "."
    return f"{parts[0]}{rest}".strip(), [
        (name, meaning.strip().rstrip(".;") + ".") for name, meaning in zip(parts[1::2], parts[2::2], strict=True)
    ]


def tables_of_values(name: str, properties: dict) -> str:
    """A table for each key of a closed set whose values have a description."""
    text = ""
    for key, entry in properties.items():
        _, values = values_of(entry)
        if values:
            level = "###" if name else "##"
            text += f"\n\n{level} Values of {f'{name}.{key}'.strip('.')}\n| value | meaning |\n|---|---|\n"
            text += "\n".join(f"| `{value}` | {linked(meaning)} |" for value, meaning in values)
    return text


def anchor(name: str, key: str) -> str:
    return re.sub(r"[^\w-]", "", f"values-of-{name}{key}")


def table(name: str, properties: dict, nested: bool = False) -> str:
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for key, entry in properties.items():
        if entry["type"] == "object" or (entry["type"] == "array" and entry["items"].get("type") == "object"):
            if nested:
                rows.append(f"| `{key}` | tables |  | {entry['description']} Keys as in `[[{key}]]`. |")
            continue
        default = shown(entry["default"]) if "default" in entry else ""
        text, values = values_of(entry)
        meaning = linked(text)
        if values:
            meaning = f"{meaning} See [values](#{anchor(name, key)}).".strip()
        elif "enum" in entry:
            meaning += " One of " + ", ".join(f"`{choice}`" for choice in entry["enum"]) + "."
        if "enum" in entry.get("items", {}) and not values:
            meaning += " Any of " + ", ".join(f"`{choice}`" for choice in entry["items"]["enum"]) + "."
        rows.append(f"| `{key}` | {kind(entry)} | {default} | {meaning} |")
    return "\n".join(rows)


def section(name: str, entry: dict, properties: dict, nested: bool = False) -> str:
    plain = name.strip("[]")
    heading = f"\n## {name}\n{linked(entry['description'])}\n\n"
    return heading + table(plain, properties, nested) + tables_of_values(plain, properties)


def reference(schema: dict) -> str:
    parts = [HEAD, table("", schema["properties"]) + tables_of_values("", schema["properties"])]
    for name, entry in schema["properties"].items():
        if entry["type"] == "object":
            parts.append(section(f"[{name}]", entry, entry["properties"]))
            for inner, item in entry["properties"].items():  # lists of tables in a table: [[image.step]]
                if item["type"] == "array" and item["items"].get("type") == "object":
                    parts.append(section(f"[[{name}.{inner}]]", item, item["items"]["properties"]))
        elif entry["type"] == "array" and entry["items"].get("type") == "object":
            parts.append(section(f"[[{name}]]", entry, entry["items"]["properties"], nested=True))
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference(json.load(sys.stdin)))
