"""Frame of a page about several jobs. The frame contains the styles of a report, and a content policy. The policy
allows only the script of the page."""

# ruff: noqa: E501 (lines of HTML)

import base64
import hashlib
from html import escape
from pathlib import Path

from .text import number

# Names and numbers are not wrapped. A wide table scrolls inside its frame.
STYLE = """.wide-table td,.wide-table th{overflow-wrap:break-word}.wide-table td:first-child{min-width:8rem}
td.n,th.n{text-align:right}
"""
_TEMPLATE = Path(__file__).with_name("template.html")


def frame(title: str, body: str, made_by: str, script: str = "", more_style: str = "") -> str:
    """Return a self-contained page.

    External texts in `body` must already be escaped. @param made_by name of the command
    """
    style = _TEMPLATE.read_text(encoding="utf-8").partition("<style>")[2].partition("</style>")[0]
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{own}'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta name="generator" content="{escape(made_by)}">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title>\n<style>{style}{STYLE}{more_style}</style></head><body><main>\n{body}\n</main>"
        f"<script>{script}</script></body></html>\n"
    )


def table(head: list[str], rows: list[list[str]], name: str = "") -> str:
    """Return a table of texts. The function escapes the texts. The first column is left-aligned, and the other columns
    contain numbers."""
    if not rows:
        return ""
    top = "".join(f"<th{' class=n' if n else ''}>{escape(cell)}</th>" for n, cell in enumerate(head))
    lines = "".join(
        "<tr>" + "".join(f"<td{' class=n' if n else ''}>{escape(c)}</td>" for n, c in enumerate(row)) + "</tr>"
        for row in rows
    )
    title = f"<h2>{escape(name)}</h2>" if name else ""
    return f'<section class="card wide-table">{title}<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></section>'


def format_value(value: object, unit: str = "") -> str:
    """Format the value of an answer with its unit for display."""
    if value is None:
        return "∞"  # in JSON, the value is null
    if isinstance(value, str):
        return value
    text = number(value)
    return f"{text} {unit}" if unit not in ("", "1") and not isinstance(value, bool) else text
