"""Draw one picture of a field by VTK with the camera of osteon. The picture is a projection or a volume. The program
runs in the Python environment of the other programs.

_vtk_projection.py VOLUME.npy SPACING_MM MODE LOW HIGH PARALLEL PIXELS OUT.npy: the volume has shape (z, y, x). MODE is
maximum or volume. The program writes grey bytes of shape (pixels, pixels). A byte is the fraction of the range from LOW
to HIGH, or the light.
"""

import sys

import numpy as np
import vtk
from _vtk_scene import Scene, image_of


def main() -> None:
    path, mode, out = sys.argv[1], sys.argv[3], sys.argv[8]
    spacing, low, high, parallel, pixels = (float(sys.argv[i]) for i in (2, 4, 5, 6, 7))
    values = np.load(path)
    colours, opacities = vtk.vtkColorTransferFunction(), vtk.vtkPiecewiseFunction()
    colours.AddRGBPoint(low, *(0.0,) * 3 if mode != "volume" else (1.0,) * 3)
    colours.AddRGBPoint(high, 1, 1, 1)
    opacities.AddPoint(low, 0 if mode == "volume" else 1)
    opacities.AddPoint(high, 0.05 if mode == "volume" else 1)
    appearance = vtk.vtkVolumeProperty()
    appearance.SetColor(colours)
    appearance.SetScalarOpacity(opacities)
    size = spacing * np.array(values.shape[::-1], dtype=float)
    appearance.SetScalarOpacityUnitDistance(float(np.linalg.norm(size)) / 100)
    appearance.SetInterpolationTypeToLinear()

    mapper = vtk.vtkFixedPointVolumeRayCastMapper()
    mapper.SetInputData(image_of(values, spacing))
    mapper.AutoAdjustSampleDistancesOff()
    mapper.SetSampleDistance(spacing / 4)
    mapper.SetInteractiveSampleDistance(spacing / 4)
    mapper.SetImageSampleDistance(1)
    if mode == "maximum":
        mapper.SetBlendModeToMaximumIntensity()
    volume = vtk.vtkVolume()
    volume.SetMapper(mapper)
    volume.SetProperty(appearance)

    np.save(out, Scene(volume, size, int(pixels), parallel=bool(parallel)).picture().mean(-1))


if __name__ == "__main__":
    main()
