#!/usr/bin/env python3
"""Write docs/reference/answers.md from `osteon schema --answers`. The page contains the answers of each physics.

    ./run osteon schema --answers | python3 tools/answers_reference.py > docs/reference/answers.md

A test compares the page with the program.
"""

import json
import sys

HEAD = """# Answers

Answers are the results of a job in `summary.json`, on the terminal (T) and in the report (R).
`tools/answers_reference.py` generates this page from `osteon schema --answers`. The list `answers` of a summary has
key, title, unit and meaning of those that the job has and the report shows; [format](format.md) lists the other keys.

In a key, dots join the keys of nested objects, a number is an index into a list, `*` is each member of an object and
`@` the component of a list z, y, x along the load. In a job with `[[case]]`, each member of `cases` has these keys.
`effect_of_connectivity` uses the same keys ([run](run.md#voxels-connected-by-edges-and-corners)).
"""
TABLE = "| key | answer | unit | shown | meaning |\n|---|---|---|---|---|\n"


def page(all_answers: dict) -> str:
    parts = [HEAD]
    for name, physics in all_answers.items():
        parts.append(f"\n## {name}\n{physics['meaning'][0].upper()}{physics['meaning'][1:]}.\n\n{TABLE}")
        for a in physics["answers"]:
            shown = ", ".join(letter for letter, is_in in (("T", a["in_table"]), ("R", a["in_report"])) if is_in)
            parts.append(f"| `{a['key']}` | {a['title']} | {a['unit']} | {shown} | {a['meaning']} |\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)))
