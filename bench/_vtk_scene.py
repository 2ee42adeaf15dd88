"""Common parts of the programs that draw with VTK. The parts place the camera of osteon on a volume, without a display.
This module is imported only in the Python environment of the other programs.
"""

import math

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy


def image_of(values: np.ndarray, spacing: float) -> vtk.vtkImageData:
    """Convert voxels of shape (z, y, x) with their corner at zero. Keep `values` as long as the image is used."""
    image = vtk.vtkImageData()
    image.SetDimensions(*reversed(values.shape))
    image.SetSpacing(spacing, spacing, spacing)
    image.SetOrigin(spacing / 2, spacing / 2, spacing / 2)  # the origin is a voxel centre
    image.GetPointData().SetScalars(numpy_to_vtk(values.ravel(), deep=True))
    return image


class Scene:
    """A volume in a window of `pixels` x `pixels` on a black background.

    The camera is that of osteon, with azimuth 35 and elevation 22. The bounding sphere of a box of `size` is in a field
    of view of 30 degrees.
    """

    def __init__(
        self, volume: vtk.vtkVolume, size: np.ndarray, pixels: int, zoom: float = 1, parallel: bool = False
    ) -> None:
        self.pixels = pixels
        self.window, renderer = vtk.vtkRenderWindow(), vtk.vtkRenderer()
        renderer.AddVolume(volume)
        renderer.SetBackground(0, 0, 0)
        self.window.SetOffScreenRendering(1)
        self.window.SetMultiSamples(0)
        self.window.SetSize(pixels, pixels)
        self.window.AddRenderer(renderer)
        azimuth, elevation, centre = math.radians(35), math.radians(22), size / 2
        radius = float(np.linalg.norm(centre))
        distance = radius / math.sin(math.radians(15))
        toward = (math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation))
        self.camera = renderer.GetActiveCamera()
        self.camera.SetFocalPoint(*centre)
        self.camera.SetPosition(*(c + distance * t for c, t in zip(centre, toward, strict=True)))
        self.camera.SetViewUp(0, 0, 1)
        self.camera.SetParallelProjection(int(parallel))
        self.camera.SetParallelScale(radius / zoom)
        self.camera.SetViewAngle(2 * math.degrees(math.atan(math.tan(math.radians(15)) / zoom)))
        renderer.ResetCameraClippingRange()
        self.window.Render()

    def picture(self) -> np.ndarray:
        """RGB bytes of shape (pixels, pixels, 3). The upper row is first."""
        grab = vtk.vtkWindowToImageFilter()
        grab.SetInput(self.window)
        grab.ReadFrontBufferOff()
        grab.Update()
        shown = vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars())
        return shown.reshape(self.pixels, self.pixels, -1)[::-1, :, :3]
