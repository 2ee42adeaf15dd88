"""Texts and numbers of the report in the sections answers, verification, model and run."""

import math
from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

from ..results.unit_for_people import in_micrometres, unit_for_people
from .data import JobResult


class Answer(NamedTuple):
    key: str  # dotted path in summary.json
    title: str
    unit: str
    meaning: str


# Keys that every summary.json has, and keys that have a section of their own.
NO_ANSWERS = {
    "schema",
    "job",
    "physics",
    "status",
    "elements",
    "dofs",
    "ranks",
    "threads",
    "decomposition",
    "imbalance",
    "iterations",
    "relative_residual",
    "setup_seconds",
    "solve_seconds",
    "cpu_seconds",
    "peak_rss_bytes",
    "certificate",
    "residual_history",
    "image",
    "segmentation",
    "materials",
    "shown",
    "stages",
    "solver",
    "files",
    "io",
    "answers",
    "cases",
    "load",
    "supports",
    "forces",
    "by_material",
    "history",
    "curve",
    "failure",
    "failure_proof",
    "ended",
    "uncertainty",
    "morphometry",
}


def reported_answers(summary: dict[str, Any]) -> list[Answer]:
    """Return the answers that the program lists. Summaries of earlier versions have no list. In this case, the keys are
    the titles."""
    if "answers" not in summary:
        return [Answer(key, key, "", "") for key in _bare_keys(summary)]
    return [
        Answer(str(a["key"]), _as_beginning(str(a["title"])), unit_for_people(str(a["unit"])), str(a["meaning"]))
        for a in summary["answers"]
    ]


def _as_beginning(title: str) -> str:
    return title[:1].upper() + title[1:]


def _bare_keys(summary: dict[str, Any]) -> list[str]:
    keys: dict[str, None] = {}
    for tree in (summary, *summary.get("cases", [])):
        for key, value in tree.items():
            if key in NO_ANSWERS or key == "name" or key.endswith("_certificate"):
                continue
            if isinstance(value, dict):
                keys.update((f"{key}.{name}", None) for name, v in value.items() if _is_number(v))
            elif value is None or _is_number(value):
                keys[key] = None
    return list(keys)


def _is_number(value: Any) -> bool:
    return all(map(_is_number, value)) if isinstance(value, list) else isinstance(value, (int, float))


TESTS = {
    "axial_bonded": "Axial test, bonded faces",
    "uniaxial": "Axial test without friction",
    "confined": "Confined test",
    "shear": "Shear test, bonded faces",
    "pure_shear": "Pure shear",
    "bending": "Bending",
    "torsion": "Torsion",
    "custom": "Prescribed supports and forces",
}


def describe_test(summary: dict[str, Any]) -> str:
    """Return a description of the test. For several load cases, the text contains descriptions of the first cases."""
    load = summary.get("load", {})
    if "words" in load:
        return str(load["words"])
    if load.get("test") in OTHER_TESTS:
        return OTHER_TESTS[load["test"]](load)
    if "reference_K" in load:
        return _warm_test(load)
    text = TESTS.get(load.get("test", "axial_bonded"), str(load.get("test")))
    if load.get("test") != "custom":
        text += f" along {load.get('axis', '?')}"
    if "strain" in load:
        text += f", {number(100 * float(load['strain']))} % strain"
    if "angle_deg" in load:
        text += f", {number(load['angle_deg'])}°"
    if cases := summary.get("cases"):
        text = "; ".join(f"{case['name']}: {describe_test({'load': case.get('load', {})})}" for case in cases[:4])
        text = f"{len(cases)} load cases: {text}" + ("; ..." if len(cases) > 4 else "")
    return text


def _temperatures(load: dict[str, Any]) -> str:
    return f"{number(load.get('low_K', '?'))} K to {number(load.get('high_K', '?'))} K"


def _heat_transfer(load: dict[str, Any]) -> str:
    faces = (f"{b['kind']} on {b['face']}" for b in load.get("boundary", []))
    return "Heat transfer: " + (", ".join(faces) or "insulated")


def _warm_test(load: dict[str, Any]) -> str:
    held = "free to expand" if load.get("test") == "free_expansion" else "between bonded plates"
    warm = f"{_temperatures(load)} along {load.get('axis', '?')}" if "low_K" in load else "Temperatures of a flow"
    text = f"{warm}, {held}"
    text += f", free of stress at {number(load['reference_K'])} K"
    if load.get("strain"):
        text += f", {number(100 * float(load['strain']))} % strain"
    return text


OTHER_TESTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "conduction": lambda load: f"Heat conduction along {load.get('axis', '?')}, {_temperatures(load)}",
    "heat_transfer": _heat_transfer,
    "conductivity_tensor": lambda load: (
        f"Conductivity in all directions, {load.get('boundary_condition', load.get('surroundings', 'periodic'))} "
        "boundary condition"
    ),
    "homogenise": lambda _: (
        "Stiffness of the material, every outer face moved with the mean strain; fields: 1 % along z"
    ),
}


def look_up(tree: dict[str, Any], dotted: str) -> Any:
    value: Any = tree
    for key in dotted.split("."):
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def number(value: Any, digits: int = 4) -> str:
    """Format a value for display. The text has 4 digits, thin spaces between thousands, and powers of ten."""
    if value is None:
        return "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(number(v, digits) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f")
    if not isinstance(value, float):
        return escape(str(value))  # if a text replaces the number, the text is inserted unchanged
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa}\u00b710" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    if abs(value) >= 10**digits:
        return f"{value:,.0f}".replace(",", "\u202f")
    return f"{value:.{digits}g}"


def answers(result: JobResult) -> list[tuple[Answer, str]]:
    rows = []
    for answer, text in _answers_in(result.summary, reported_answers(result.summary)):
        value, unit = in_micrometres(look_up(result.summary, answer.key), answer.unit)
        rows.append((answer, text) if unit == answer.unit else (answer._replace(unit=unit), number(value)))
    return rows


def _answers_in(tree: dict[str, Any], reported: list[Answer]) -> list[tuple[Answer, str]]:
    rows = ((a, look_up(tree, a.key)) for a in reported)
    # The tortuosity is infinite if there is no conducting path. In JSON, this value is null.
    return [(a, number(v) if v is not None else "∞") for a, v in rows if v is not None or tree.get(a.key, "") is None]


def answers_by_case(result: JobResult) -> list[tuple[Answer, list[str]]]:
    """For each answer of a load case, return the values of all cases in their order. Missing values are represented by
    "-"."""
    reported = reported_answers(result.summary)
    cases = [dict(_answers_in(case, reported)) for case in result.summary.get("cases", [])]
    return [(a, [case.get(a, "-") for case in cases]) for a in reported if any(a in case for case in cases)]


def custom_keys(result: JobResult) -> list[tuple[str, str, str]]:
    """Return the key figures of supports and forces. Such loads have no single stiffness."""
    s = result.summary
    if not _is_custom(result) or any(key.startswith("stiffness") for key in s):
        return []
    keys: list[tuple[str, str, str]] = []
    if applied := sum(math.hypot(*f["force_N"]) for f in s.get("forces", [])):
        keys.append(("Applied forces (sum of magnitudes)", number(applied), "N"))
    for path, title, unit in (
        ("largest_displacement_mm", "Largest displacement", "mm"),
        ("von_mises_MPa.p98", "von Mises stress, 98th percentile", "MPa"),
        ("effective_strain.p98", "Effective strain, 98th percentile", ""),
        ("pistoia.factor", "Failure factor (Pistoia)", ""),
    ):
        value = look_up(s, path)
        if value is not None:
            keys.append((title, number(value), unit))
    return keys[:4]


def supports_and_forces(result: JobResult) -> list[list[str]]:
    """Return a table with its head. The table contains the reactions of supports, and applied forces. Without supports
    and forces, the table is empty."""
    cases = result.summary.get("cases") or [result.summary]
    rows = []
    for case in cases:
        name = str(case.get("name", ""))
        for s in case.get("supports", []):
            held = f"fixed along {', '.join(s.get('held', ''))}" if s.get("held") else ""
            rows.append([name, str(s["on"]), held, _z_y_x(s["reaction_N"]), _z_y_x(s["moment_N_mm"]), ""])
        for f in case.get("forces", []):
            moved = number(f["displacement_mm"]) if "displacement_mm" in f else ""
            rows.append([name, str(f["on"]), "loaded", _z_y_x(f["force_N"]), "", moved])
    if not rows:
        return []
    head = ["load case", "set", "", "force z, y, x (N)", "moment z, y, x (N mm)", "displacement along the force (mm)"]
    unused = [n for n in range(len(head)) if not any(row[n] for row in rows)]
    return [[cell for n, cell in enumerate(row) if n not in unused] for row in [head, *rows]]


def _z_y_x(values: list[float]) -> str:
    """Format three components. Rounding errors of zero components are displayed as 0."""
    largest = max((abs(float(v)) for v in values), default=0.0)
    return "; ".join(number(float(v) if abs(v) > 1e-6 * largest else 0.0) for v in values)


SHAPE = (
    ("BV_TV", "BV/TV, volume fraction of the {phase}", ""),
    ("TV_mm3", "TV, total volume of the image", "mm³"),
    ("BS_mm2", "BS, surface area", "mm²"),
    ("BS_BV_per_mm", "BS/BV, specific surface area", "1/mm"),
    ("Tb_Th_mm", "Tb.Th, mean thickness by inscribed spheres", "mm"),
    ("Tb_Sp_mm", "Tb.Sp, mean separation by inscribed spheres", "mm"),
    ("Tb_N_per_mm", "Tb.N, 1/(Tb.Th + Tb.Sp)", "1/mm"),
    ("Conn_D_per_mm3", "Conn.D, (1 - Euler number)/TV", "1/mm³"),
    ("inner_Conn_D_per_mm3", "Conn.D, for a sample of a larger structure", "1/mm³"),
    ("throats.diameter_mm", "throat diameter, largest entering sphere", "mm"),
    ("throats.accessible_share", "accessible pore fraction", ""),
    ("throats.critical_diameter_mm.z", "critical diameter, largest sphere along z", "mm"),
    ("throats.critical_diameter_mm.y", "critical diameter, largest sphere along y", "mm"),
    ("throats.critical_diameter_mm.x", "critical diameter, largest sphere along x", "mm"),
    ("fabric.DA", "DA, longest over shortest mean intercept length", ""),
    ("fabric.DA_0_to_1", "DA, normalised to the range 0 to 1", ""),
)

PARTS = (  # measures of a compartment
    ("TV_mm3", "TV", "mm³"),
    ("BV_TV", "BV/TV", ""),
    ("Tb_Th_mm", "Tb.Th", "mm"),
    ("Tb_Sp_mm", "Tb.Sp", "mm"),
    ("Tb_N_per_mm", "Tb.N", "1/mm"),
    ("Ct_Th_mm", "Ct.Th, including pores", "mm"),
    ("Ct_Po", "Ct.Po, cortical porosity", ""),
    ("vBMD", "vBMD, mean density", ""),
)


def shape(result: JobResult) -> list[list[str]]:
    """Return the measures of the shape of the solid. The result is a head, and a row for each measure."""
    reported = result.summary.get("morphometry")
    if not reported:
        return []
    rows = [["measure", "value", "standard deviation", "median", "largest", ""]]
    for key, title, unit in SHAPE:
        if key.startswith("throats.") and "throats" not in reported:
            continue
        value = look_up(reported, key)
        rows.append([title.format(phase=reported.get("phase", "solid")), *_spread(value, unit)])
    for name, part in reported.get("compartments", {}).items():
        rows += _compartment(name, part)
    return rows


def _spread(value: Any, unit: str) -> list[str]:
    """Return mean, standard deviation, median, largest value and unit. For a single number, return the number and its
    unit."""
    if not isinstance(value, dict):
        shown, unit = in_micrometres(value, unit)
        return [number(shown), "", "", "", unit]
    _, shown_unit = in_micrometres(float(value["mean"]), unit)
    scale = 1 if shown_unit == unit else 1000
    return [*(number(scale * value[key]) for key in ("mean", "sd", "median", "max")), shown_unit]


def _compartment(name: str, part: dict[str, Any]) -> list[list[str]]:
    rows = []
    for key, title, unit in PARTS:
        value = part.get(key)
        if value is None:
            continue
        rows.append([f"{name}: {title}", *_spread(value, part.get("vBMD_unit", "") if key == "vBMD" else unit)])
    return rows


CAUSES = (("threshold", "threshold"), ("voxel_size", "voxel size"), ("noise", "noise"))


def uncertainty(result: JobResult) -> list[list[str]]:
    """Return the uncertainties of the answers. The result is a head, and a row for each answer."""
    reported = result.summary.get("uncertainty", {})
    shown = [a for a in reported.get("answers", []) if a.get("in_table")]
    if not shown:
        return []
    causes = [(key, label) for key, label in CAUSES if any(key in a for a in shown)]
    has_order = any("order" in a for a in shown)
    more = ["extrapolated to voxel size 0", "order"] if has_order else []
    rows = [["answer", "value", *(f"± {label}" for _, label in causes), "± all", "interval (k = 2)", *more, ""]]
    for a in shown:
        title = f"{a['title']}, case {a['case']}" if a.get("case") else str(a["title"])
        differences = ["unknown" if a.get(key) is None else number(a[key], 2) for key, _ in causes]
        # results of earlier versions do not contain this value
        interval = f"{number(a['low'], 3)} to {number(a['high'], 3)}" if "low" in a else "-"
        cells = [_as_beginning(title), number(a["value"]), *differences, number(a["total"], 2), interval]
        if has_order:
            cells += [
                "-" if a.get(key) is None else number(a[key], d) for key, d in (("extrapolated", 4), ("order", 2))
            ]
        rows.append([*cells, unit_for_people(str(a["unit"]))])
    return rows


def by_material(result: JobResult) -> list[list[str]]:
    """Return a table with its head. With only one material, the table is empty."""
    entries = result.summary.get("by_material", [])
    if len(entries) < 2:
        return []
    quantities = {
        "sed_MPa": "SED (MPa)",
        "effective_strain": "effective strain",
        "von_mises_MPa": "von Mises stress (MPa)",
    }
    numbers = {"mean": "mean", "median": "median", "p95": "95 %", "p98": "98 %", "max": "max"}
    rows = [["material", "voxels", "volume (mm³)", "quantity", *numbers.values()]]
    for entry in entries:
        name = [str(entry["name"]), number(entry["voxels"]), number(entry["volume_mm3"])]
        for key, title in quantities.items():
            rows.append([*name, title, *(number(entry[key][n]) for n in numbers)])
            name = ["", "", ""]
    return rows


def certificates(result: JobResult) -> list[tuple[str, str, str, bool]]:
    """Return name, value, limit and result of each certificate. For a coupled job, these are the certificates of both
    solvers."""
    proof = result.summary.get("certificate", {})
    tolerance = float(proof.get("tolerance", 1e-6))
    rows = []
    asymmetry = look_up(result.summary, "homogenisation.asymmetry")
    if asymmetry is not None:
        limit = 100 * tolerance
        rows.append(("Symmetry of the stiffness", number(asymmetry, 3), f"≤ {number(limit, 2)}", asymmetry <= limit))
    rows += _certificate(proof, tolerance, _is_custom(result))
    for key, earlier in result.summary.items():  # the solution of this other problem is a load in the present problem
        if key.endswith("_certificate"):
            name = _as_beginning(key.removesuffix("_certificate"))
            # The tolerance of a flow limits the preconditioned error, not the residual.
            proof = {"converged": earlier["converged"]} if key == "flow_certificate" else earlier
            rows += [
                (f"{name}: {title[0].lower()}{title[1:]}", *rest)
                for title, *rest in _certificate(proof, tolerance, False)
            ]
    return rows


def _is_custom(result: JobResult) -> bool:
    """Return True if sets of nodes are supported and loaded, instead of the two faces of an axis."""
    return look_up(result.summary, "load.test") == "custom"


def _certificate(proof: dict[str, Any], tolerance: float, custom: bool) -> list[tuple[str, str, str, bool]]:
    # For the exact solution, the balances are exact. The limit for the error of a balance is a multiple of the
    # tolerance.
    limits = {
        "true_relative_residual": ("True residual, recomputed from the answer", 1.1 * tolerance),
        "reaction_imbalance": (
            "Balance of the forces and reactions" if custom else "Balance of the reactions on the two faces",
            100 * tolerance,
        ),
        "moment_imbalance": ("Balance of the moments", 100 * tolerance),
        "energy_identity_error": ("Energy identity, external work against strain energy", 100 * tolerance),
    }
    rows = []
    for key, (title, limit) in limits.items():
        if proof.get(key) is not None:
            value = abs(float(proof[key]))
            rows.append((title, number(value, 3), f"≤ {number(limit, 2)}", value <= limit))
    if "converged" in proof:
        rows.append(
            ("The solver reached its tolerance", number(bool(proof["converged"])), "yes", bool(proof["converged"]))
        )
    return rows


def segmentation(result: JobResult) -> list[tuple[str, str]]:
    s = result.summary.get("segmentation", {})
    rows: list[tuple[str, str]] = []
    image = result.summary.get("image", {})
    unit = f" {image['unit']}" if image.get("unit") else ""
    if s.get("threshold") is not None:
        rows.append(("Threshold", f"{number(s['threshold'])}{unit} ({s.get('method', 'given')})"))
    for key, title in (("solid_voxels", "Solid voxels"), ("kept_voxels", "Kept voxels")):
        if key in s:
            rows.append((title, number(s[key])))
    if "dropped_voxels" in s:
        rows.append(
            (
                "Removed",
                f"{number(s['dropped_voxels'])} voxels in {number(s.get('dropped_islands', 0))} disconnected parts",
            )
        )
    if s.get("hanging_voxels") and s.get("solid_voxels"):
        share = 100 * float(s["hanging_voxels"]) / float(s["solid_voxels"])
        rows.append(
            (
                "Removed, but connected by edges or corners",
                f"{number(s['hanging_voxels'])} voxels in {number(s.get('hanging_islands', 0))} parts, "
                f"{number(share, 2)} % of the solid; segment.connectivity = 26 keeps them",
            )
        )
    effect = result.summary.get("effect_of_connectivity", {})
    if effect.get("words"):
        rows.append((f"Compared with connectivity {number(effect.get('connectivity'))}", str(effect["words"])))
    if s.get("largest_islands"):
        rows.append(("Largest removed parts", number(s["largest_islands"][:6]) + " voxels"))
    if line := s.get("calibration"):
        rows.append(("Density calibration", f"{number(line['slope'])} * grey value + {number(line['intercept'])}"))
    if s.get("largest_relative_modulus_error") is not None:
        error = 100 * float(s["largest_relative_modulus_error"])
        rows.append(("Materials from voxel moduli", number(s.get("materials"))))
        rows.append(("Largest error of a modulus", f"{number(error, 2)} %" if error else "none"))
    if "volume_fraction" in s:
        rows.append(("Solid volume fraction", f"{number(100 * float(s['volume_fraction']))} %"))
    if isinstance(s.get("percolates"), dict) and not _is_custom(result):
        joined = [axis for axis in "zyx" if s["percolates"].get(axis)]
        rows.append(("Solid connects both faces along", ", ".join(joined) or "no axis"))
    if "load_axis" in s and not _is_custom(result):
        rows.append(("Load axis", str(s["load_axis"])))
    return rows


def _solver(resources: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the resources that the solver used. Summaries of earlier versions contain no resources."""
    rows = []
    if "setup_cpu_seconds" in resources:
        set_up, solution = (number(float(resources[key]), 3) for key in ("setup_cpu_seconds", "solve_cpu_seconds"))
        rows.append(("CPU time of the solver", f"{set_up} s set-up, {solution} s solution"))
    if "share_of_bandwidth" in resources:
        memory, cores = (number(100 * float(resources[key]), 2) for key in ("share_of_bandwidth", "share_of_peak"))
        rows.append(("Solver performance", f"{memory} % of the memory bandwidth, {cores} % of the peak of the cores"))
    if "parallel_efficiency" in resources:
        rows.append(
            (
                "Parallel efficiency",
                f"{number(100 * float(resources['parallel_efficiency']), 3)} %, the rest is waiting time",
            )
        )
    return rows


def machine(result: JobResult) -> list[tuple[str, str]]:
    m, s = result.manifest, result.summary
    rows = [
        ("Elements", number(s.get("elements"))),
        ("Unknowns", number(s.get("dofs"))),
        ("MPI ranks", number(s.get("ranks"))),
        ("Threads per rank", number(s.get("threads"))),
        ("Iterations", number(s.get("iterations"))),
        ("CPU time", f"{number(float(s.get('cpu_seconds', 0)), 3)} s"),
        *_solver(s.get("solver", {})),
        ("Peak memory", f"{number(float(s.get('peak_rss_bytes', 0)) / 2**30, 3)} GiB"),
        ("Hosts", ", ".join(m.get("hosts", []))),
        ("Processor", f"{m.get('cpu', '')}, {m.get('cores', '?')} cores"),
        ("osteon", f"{m.get('version', '')} {m.get('git', '')}"),
        ("Compiler", f"{m.get('compiler', '')} {m.get('flags', '')}"),
        ("MPI", str(m.get("mpi", ""))),
        *((str(k), str(v)) for k, v in m.get("libraries", {}).items()),
        ("Started", str(m.get("started", ""))),
        ("Finished", str(m.get("finished", ""))),
        ("Command", str(m.get("command", ""))),
        ("Input SHA-256", str(m.get("input_sha256", ""))),
    ]
    return [(k, v) for k, v in rows if v.strip() not in ("", "None")]
