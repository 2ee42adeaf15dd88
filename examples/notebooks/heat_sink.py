# %% [markdown]
# # A heat sink
#
# A hot chip below, fins above, air around: conduction with a flux on one side and films on the others. `osteon.run` takes any job as a mapping, with the keys of a
# job file.

# %%
# %matplotlib inline
import tempfile
from pathlib import Path

import numpy as np

import osteon

folder = Path(tempfile.mkdtemp())
nz, n, gap = 24, 40, 8


def heat_sink(fin):
    """Base of 6 voxels, fins of `fin` voxels every `gap`; a voxel is 1 mm."""
    image = np.zeros((nz, n, n), np.uint8)
    image[:6] = 1
    for first in range(0, n, gap):
        image[6:, first : first + fin] = 1
    return image


def hottest(fin, power_W=4.0):
    np.save(folder / "sink.npy", heat_sink(fin))
    film = {"kind": "convection", "temperature_K": 300, "transfer_W_per_m2K": 50}
    return osteon.run(
        {
            "name": f"fins of {fin} mm",
            "physics": "heat",
            "image": {"path": folder / "sink.npy", "spacing_mm": 1.0},
            "segment": {"threshold": 0.5},
            "material": [{"name": "aluminium", "conductivity_W_per_mK": 205}],
            "load": {"test": "heat_transfer"},
            "boundary": [
                {"face": "z_low", "kind": "flux", "flux_W_per_m2": power_W / (n * n * 1e-6)},
                {"face": "z_high", **film},
                {"face": "y", **film},
            ],
            "picture": {"enabled": False},
        }
    )


# %% [markdown]
# ## One design

# %%
sink = hottest(2)
sink

# %% [markdown]
# What goes in at the chip comes out by the films; the answer says so itself. Films act on the outer faces of the image; air that is blown through the
# channels is a flow with heat (`examples/heatsink_flow.toml`).

# %%
print({face: round(heat, 3) for face, heat in sink.face_inflow_W.items()})
print(f"hottest voxel {sink.temperature_K['high']:.1f} K")

# %% [markdown]
# ## Which fin?
# A sweep is a loop.

# %%
for fin in (1, 2, 4, 6):
    found = hottest(fin)
    print(f"fins of {fin} mm: {found.temperature_K['high']:.1f} K, {heat_sink(fin).sum() * 2.7e-3:.0f} g")

# %%
sink.plot("temperature")
