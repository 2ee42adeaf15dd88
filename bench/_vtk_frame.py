"""One frame of the scene of `osteon bench render`, by VTK's ray caster on one thread. Runs in the peers' environment.

_vtk_frame.py VOLUME.npy PIXELS STEP ZOOM OPACITY SHADED FRAMES OUT.npy: writes RGB bytes, shape (pixels, pixels, 3),
and prints the CPU seconds of the fastest frame.
"""

import math
import sys
import time

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy


def main() -> None:
    path, out = sys.argv[1], sys.argv[8]
    pixels, step, zoom, opacity, shaded, frames = (float(a) for a in sys.argv[2:8])
    values = np.load(path)
    edge = values.shape[0]
    image = vtk.vtkImageData()
    image.SetDimensions(*reversed(values.shape))
    image.SetOrigin(0.5, 0.5, 0.5)  # of voxel centres
    image.GetPointData().SetScalars(numpy_to_vtk(values.ravel(), deep=True))

    colours, opacities = vtk.vtkColorTransferFunction(), vtk.vtkPiecewiseFunction()
    colours.AddRGBPoint(0, 0, 0.5, 1)
    colours.AddRGBPoint(1, 1, 0.5, 0)
    opacities.AddPoint(0, opacity)
    opacities.AddPoint(1, opacity)
    looks = vtk.vtkVolumeProperty()
    looks.SetColor(colours)
    looks.SetScalarOpacity(opacities)
    looks.SetScalarOpacityUnitDistance(1)
    looks.SetInterpolationTypeToLinear()
    looks.SetShade(int(shaded))

    mapper = vtk.vtkFixedPointVolumeRayCastMapper()
    mapper.SetInputData(image)
    mapper.SetNumberOfThreads(1)
    mapper.AutoAdjustSampleDistancesOff()
    mapper.SetSampleDistance(step)
    mapper.SetInteractiveSampleDistance(step)
    mapper.SetImageSampleDistance(1)
    volume = vtk.vtkVolume()
    volume.SetMapper(mapper)
    volume.SetProperty(looks)

    renderer, window = vtk.vtkRenderer(), vtk.vtkRenderWindow()
    renderer.AddVolume(volume)
    renderer.SetBackground(0, 0, 0)
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetSize(int(pixels), int(pixels))
    window.AddRenderer(renderer)
    # osteon's camera: azimuth 35, elevation 22, the bounding sphere in a field of view of 30 degrees.
    azimuth, elevation, centre = math.radians(35), math.radians(22), edge / 2
    distance = math.sqrt(3) * centre / math.sin(math.radians(15))
    toward = (math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation))
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(centre, centre, centre)
    camera.SetPosition(*(centre + distance * t for t in toward))
    camera.SetViewUp(0, 0, 1)
    camera.SetViewAngle(2 * math.degrees(math.atan(math.tan(math.radians(15)) / zoom)))
    renderer.ResetCameraClippingRange()

    window.Render()
    best = math.inf
    for _ in range(int(frames)):
        camera.Modified()
        start = time.process_time()
        window.Render()
        best = min(best, time.process_time() - start)
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    shown = vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars()).reshape(int(pixels), int(pixels), -1)
    np.save(out, shown[::-1, :, :3])
    print(best)


if __name__ == "__main__":
    main()
