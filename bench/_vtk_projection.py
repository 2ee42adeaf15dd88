"""One picture by VTK of a field in osteon's camera: a projection, or a volume. Runs in the environment of the peers.

_vtk_projection.py VOLUME.npy SPACING_MM MODE LOW HIGH PARALLEL PIXELS OUT.npy: the volume has shape (z, y, x); MODE is
maximum, or volume. Writes grey bytes, shape (pixels, pixels): the share of the range from LOW to HIGH, or light.
"""

import math
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy


def main() -> None:
    path, mode, out = sys.argv[1], sys.argv[3], sys.argv[8]
    spacing, low, high, parallel, pixels = (float(sys.argv[i]) for i in (2, 4, 5, 6, 7))
    values = np.load(path)
    image = vtk.vtkImageData()
    image.SetDimensions(*reversed(values.shape))
    image.SetSpacing(spacing, spacing, spacing)
    image.SetOrigin(spacing / 2, spacing / 2, spacing / 2)  # of voxel centres
    image.GetPointData().SetScalars(numpy_to_vtk(values.ravel(), deep=True))

    colours, opacities = vtk.vtkColorTransferFunction(), vtk.vtkPiecewiseFunction()
    colours.AddRGBPoint(low, *(0.0,) * 3 if mode != "volume" else (1.0,) * 3)
    colours.AddRGBPoint(high, 1, 1, 1)
    opacities.AddPoint(low, 0 if mode == "volume" else 1)
    opacities.AddPoint(high, 0.05 if mode == "volume" else 1)
    looks = vtk.vtkVolumeProperty()
    looks.SetColor(colours)
    looks.SetScalarOpacity(opacities)
    size = spacing * np.array(values.shape[::-1], dtype=float)
    looks.SetScalarOpacityUnitDistance(float(np.linalg.norm(size)) / 100)
    looks.SetInterpolationTypeToLinear()

    mapper = vtk.vtkFixedPointVolumeRayCastMapper()
    mapper.SetInputData(image)
    mapper.AutoAdjustSampleDistancesOff()
    mapper.SetSampleDistance(spacing / 4)
    mapper.SetInteractiveSampleDistance(spacing / 4)
    mapper.SetImageSampleDistance(1)
    if mode == "maximum":
        mapper.SetBlendModeToMaximumIntensity()
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
    azimuth, elevation, centre = math.radians(35), math.radians(22), size / 2
    radius = float(np.linalg.norm(centre))
    distance = radius / math.sin(math.radians(15))
    toward = (math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation))
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(*centre)
    camera.SetPosition(*(c + distance * t for c, t in zip(centre, toward, strict=True)))
    camera.SetViewUp(0, 0, 1)
    camera.SetParallelProjection(int(parallel))
    camera.SetParallelScale(radius)
    camera.SetViewAngle(30)
    renderer.ResetCameraClippingRange()
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    shown = vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars()).reshape(int(pixels), int(pixels), -1)
    np.save(out, shown[::-1, :, :3].mean(-1))


if __name__ == "__main__":
    main()
