"""Direction-dependent properties computed from tensors."""

import numpy as np
import pytest
from osteon.report.data import JobResult
from osteon.report.tensors import directional_modulus, directional_value, has_section, sections

E, NU = 1000.0, 0.3
ORDER = ["xx", "yy", "zz", "xy", "yz", "xz"]


def compliance(young: tuple[float, float, float], shear: float) -> np.ndarray:
    s = np.full((6, 6), 0.0)
    s[:3, :3] = -NU / E
    s[range(3), range(3)] = 1 / np.array(young)
    s[range(3, 6), range(3, 6)] = 1 / shear
    return s


def directions() -> np.ndarray:
    n = np.random.default_rng(2).normal(size=(50, 3))
    return n / np.linalg.norm(n, axis=1, keepdims=True)


def test_an_isotropic_material_has_one_modulus():
    """Oracle: the Young's modulus of the material. The shear modulus is E / (2 (1 + nu))."""
    along = directional_modulus(compliance((E, E, E), E / (2 * (1 + NU))), ORDER)
    np.testing.assert_allclose(along(directions()), E)


def test_a_cubic_material_is_stiff_along_its_diagonals():
    """Oracle: the formula of Nye: 1/E = s11 - 2 (s11 - s12 - s44 / 2) (l1^2 l2^2 + l2^2 l3^2 + l3^2 l1^2)."""
    shear = 800.0
    along = directional_modulus(compliance((E, E, E), shear), ORDER)
    n = directions()
    l1, l2, l3 = (n**2).T
    expected = 1 / (1 / E - 2 * (1 / E + NU / E - 0.5 / shear) * (l1 * l2 + l2 * l3 + l3 * l1))
    np.testing.assert_allclose(along(n), expected)


def test_a_tensor_of_rows_z_y_x_has_its_diagonal_along_the_axes():
    """Oracle: the diagonal. Vectors are in the order x, y, z."""
    along = directional_value(np.diag([3.0, 2.0, 1.0]))
    np.testing.assert_allclose(along(np.eye(3)), [1, 2, 3])


def test_matrices_of_a_job_are_sections_of_their_own(tmp_path):
    """Oracle: the numbers of the summary. Matrices are not rows of the answers."""
    summary = {
        "conductivity_tensor_W_per_mK": [[0.5, 0.0, 1e-15], [0.0, 0.25, 0.0], [1e-15, 0.0, 0.125]],
        "principal_conductivities_W_per_mK": [0.5, 0.25, 0.125],
        "principal_directions": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    }
    page = sections(JobResult(tmp_path, summary, {}))
    assert "Conductivity by direction" in page and ">0.125<" in page and "data:image/png" in page and "10⁻" not in page
    assert all(has_section(key) for key in summary) and not has_section("tortuosity")
    assert sections(JobResult(tmp_path, {}, {})) == ""


@pytest.mark.parametrize("rows", [[[1, 0], [0, 1]], "x"])
def test_a_bad_tensor_is_refused(tmp_path, rows):
    """Oracle: the errors that the report prints as one line."""
    with pytest.raises((ValueError, TypeError)):
        sections(JobResult(tmp_path, {"conductivity_tensor_W_per_mK": rows}, {}))
