# %% [markdown]
# # A battery electrode: tortuosity, and parameters for a cell model
#
# The electrolyte in the pores of an electrode takes a longer way than the electrode is thick. Cell models need that as one number for each direction. The image
# is made here: overlapping particles that lie flat, as pressing leaves them.

# %%
import numpy as np

import osteon

rng = np.random.default_rng(7)
n, spacing_mm = 64, 0.0003
z, y, x = np.mgrid[:n, :n, :n]
particles = np.zeros((n, n, n), bool)
while particles.mean() < 0.6:
    at = rng.uniform(0, n, 3)
    dz, dy, dx = (np.minimum(abs(c - p), n - abs(c - p)) for c, p in zip((z, y, x), at, strict=True))
    particles |= (dz / 4) ** 2 + (dy / 8) ** 2 + (dx / 8) ** 2 < 1
pores = ~particles
porosity = pores.mean()
print(f"porosity {porosity:.3f}")

# %% [markdown]
# ## Through the electrode, and along it
# z is the direction through the foil. Tortuosity is porosity times D over the effective D: 1 for straight pores. Closed pores count as porosity, as in TauFactor,
# if every part is kept.

# %%
every_pore = {"keep": "all"}
tau = {a: osteon.tortuosity(pores=pores, spacing_mm=spacing_mm, axis=a, segment=every_pore).tortuosity for a in "zyx"}
print({axis: round(value, 3) for axis, value in tau.items()})

# %% [markdown]
# Flat particles make the way through the foil the longer one. Bruggeman's exponent b, by which D_eff = porosity^b D, follows:

# %%
bruggeman = {axis: float(1 - np.log(value) / np.log(porosity)) for axis, value in tau.items()}
print({axis: round(value, 3) for axis, value in bruggeman.items()})

# %% [markdown]
# ## For PyBaMM
# A dictionary for `pybamm.ParameterValues.update`. Names are PyBaMM's; the rest of the set is of your cell. (PyBaMM is not needed here.)

# %%
parameters = {
    "Positive electrode porosity": float(porosity),
    "Positive electrode active material volume fraction": float(particles.mean()),
    "Positive electrode Bruggeman coefficient (electrolyte)": float(bruggeman["z"]),
}
parameters

# %% [markdown]
# ## Is the sample large enough?
# Its halves should agree. These do not: particles of a quarter of the edge are too large for the sample, and one would take a larger one.

# %%
for name, half in (("low", pores[:, : n // 2]), ("high", pores[:, n // 2 :])):
    value = osteon.tortuosity(pores=half, spacing_mm=spacing_mm, axis="z", segment=every_pore).tortuosity
    print(f"{name} half: tortuosity {value:.3f}, porosity {half.mean():.3f}")
