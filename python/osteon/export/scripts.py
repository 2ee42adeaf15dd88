"""Scripts that open results in another program with colours and a view. The command is `osteon export --open-in`."""

import json
from pathlib import Path

import numpy as np

from ..errors import DataError
from ..report.colours import table_of_job
from ..results.cluster_parts import ClusterParts, open_results
from ..results.result_fields import Field, field_names, read_fields
from .image_formats import write_nrrd

MAP_STEPS = 52  # each step is every fifth of 256 colours

PARAVIEW = '''"""Open {title} in ParaView: `paraview --script={script}`, or there: Tools > Python Shell > Run Script."""

import os

from paraview import servermanager
from paraview.simple import *

FOLDER = {folder}
VTKHDF, XDMF = {vtkhdf}, {xdmf}
FIELD, ON_NODES, COMPONENTS, TITLE = {field}, {on_nodes}, {components}, {bar}
LOW, HIGH = {low}, {high}
SPAN, MIDDLE = {span}, {middle}
COLOURS = {colours}

# ParaView 5.12 and later read fields of VTKHDF images; older versions read the XDMF file.
manager = servermanager.vtkSMProxyManager
is_new = (manager.GetVersionMajor(), manager.GetVersionMinor()) >= (5, 12)
paths = [os.path.join(FOLDER, name) for name in (VTKHDF if VTKHDF and is_new else XDMF)]
for path in paths:
    if not os.path.isfile(path):
        raise RuntimeError("no file " + path + "; create this script again: osteon export ... --open-in paraview")
parts = [OpenDataFile(path) for path in paths]
results = parts[0] if len(parts) == 1 else GroupDatasets(Input=parts)  # one part for each cluster of a joined job
results.UpdatePipeline()
solid = Threshold(Input=results, Scalars=["CELLS", "material"])
solid.LowerThreshold, solid.UpperThreshold = 1, 65535
RenameSource({name}, results)
RenameSource("solid", solid)

view = GetActiveViewOrCreate("RenderView")
Hide(results, view)
shown = Show(solid, view)
shown.Representation = "Surface"
of = ("POINTS" if ON_NODES else "CELLS", FIELD)
ColorBy(shown, (*of, "Magnitude") if COMPONENTS else of)
colours = GetColorTransferFunction(FIELD)
# The colour map of osteon's picture, evenly spaced from LOW to HIGH.
steps = [LOW + (HIGH - LOW) * i / (len(COLOURS) - 1) for i in range(len(COLOURS))]
colours.ColorSpace = "RGB"
colours.RGBPoints = [number for step, colour in zip(steps, COLOURS) for number in (step, *colour)]
colours.RescaleTransferFunction(LOW, HIGH)
colours.NanColor = [0.8, 0.8, 0.8]
bar = GetScalarBar(colours, view)
bar.Title, bar.ComponentTitle = TITLE, ""
shown.SetScalarBarVisibility(view, True)
view.OrientationAxesVisibility = 1

# From the front, slightly from the right and above, z upwards.
view.CameraFocalPoint = MIDDLE
view.CameraPosition = [MIDDLE[0] + 0.9 * SPAN, MIDDLE[1] - 1.6 * SPAN, MIDDLE[2] + 0.7 * SPAN]
view.CameraViewUp = [0, 0, 1]
ResetCamera(view)
Render(view)
'''

SLICER = '''"""Open {title} in 3D Slicer: `Slicer --python-script {script}`. The images are in the folder of this
file."""

import os

import slicer

FOLDER = os.path.dirname(os.path.abspath(__file__))
FIELD, SOLID = {image}, {solid}
LOW, HIGH = {low}, {high}
COLOURS = {colours}

for name in (FIELD, SOLID):
    if not os.path.isfile(os.path.join(FOLDER, name)):
        raise RuntimeError("no file " + name + "; create this script again: osteon export ... --open-in slicer")
field = slicer.util.loadVolume(os.path.join(FOLDER, FIELD), properties={{"name": {name}}})
solid = slicer.util.loadLabelVolume(os.path.join(FOLDER, SOLID), properties={{"name": "solid"}})

display = field.GetDisplayNode()
display.AutoWindowLevelOff()
display.SetWindowLevelMinMax(LOW, HIGH)
# The colour map of osteon's picture.
table = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLColorTableNode", "osteon")
table.SetTypeToUser()
table.SetNumberOfColors(len(COLOURS))
for i, colour in enumerate(COLOURS):
    table.SetColor(i, str(i), *colour, 1.0)
display.SetAndObserveColorNodeID(table.GetID())
display.SetApplyThreshold(True)  # empty voxels have a value below all others
display.SetThreshold({threshold}, 1e30)

# The solid as a closed surface, and the field on the slices.
segmentation = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode", "solid")
segmentation.SetReferenceImageGeometryParameterFromVolumeNode(field)
segmentation.CreateDefaultDisplayNodes()
slicer.modules.segmentations.logic().ImportLabelmapToSegmentationNode(solid, segmentation)
segmentation.CreateClosedSurfaceRepresentation()
segmentation.GetDisplayNode().SetOpacity3D(0.4)
slicer.mrmlScene.RemoveNode(solid)

slicer.util.setSliceViewerLayers(background=field, fit=True)
slicer.app.layoutManager().setLayout(slicer.vtkMRMLLayoutNode.SlicerLayoutFourUpView)
slicer.app.layoutManager().threeDWidget(0).threeDView().resetFocalPoint()
'''


def write_script(source: Path, program: str, name: str | None, path: Path) -> list[str]:
    """Write a script for `paraview` or `slicer`. @return names of files that must be in the folder of the script"""
    summary = _summary(source)
    field, low, high = _shown(source, name, summary)
    title = f"{field.name} of {source.name}"
    common = {
        "title": title.replace('"', "'").replace("\\", "/"),
        "script": path.name,
        "low": repr(low),
        "high": repr(high),
        "name": repr(str(summary.get("job", source.stem))),
        "colours": _colours(summary.get("shown")),
    }
    if program == "paraview":
        path.write_text(PARAVIEW.format(**common, **_for_paraview(source, field)), encoding="utf-8")
        return []
    images, empty = _images(source, field, path)
    names = {"image": repr(images[0]), "solid": repr(images[1])}
    text = SLICER.format(**common, **names, threshold=repr(empty + 0.5))
    path.write_text(text, encoding="utf-8")
    return images


def _summary(source: Path) -> dict:
    try:
        found = json.loads((source.parent / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _shown(source: Path, name: str | None, summary: dict) -> tuple[Field, float, float]:
    """Return the field and the range that the run has displayed. Without a displayed field, the range of the values
    ends at the 99th percentile."""
    known = field_names(source)
    shown = summary.get("shown") or {}
    if name is None:
        name = shown.get("field") if shown.get("field") in known else next((n for n in known if n != "material"), None)
    if name is None:
        raise DataError(f"'{source}' has no field other than 'material'; pass the results.nc of a job")
    field = next(read_fields(source, [name]))
    if shown.get("field") == name and shown.get("low") is not None and shown["low"] < shown["high"]:
        return field, float(shown["low"]), float(shown["high"])
    values = field.values if not field.components else np.linalg.norm(field.values, axis=3)
    values = values[np.isfinite(values)]
    low, high = (float(np.percentile(values, p)) for p in (0, 99)) if values.size else (0.0, 1.0)
    return field, low, high if high > low else low + 1.0


def _colours(shown: object) -> str:
    """Return the colour map of the job's picture. The map is a list of red, green and blue in [0, 1]."""
    some = table_of_job(shown)[np.linspace(0, 255, MAP_STEPS).round().astype(int)] / 255
    return repr([tuple(round(float(v), 4) for v in colour) for colour in some])


def _for_paraview(source: Path, field: Field) -> dict[str, str]:
    with open_results(source) as results:
        parts = [part.path for part in results.parts] if isinstance(results, ClusterParts) else [source]
    vtkhdf, xdmf = ([part.with_suffix(ending) for part in parts] for ending in (".vtkhdf", ".xdmf"))
    size = (np.array(field.values.shape[2::-1]) - field.on_nodes) * field.spacing
    middle = field.placement.corner_mm + size / 2
    return {
        "folder": repr(str(source.resolve().parent)),
        "vtkhdf": repr([path.name for path in vtkhdf] if all(path.is_file() for path in vtkhdf) else []),
        "xdmf": repr([path.name for path in xdmf]),
        "field": repr(field.name),
        "on_nodes": repr(bool(field.on_nodes)),
        "components": repr(len(field.components)),
        "bar": repr(f"{field.name} [{field.units}]"),
        "span": repr(float(np.linalg.norm(size))),
        "middle": repr([float(m) for m in middle]),
    }


def _images(source: Path, field: Field, path: Path) -> tuple[list[str], float]:
    """Write the field (magnitude of vectors) and the material as NRRD for the script. Return also the value of empty
    voxels."""
    if field.on_nodes:
        raise DataError(
            f"'{field.name}' is defined on nodes, half an edge away from the voxel centres; select a voxel field"
        )
    values = np.linalg.norm(field.values, axis=3) if field.components else field.values
    # The display range in Slicer does not support NaN. Empty voxels therefore receive a value below all other values.
    finite = values[np.isfinite(values)]
    below = min(0.0, float(finite.min()) if finite.size else 0.0) - 1.0
    values = np.where(np.isfinite(values), values, np.float32(below)).astype(np.float32)
    names = [f"{path.stem}.{field.name}.nrrd", f"{path.stem}.solid.nrrd"]
    scalar = Field(field.name, values, field.units, False, field.spacing, field.placement)
    write_nrrd([scalar], path.parent / names[0])
    write_nrrd([next(read_fields(source, ["material"]))], path.parent / names[1])
    return names, below
