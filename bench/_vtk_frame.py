"""Draw one frame of the scene of `osteon bench render`, by the ray caster of VTK on one thread. The program runs in the
Python environment of the other programs.

_vtk_frame.py VOLUME.npy PIXELS STEP ZOOM OPACITY SHADED FRAMES OUT.npy: writes RGB bytes of shape (pixels, pixels, 3).
Prints the CPU seconds of the fastest frame.
"""

import math
import sys
import time

import numpy as np
import vtk
from _vtk_scene import Scene, image_of


def main() -> None:
    path, out = sys.argv[1], sys.argv[8]
    pixels, step, zoom, opacity, shaded, frames = (float(a) for a in sys.argv[2:8])
    values = np.load(path)
    colours, opacities = vtk.vtkColorTransferFunction(), vtk.vtkPiecewiseFunction()
    colours.AddRGBPoint(0, 0, 0.5, 1)
    colours.AddRGBPoint(1, 1, 0.5, 0)
    opacities.AddPoint(0, opacity)
    opacities.AddPoint(1, opacity)
    appearance = vtk.vtkVolumeProperty()
    appearance.SetColor(colours)
    appearance.SetScalarOpacity(opacities)
    appearance.SetScalarOpacityUnitDistance(1)
    appearance.SetInterpolationTypeToLinear()
    appearance.SetShade(int(shaded))

    mapper = vtk.vtkFixedPointVolumeRayCastMapper()
    mapper.SetInputData(image_of(values, 1))
    mapper.SetNumberOfThreads(1)
    mapper.AutoAdjustSampleDistancesOff()
    mapper.SetSampleDistance(step)
    mapper.SetInteractiveSampleDistance(step)
    mapper.SetImageSampleDistance(1)
    volume = vtk.vtkVolume()
    volume.SetMapper(mapper)
    volume.SetProperty(appearance)

    scene = Scene(volume, np.array(values.shape[::-1], dtype=float), int(pixels), zoom)
    best = math.inf
    for _ in range(int(frames)):
        scene.camera.Modified()
        start = time.process_time()
        scene.window.Render()
        best = min(best, time.process_time() - start)
    np.save(out, scene.picture())
    print(best)


if __name__ == "__main__":
    main()
