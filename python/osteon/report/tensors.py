"""Sections of the report for tensors. The sections contain matrices, engineering constants, and values by direction."""

import io
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from ..results.unit_for_people import unit_for_people

# ruff: noqa: E501 (lines of HTML)
from .colours import colour_table, data_uri
from .data import JobResult
from .text import number


def _constants(h: dict) -> str:
    """Return the engineering constants. If there are no constants, return the reason."""
    if "compliance_per_MPa" not in h:
        return "<p>The stiffness tensor is singular; compliance and moduli are undefined.</p>"
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


def _matrix(order: list[str], rows: list[list[float]]) -> str:
    head = "".join(f"<th>{escape(str(name))}</th>" for name in order)
    # Rounding errors of zero entries are displayed as 0.
    largest = max((abs(float(v)) for row in rows for v in row), default=0.0)
    body = "".join(
        f"<tr><th>{escape(str(name))}</th>"
        + "".join(f'<td class="n">{number(float(v) if abs(v) > 1e-9 * largest else 0.0)}</td>' for v in row)
        + "</tr>"
        for name, row in zip(order, rows, strict=True)
    )
    return f'<table class="matrix"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'


def directional_modulus(compliance: np.ndarray, order: list[str]) -> Callable[[np.ndarray], np.ndarray]:
    """Return Young's modulus along unit vectors of x, y, z, shape (..., 3). @param compliance matrix for engineering
    shears"""
    places = [("xyz".index(name[0]), "xyz".index(name[1])) for name in order]

    def along(n: np.ndarray) -> np.ndarray:
        m = np.stack([n[..., i] * n[..., j] for i, j in places], -1)
        return 1 / np.einsum("...i,ij,...j->...", m, compliance, m)

    return along


def directional_value(tensor_zyx: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the value of a tensor along unit vectors of x, y, z. The rows and columns of the tensor have the order z,
    y, x."""
    k = tensor_zyx[::-1, ::-1]
    return lambda n: np.einsum("...i,ij,...j->...", n, k, n)


def picture_of_directions(along: Callable[[np.ndarray], np.ndarray], label: str) -> str:
    """Draw a body whose radius is the value in each direction. Also draw its outlines in the three planes of the
    axes."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize
    from matplotlib.figure import Figure

    from .chart import COLOURS, INK

    style = {name: INK for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")}
    colours = ListedColormap(colour_table("ivory") / 255)
    polar, around = np.meshgrid(np.linspace(0, np.pi, 61), np.linspace(0, 2 * np.pi, 121), indexing="ij")
    n = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], -1)
    radius = along(n)
    low, high = float(radius.min()), float(radius.max())
    with rc_context({**style, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure((8.4, 3.6), dpi=130, layout="constrained")
        body = figure.add_subplot(1, 2, 1, projection="3d")
        norm = Normalize(low, high if high > low else low + 1)
        x, y, z = (radius * n[..., i] for i in range(3))
        body.plot_surface(x, y, z, facecolors=colours(norm(radius)), rstride=1, cstride=1, shade=True, linewidth=0)
        body.set(xlim=(-high, high), ylim=(-high, high), zlim=(-high, high), xlabel="x", ylabel="y", zlabel="z")
        body.set_box_aspect((1, 1, 1))
        for axis in (body.xaxis, body.yaxis, body.zaxis):
            axis.set_ticklabels([])
            axis.set_pane_color((0, 0, 0, 0))
        figure.colorbar(ScalarMappable(norm, colours), ax=body, shrink=0.7, label=label)
        flat = figure.add_subplot(1, 2, 2, projection="polar")
        angle = np.linspace(0, 2 * np.pi, 241)
        for (a, b), colour in zip(((0, 1), (0, 2), (1, 2)), COLOURS, strict=False):
            n = np.zeros((angle.size, 3))
            n[:, a], n[:, b] = np.cos(angle), np.sin(angle)
            flat.plot(angle, along(n), color=colour, linewidth=1.6, label=f"{'xyz'[a]} (0°) to {'xyz'[b]} (90°)")
        flat.set_rlim(0, high * 1.05)
        flat.grid(color=INK, alpha=0.3)
        flat.legend(frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0.9, -0.08))
        for ground in (figure, *figure.axes):
            ground.patch.set_alpha(0)
        out = io.BytesIO()
        FigureCanvasAgg(figure).print_png(out)  # this call draws once; with a layout engine, savefig draws twice
    return data_uri(out.getvalue())


def _body(along: Callable[[np.ndarray], np.ndarray], label: str) -> str:
    uri = picture_of_directions(along, label)
    alt = f"{escape(label)} by direction: a body whose radius is the value, and its outlines in the planes of the axes"
    return f'<img class="wide" src="{uri}" alt="{alt}">'


def _stiffness(h: dict[str, Any]) -> str:
    order = [str(name) for name in h["order"]]
    picture = ""
    if "compliance_per_MPa" in h:
        compliance = np.array(h["compliance_per_MPa"], float)
        picture = _body(directional_modulus(compliance, order), "Young's modulus (MPa)")
    return (
        '<section class="card wide-table"><h2>Stiffness of the material (MPa)</h2>'
        f"{_matrix(order, h['stiffness_MPa'])}"
        "<p>Stress over strain; shear strains are engineering shears. Misfit: distance to the nearest stiffness of that "
        "symmetry over the norm of the stiffness.</p>"
        f"{picture}{_constants(h)}</section>"
    )


# Key of the tensor, keys of its principal values and directions [z, y, x], title, and title of the picture.
TENSORS = (
    ("conductivity_tensor_W_per_mK", "principal_conductivities_W_per_mK", "Conductivity", "W/(m K)"),
    ("permeability_tensor_m2", "principal_permeabilities_m2", "Permeability", "m2"),
)


def _tensor(summary: dict[str, Any], key: str, principal: str, title: str, unit: str) -> str:
    rows, unit = summary.get(key), unit_for_people(unit)
    if not rows:
        return ""
    tensor = np.array(rows, float).reshape(3, 3)
    lines = [
        f'<tr><td>Principal value {i} along ({number(d, 3)})</td><td class="n">{number(float(v))} {unit}</td></tr>'
        for i, (v, d) in enumerate(
            zip(summary.get(principal, []), summary.get("principal_directions", []), strict=False), 1
        )
    ]
    picture = ""
    if np.linalg.eigvalsh((tensor + tensor.T) / 2).min() > 0:
        picture = _body(directional_value(tensor), f"{title} ({unit})")
    return (
        f'<section class="card wide-table"><h2>{title} by direction ({unit})</h2>{_matrix(["z", "y", "x"], tensor.tolist())}'
        f"<table><tbody>{''.join(lines)}</tbody></table>{picture}</section>"
    )


def has_section(key: str) -> bool:
    """Return True if an answer is a matrix in these sections. Such an answer needs no row among the answers."""
    return any(key in (tensor, principal, "principal_directions") for tensor, principal, *_ in TENSORS)


def sections(result: JobResult) -> str:
    """Return the sections. For jobs without tensors, the text is empty."""
    h = result.summary.get("homogenisation")
    return (_stiffness(h) if h else "") + "".join(_tensor(result.summary, *t) for t in TENSORS)
