"""Words and numbers of the report: answers, checks, segmentation, run."""

from html import escape
from typing import Any, NamedTuple

from .report_data import JobResult


class Answer(NamedTuple):
    key: str  # dotted path in summary.json
    title: str
    unit: str
    meaning: str


ANSWERS = {
    "elasticity": [
        Answer(
            "homogenisation.isotropic.youngs_modulus_MPa",
            "Young's modulus",
            "MPa",
            "Of the isotropic material that is nearest to the stiffness.",
        ),
        Answer(
            "homogenisation.universal_anisotropy",
            "Universal anisotropy",
            "",
            "5 G_V/G_R + K_V/K_R - 6 of Voigt's and Reuss' means; 0 if isotropic.",
        ),
        Answer("homogenisation.volume_fraction", "Solid volume fraction", "", "Solid voxels over all of the box."),
        Answer(
            "stiffness_N_per_mm",
            "Stiffness",
            "N/mm",
            "Force over the displacement of the driven face; of supports and forces, of the one that alone drives.",
        ),
        Answer(
            "apparent_modulus_MPa",
            "Apparent modulus",
            "MPa",
            "Young's modulus of a solid block of the same outer size and stiffness.",
        ),
        Answer(
            "stiffness_N_mm_per_deg",
            "Stiffness",
            "N mm/°",
            "Moment over the angle, of the loaded faces or a turned support.",
        ),
        Answer(
            "aggregate_modulus_MPa",
            "Aggregate modulus",
            "MPa",
            "Axial stress over axial strain where the sides are held.",
        ),
        Answer(
            "shear_modulus_MPa", "Apparent shear modulus", "MPa", "Shear stress on the plates over the shear strain."
        ),
        Answer("bending_stiffness_N_mm2", "Bending stiffness", "N mm²", "E I of a beam that bends alike."),
        Answer("torsional_stiffness_N_mm2", "Torsional stiffness", "N mm²", "G J of a bar that twists alike."),
        Answer(
            "pistoia.failure_moment_N_mm",
            "Failure moment (Pistoia)",
            "N mm",
            "Moment at which the critical share of the solid exceeds the critical effective strain.",
        ),
        Answer(
            "pistoia.failure_load_N",
            "Failure load (Pistoia)",
            "N",
            "Load, with its sign, at which the critical share of the solid exceeds the critical effective strain.",
        ),
        Answer("pistoia.factor", "Failure factor", "", "Failure load over the computed reaction."),
        Answer("reaction_N", "Reaction (z, y, x)", "N", "Force on the driven face."),
        Answer(
            "sed_MPa.mean",
            "SED, mean",
            "MPa",
            "Strain energy density at the voxels' centres, averaged over the solid.",
        ),
        Answer("sed_MPa.p95", "SED, 95th percentile", "MPa", "95 % of the solid lie below."),
        Answer("sed_MPa.p98", "SED, 98th percentile", "MPa", "98 % of the solid lie below."),
        Answer(
            "sed_MPa.max",
            "SED, maximum",
            "MPa",
            "The largest value; it depends on the voxel size, so do not compare it between scans.",
        ),
        Answer(
            "effective_strain.p98",
            "Effective strain, 98th percentile",
            "",
            "sqrt(2 SED / E) at the voxels' centres; 98 % of the solid lie below.",
        ),
        Answer(
            "strain_energy_mJ", "Strain energy", "mJ", "Of the whole voxels, bending included: the work of the load."
        ),
        Answer("von_mises_MPa.p98", "Von Mises stress, 98th percentile", "MPa", "98 % of the solid lie below."),
        Answer(
            "reaction_moment_N_mm",
            "Reaction moment (z, y, x)",
            "N mm",
            "Moment on the driven face about the mean position of its nodes.",
        ),
    ],
    "thermo_elasticity": [
        Answer("von_mises_MPa.mean", "Von Mises stress, mean", "MPa", "Averaged over the solid."),
        Answer("von_mises_MPa.p98", "Von Mises stress, 98th percentile", "MPa", "98 % of the solid lie below."),
        Answer(
            "apparent_stress_MPa",
            "Apparent stress",
            "MPa",
            "Reaction force along the axis over the outer cross-section.",
        ),
        Answer("reaction_N", "Reaction (z, y, x)", "N", "Force on the high face."),
        Answer(
            "sed_MPa.mean",
            "SED, mean",
            "MPa",
            "Strain energy density of the mechanical strain, at the voxels' centres.",
        ),
        Answer("sed_MPa.p98", "SED, 98th percentile", "MPa", "98 % of the solid lie below."),
        Answer("temperature_K.mean", "Temperature, mean", "K", "Averaged over the solid."),
        Answer("temperature_K.low", "Temperature, lowest", "K", "Of a voxel."),
        Answer("temperature_K.high", "Temperature, highest", "K", "Of a voxel."),
        Answer("flux_W", "Heat flow", "W", "Through each of the two faces."),
    ],
    "heat": [
        Answer(
            "effective_conductivity_W_per_mK",
            "Effective conductivity",
            "W/(m K)",
            "Conductivity of a solid block of the same outer size and flux.",
        ),
        Answer(
            "tortuosity",
            "Tortuosity",
            "",
            "Conductivity that the solid fraction alone would give, over the effective one; 1 is a straight path.",
        ),
        Answer("flux_W", "Heat flow", "W", "Through each of the two faces."),
        Answer(
            "principal_conductivities_W_per_mK",
            "Principal conductivities",
            "W/(m K)",
            "Of the whole box, voids included, along the principal directions.",
        ),
        Answer("conductivity_tensor_W_per_mK", "Conductivity tensor", "W/(m K)", "Rows and columns z, y, x."),
        Answer(
            "principal_directions", "Principal directions (z, y, x)", "", "Unit vectors, the best conducting first."
        ),
        Answer("tortuosities", "Tortuosity along z, y, x", "", "As above, by axis; none where no path goes through."),
        *(
            Answer(f"heat_inflow_W.{axis}-{end}", f"Heat in through {axis}-{end}", "W", "Negative: heat leaves.")
            for axis in "zyx"
            for end in ("low", "high")
        ),
        Answer("heat_source_W", "Heat made by sources", "W", ""),
        Answer("heat_stored_W", "Heat taken up", "W", "By the solid, in the last step."),
        Answer("temperature_K.mean", "Temperature, mean", "K", "Over the solid, at the end."),
        Answer("temperature_K.low", "Temperature, lowest", "K", "Of any voxel."),
        Answer("temperature_K.high", "Temperature, highest", "K", "Of any voxel."),
    ],
}


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


def words_of_test(summary: dict[str, Any]) -> str:
    """What was done to the specimen; of several load cases, the first."""
    load = summary.get("load", {})
    words = TESTS.get(load.get("test", "axial_bonded"), str(load.get("test")))
    if load.get("test") != "custom":
        words += f" along {load.get('axis', '?')}"
    if "strain" in load:
        words += f", {number(100 * float(load['strain']))} % strain"
    if "angle_deg" in load:
        words += f", {number(load['angle_deg'])}°"
    if cases := summary.get("cases"):
        words = "; ".join(f"{case['name']}: {words_of_test({'load': case.get('load', {})})}" for case in cases[:4])
        words = f"{len(cases)} load cases: {words}" + ("; ..." if len(cases) > 4 else "")
    return words


def look_up(tree: dict[str, Any], dotted: str) -> Any:
    value: Any = tree
    for key in dotted.split("."):
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def number(value: Any, digits: int = 4) -> str:
    """A value for a person: 4 digits, thin spaces between thousands, powers of ten written out."""
    if value is None:
        return "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(number(v, digits) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f")
    if not isinstance(value, float):
        return escape(str(value))  # what stands in the place of a number goes into pages as it is
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa}\u00b710" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    if abs(value) >= 10**digits:
        return f"{value:,.0f}".replace(",", "\u202f")
    return f"{value:.{digits}g}"


def answers(result: JobResult) -> list[tuple[Answer, str]]:
    return _answers_in(result.summary, result.physics)


def _answers_in(tree: dict[str, Any], physics: str) -> list[tuple[Answer, str]]:
    rows = ((a, look_up(tree, a.key)) for a in ANSWERS.get(physics, []))
    # JSON has no infinity: a tortuosity is null where no path conducts.
    return [(a, number(v) if v is not None else "∞") for a, v in rows if v is not None or tree.get(a.key, "") is None]


def answers_by_case(result: JobResult) -> list[tuple[Answer, list[str]]]:
    """For each answer that a load case has the values of all cases, in their order; - where a case has none."""
    cases = [dict(_answers_in(case, result.physics)) for case in result.summary.get("cases", [])]
    return [
        (a, [case.get(a, "-") for case in cases])
        for a in ANSWERS.get(result.physics, [])
        if any(a in case for case in cases)
    ]


def supports_and_forces(result: JobResult) -> list[list[str]]:
    """A table with its head: what each support bears and each force applies; nothing where there are none."""
    cases = result.summary.get("cases") or [result.summary]
    rows = []
    for case in cases:
        name = str(case.get("name", ""))
        for s in case.get("supports", []):
            held = f"held along {', '.join(s.get('held', ''))}" if s.get("held") else ""
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
    """Three components; what rounding leaves of a zero, against the largest, is 0."""
    largest = max((abs(float(v)) for v in values), default=0.0)
    return "; ".join(number(float(v) if abs(v) > 1e-6 * largest else 0.0) for v in values)


def by_material(result: JobResult) -> list[list[str]]:
    """A table with its head; nothing where there is only one material."""
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
    """Name, value, limit, passed; of a coupled job those of both solvers."""
    proof = result.summary.get("certificate", {})
    tolerance = float(proof.get("tolerance", 1e-6))
    rows = []
    asymmetry = look_up(result.summary, "homogenisation.asymmetry")
    if asymmetry is not None:
        limit = 100 * tolerance
        rows.append(("Symmetry of the stiffness", number(asymmetry, 3), f"≤ {number(limit, 2)}", asymmetry <= limit))
    rows += _certificate(proof, tolerance, _is_custom(result))
    if heat := result.summary.get("heat_certificate"):
        rows += [
            (f"Heat: {title[0].lower()}{title[1:]}", *rest) for title, *rest in _certificate(heat, tolerance, False)
        ]
    return rows


def _is_custom(result: JobResult) -> bool:
    """Whether sets of nodes are held and loaded, instead of the two faces of an axis."""
    return look_up(result.summary, "load.test") == "custom"


def _certificate(proof: dict[str, Any], tolerance: float, custom: bool) -> list[tuple[str, str, str, bool]]:
    # The balances are exact for the exact solution, so they may miss by some times the tolerance, not more.
    limits = {
        "true_relative_residual": ("True residual, recomputed from the answer", 1.1 * tolerance),
        "reaction_imbalance": (
            "Balance of the forces and reactions" if custom else "Balance of the reactions on the two faces",
            100 * tolerance,
        ),
        "moment_imbalance": ("Balance of the moments", 100 * tolerance),
        "energy_identity_error": ("Energy identity, work of the load against strain energy", 100 * tolerance),
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
            ("Dropped", f"{number(s['dropped_voxels'])} voxels in {number(s.get('dropped_islands', 0))} islands")
        )
    if s.get("hanging_voxels") and s.get("solid_voxels"):
        share = 100 * float(s["hanging_voxels"]) / float(s["solid_voxels"])
        rows.append(
            (
                "Of these, hanging on the rest by edges or corners",
                f"{number(s['hanging_voxels'])} voxels in {number(s.get('hanging_islands', 0))} islands, "
                f"{number(share, 2)} % of the solid; segment.connectivity = 26 keeps them",
            )
        )
    if s.get("largest_islands"):
        rows.append(("Largest dropped islands", number(s["largest_islands"][:6]) + " voxels"))
    if line := s.get("calibration"):
        rows.append(("Density of a grey value", f"{number(line['slope'])} * grey + {number(line['intercept'])}"))
    if s.get("largest_relative_modulus_error") is not None:
        error = 100 * float(s["largest_relative_modulus_error"])
        rows.append(("Materials made of the voxels' moduli", number(s.get("materials"))))
        rows.append(("Largest error of a modulus by that", f"{number(error, 2)} %" if error else "none"))
    if "volume_fraction" in s:
        rows.append(("Solid volume fraction", f"{number(100 * float(s['volume_fraction']))} %"))
    if isinstance(s.get("percolates"), dict) and not _is_custom(result):
        joined = [axis for axis in "zyx" if s["percolates"].get(axis)]
        rows.append(("Solid joins both faces along", ", ".join(joined) or "no axis"))
    if "load_axis" in s and not _is_custom(result):
        rows.append(("Load axis", str(s["load_axis"])))
    return rows


def machine(result: JobResult) -> list[tuple[str, str]]:
    m, s = result.manifest, result.summary
    rows = [
        ("Elements", number(s.get("elements"))),
        ("Unknowns", number(s.get("dofs"))),
        ("MPI ranks", number(s.get("ranks"))),
        ("Threads a rank", number(s.get("threads"))),
        ("Iterations", number(s.get("iterations"))),
        ("CPU time", f"{number(float(s.get('cpu_seconds', 0)), 3)} s"),
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
