"""Settings of the site. Its source folder is the repository, so that links between pages and code work in both.

    ./run docs        builds build/docs

Pages are plain Markdown that reads well in the repository. docs/index.md contains the page tree.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

project = "osteon"
author = "the authors of osteon"
copyright = "the authors of osteon, Apache-2.0"
version = release = re.search(r"project\(osteon\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**.md",
    "src/osteon/README.md",
    "bridge/README.md",
    "bridge/docs/**.md",
    "studies/**/README.md",
    "studies/README.md",
    "tests/fuzz/README.md",
    "packaging/README.md",
    "packaging/wheel/README.md",
    "examples/notebooks/*.ipynb",
]
# Folders without pages.
exclude_patterns = ["build", ".venv*", ".cache", ".ci", ".git", ".pytest_cache", ".ruff_cache", "**/*.out"]

# Markdown: headings down to the fourth level are targets of links; dead links are errors.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nitpicky = True
# Types of other packages: their inventories need a network, and the site is built without one.
nitpick_ignore_regex = [
    ("py:.*", r"(numpy|np|xarray|xr|pyvista|pv|matplotlib|pathlib|collections|os|typing|Image|Spacing|Any)\b.*"),
    (
        "py:class",
        r"(Path|Mapping|Listener|ArrayLike|optional|StoredFields|str to numpy.*|osteon\.(progress|result)\..*)",
    ),
]

# Notebooks run if the program is built; build/ caches the results until a notebook changes.
nb_execution_mode = "cache" if os.environ.get("OSTEON_BINARY") else "off"
nb_execution_cache_path = str(ROOT / "build" / "notebooks")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
suppress_warnings = ["mystnb.unknown_mime_type"]

autodoc_typehints = "none"  # numpydoc sections state types that are not obvious
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

pygments_style = "friendly"
pygments_dark_style = "monokai"
highlight_language = "text"
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"osteon {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#8a3b12", "color-brand-content": "#8a3b12"},
    "dark_css_variables": {"color-brand-primary": "#ffb27a", "color-brand-content": "#ffb27a"},
}


def oracles_page(app) -> None:
    """Write the page of all oracles, which is generated from the tests and not kept in the repository."""
    made = subprocess.run(
        [sys.executable, ROOT / "tools/oracles.py"], capture_output=True, text=True, check=True
    ).stdout
    (ROOT / "docs/oracles.md").unlink(missing_ok=True)  # of earlier versions
    page = ROOT / "docs/developers/oracles.md"
    if not page.exists() or page.read_text(encoding="utf-8") != made:
        page.write_text(made, encoding="utf-8")


def front_page(app, exception) -> None:
    """Redirect from the top of the site to docs/index.html: the pages have the folders of their sources."""
    if exception is None and app.builder.name == "html":
        there = '<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=docs/index.html">'
        (Path(app.outdir) / "index.html").write_text(f'{there}<a href="docs/index.html">osteon</a>\n')


def break_long_names(app, page_name, template_name, context, doctree) -> None:
    """Allow line breaks after dots, slashes and underscores of names in code, so that columns of tables stay narrow."""
    context["body"] = re.sub(
        r'(?<=<span class="pre">)[^<]+',
        lambda name: re.sub(r"(?<=\w[./_])(?=\w)", "<wbr>", name[0]),
        context.get("body", ""),
    )


def setup(app) -> None:
    app.connect("html-page-context", break_long_names)
    app.connect("builder-inited", oracles_page)
    app.connect("build-finished", front_page)
