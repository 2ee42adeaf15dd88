#!/usr/bin/env python3
"""Write docs/reference/answers.md, the answers of each physics, from `osteon schema --answers`.

    ./run osteon schema --answers | python3 tools/answers_reference.py > docs/reference/answers.md

A test compares the page with the program, so the two cannot drift apart.
"""

import json
import sys

HEAD = """# Answers

What a job is run for: the numbers of `summary.json`, as the table on the terminal (T) and the report (R) show them.
This page is made from `osteon schema --answers`. The list `answers` of a summary has key, title, unit and meaning of
those that the job has and the report shows; the other keys are in format.md.

In a key, dots join the keys of nested objects, a number is a place in a list, `*` stands for each member of an object
and `@` for the component of a list z, y, x along the load. With `[[case]]` the keys are those of each of `cases`.
`effect_of_connectivity` names answers by the same keys (run.md, "What hangs by edges and corners").
"""
TABLE = "| key | answer | unit | shown | meaning |\n|---|---|---|---|---|\n"


def page(all_answers: dict) -> str:
    parts = [HEAD]
    for name, physics in all_answers.items():
        parts.append(f"\n## {name}\nFinds {physics['meaning']}.\n\n{TABLE}")
        for a in physics["answers"]:
            shown = ", ".join(letter for letter, is_in in (("T", a["in_table"]), ("R", a["in_report"])) if is_in)
            parts.append(f"| `{a['key']}` | {a['title']} | {a['unit']} | {shown} | {a['meaning']} |\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)))
