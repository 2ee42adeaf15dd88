"""The stiffness of a block of material, as a section of the report."""

from html import escape

# ruff: noqa: E501 (lines of HTML)
from .report_data import JobResult
from .report_text import number


def _constants(h: dict) -> str:
    """Engineering constants, or a line that says why there are none."""
    if "compliance_per_MPa" not in h:
        return "<p>Some strain meets no resistance, so there are no moduli.</p>"
    young, shear, ratio = h["youngs_modulus_MPa"], h["shear_modulus_MPa"], h["poisson_ratio"]
    rows = [
        *((f"Young's modulus {axis}", f"{number(v)} MPa") for axis, v in young.items()),
        *((f"Shear modulus {plane}", f"{number(v)} MPa") for plane, v in shear.items()),
        *((f"Poisson's ratio {i}{j}", number(ratio[i + j])) for i, j in ("xy", "yz", "xz")),
        ("Nearest isotropic: Young's modulus", f"{number(h['isotropic']['youngs_modulus_MPa'])} MPa"),
        ("Nearest isotropic: Poisson's ratio", number(h["isotropic"]["poisson_ratio"])),
        ("Nearest isotropic: misfit", f"{number(100 * h['isotropic_misfit'], 3)} %"),
        ("Universal anisotropy, 0 if isotropic", number(h["universal_anisotropy"])),
        ("Zener ratio, 1 if isotropic", f"{number(h['zener_ratio'])} (misfit {number(100 * h['cubic_misfit'], 3)} %)"),
        ("Misfit of orthotropy along the axes", f"{number(100 * h['orthotropic_misfit'], 3)} %"),
    ]
    if frame := h.get("orthotropic_frame"):
        rows.append(("Best orthotropic axes 1, 2, 3: misfit", f"{number(100 * frame['misfit'], 3)} %"))
        for (axis, modulus), direction in zip(frame["youngs_modulus_MPa"].items(), frame["axes_xyz"], strict=True):
            rows.append((f"Young's modulus along {axis} ({number(direction, 3)})", f"{number(modulus)} MPa"))
    return (
        "<table><tbody>"
        + "".join(f'<tr><td>{escape(k)}</td><td class="n">{v}</td></tr>' for k, v in rows)
        + "</tbody></table>"
    )


def section(result: JobResult) -> str:
    """The matrix and the constants; nothing for other jobs."""
    h = result.summary.get("homogenisation")
    if not h:
        return ""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in h["order"])
    body = "".join(
        f"<tr><th>{escape(str(name))}</th>" + "".join(f'<td class="n">{number(v)}</td>' for v in row) + "</tr>"
        for name, row in zip(h["order"], h["stiffness_MPa"], strict=True)
    )
    return (
        '<section class="card"><h2>Stiffness of the material (MPa)</h2>'
        f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
        "<p>Stress over strain; shear strains are engineering shears. Misfit: distance to the nearest stiffness of that "
        "symmetry over the norm of the stiffness.</p>"
        f"{_constants(h)}</section>"
    )
