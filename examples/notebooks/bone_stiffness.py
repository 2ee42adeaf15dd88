# %% [markdown]
# # How stiff is this bone?
#
# From grey values to stiffness, failure load and a report. The image is made here, so that the notebook needs no file: a network of struts
# and plates with noise, 48 voxels of 0.05 mm an edge. Take your own: any array in the order z, y, x, for example by `tifffile.imread`.

# %%
# %matplotlib inline
import numpy as np

import osteon

rng = np.random.default_rng(1)
n, spacing_mm = 48, 0.05
z, y, x = np.mgrid[:n, :n, :n] * (2 * np.pi / 24)
gyroid = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)
scan = 120 + 60 * np.tanh(3 * (0.55 - abs(gyroid))) + rng.normal(0, 8, (n, n, n))

# %% [markdown]
# ## A threshold
# The solid is what is brighter than the threshold. Left out, Otsu's method chooses. Bone volume fraction is the first number to look at.

# %%
threshold = 120.0
print(f"bone volume fraction {np.mean(scan > threshold):.3f}")

# %% [markdown]
# ## Compressed between plates
# By 1 %, with both faces bonded. Young's modulus and Poisson's ratio of the tissue have no default: a number that a program guesses looks like one that
# somebody measured.

# %%
bone = osteon.stiffness(
    scan,
    spacing_mm,
    threshold=threshold,
    youngs_modulus_MPa=6829,
    poisson_ratio=0.3,
    pistoia={"critical_strain": 0.007, "critical_volume": 0.02},
)
bone

# %%
print(f"apparent modulus {bone.apparent_modulus_MPa:.0f} MPa")
print(f"failure load {bone.failure_load_N:.1f} N")

# %% [markdown]
# ## May it be believed?
# The certificate is recomputed from the displacements after the solver has ended.

# %%
bone.certificate

# %% [markdown]
# It speaks of these voxels only. Other voxel sizes and thresholds are other models; here is what ten grey values more or less do.

# %%
for other in (110.0, 130.0):
    again = osteon.stiffness(
        scan,
        spacing_mm,
        threshold=other,
        youngs_modulus_MPa=6829,
        poisson_ratio=0.3,
    )
    change = again.apparent_modulus_MPa / bone.apparent_modulus_MPa - 1
    print(f"threshold {other:.0f}: {100 * change:+.1f} %")

# %% [markdown]
# ## Look
# Fields are arrays, NaN where there is no bone. `bone.to_xarray()` and `bone.to_pyvista()` hand them on, `bone.report("bone.html")` writes the page.

# %%
bone.plot("sed")
