# %% [markdown]
# # The stiffness tensor of a lattice
#
# A printed lattice repeats itself, so one cell tells what the material is on average: six strains, six mean stresses, a 6 x 6 matrix.

# %%
import numpy as np

import osteon

n, strut = 32, 6
z, y, x = np.mgrid[:n, :n, :n]
middle = [abs(c - (n - 1) / 2) < strut / 2 for c in (z, y, x)]
cell = (middle[1] & middle[2]) | (middle[0] & middle[2]) | (middle[0] & middle[1])  # three struts that cross
print(f"solid {cell.mean():.3f}")

# %%
titanium = {"youngs_modulus_MPa": 110_000, "poisson_ratio": 0.34}
lattice = osteon.homogenise(cell, spacing_mm=0.1, **titanium)
np.set_printoptions(precision=1, suppress=True)
print(lattice.stiffness_MPa)

# %% [markdown]
# Rows and columns are xx, yy, zz, xy, yz, xz; shears are engineering shears. The cell has the symmetry of a cube, and so has the matrix: three numbers are left.

# %%
c11, c12, c44 = (lattice.stiffness_MPa[i] for i in ((0, 0), (0, 1), (3, 3)))
print(f"C11 {c11:.0f} MPa, C12 {c12:.0f} MPa, C44 {c44:.0f} MPa")
print(f"Zener ratio {2 * c44 / (c11 - c12):.3f}; 1 would be isotropic")

# %% [markdown]
# ## In which direction is it stiff?
# Young's modulus along a unit vector n is 1 / (s : n n n n), with the compliance s.

# %%
compliance = np.linalg.inv(lattice.stiffness_MPa)


def youngs_modulus(direction):
    a, b, c = np.asarray(direction, float) / np.linalg.norm(direction)
    strain_of = np.array([a * a, b * b, c * c, a * b, b * c, a * c])
    return 1 / (strain_of @ compliance @ strain_of)


for direction in ((1, 0, 0), (1, 1, 0), (1, 1, 1)):
    print(direction, f"{youngs_modulus(direction):.0f} MPa")

# %% [markdown]
# ## Bounds
# No arrangement of this much solid is stiffer than Voigt's bound. Faces that move with the mean strain (`kubc`) are a constraint more than a cell that repeats:
# the difference shows how much the boundary condition matters for one cell.

# %%
bound = osteon.homogenise(cell, spacing_mm=0.1, boundary_condition="kubc", **titanium)
print(f"C11: periodic {c11:.0f}, kubc {bound.stiffness_MPa[0, 0]:.0f} MPa")
