"""Writers of image formats. Each writer writes fields to a path, with units, spacing and orientation."""

import json
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from ..errors import DataError
from ..results.result_fields import Field
from .zarr_writer import write_ome_zarr

MOST_OF_IMAGEJ = 2**32 - 2**24  # number of bytes that 32-bit offsets in a TIFF file can address
RAS_FROM_LPS = np.diag([-1.0, -1.0, 1.0])


def write_nrrd(fields: list[Field], path: Path) -> None:
    import nrrd

    field = _only(fields, path)
    # Components are along the axes of the patient space. Readers then need no measurement frame.
    values = field.in_frame(field.rotation())
    steps = (field.rotation() * field.spacing).T
    header = {
        "space origin": field.first_mm(),
        "space directions": steps,
        "kinds": ["domain"] * 3,
        "encoding": "gzip",
        "field": field.name,
        "field units": field.units,
    }
    if field.placement.direction is None:
        header["space dimension"] = 3
    else:
        header["space"] = "left-posterior-superior"
    header["space units"] = ["mm"] * 3
    if field.components:
        header["kinds"] = ["vector", *header["kinds"]]
        header["space directions"] = np.vstack([np.full(3, np.nan), steps])
        header["components"] = " ".join(field.components)
    nrrd.write(str(path), values, header, index_order="C", compression_level=1)


def write_nifti(fields: list[Field], path: Path) -> None:
    import nibabel

    field = _only(fields, path)
    if len(field.components) == 6:
        raise DataError(
            f"'{field.name}' has 6 components, for which readers of NIfTI have no common order; select one by "
            "--component, or write .nrrd or .vti"
        )
    oriented = field.placement.direction is not None
    affine = np.eye(4)
    affine[:3, :3] = RAS_FROM_LPS @ (field.rotation() * field.spacing)
    affine[:3, 3] = RAS_FROM_LPS @ field.first_mm()
    values = field.in_frame(RAS_FROM_LPS @ field.rotation() if oriented else np.eye(3))
    values = values.transpose(2, 1, 0) if values.ndim == 3 else values.transpose(2, 1, 0, 3)[:, :, :, None, :]
    image = nibabel.Nifti1Image(values, affine)
    # The code 1 means the axes of the scanner. The code 0 means unknown axes: only the voxel size is valid.
    image.set_sform(affine, code=int(oriented))
    image.set_qform(affine, code=int(oriented))
    image.header.set_xyzt_units("mm")
    image.header["descrip"] = f"osteon {field.name} [{field.units}]".encode()[:79]
    if field.components:
        # 1006: displacements in mm along the axes of the file's space, which are R, A, S here; 1007: any vector.
        image.header.set_intent(1006 if field.name.startswith("displacement") else 1007, name=field.name[:15])
    nibabel.save(image, path)


def write_mha(fields: list[Field], path: Path) -> None:
    import SimpleITK as sitk  # noqa: N813

    field = _only(fields, path)
    rotation = field.rotation()
    image = sitk.GetImageFromArray(np.ascontiguousarray(field.in_frame(rotation)), isVector=bool(field.components))
    image.SetSpacing([float(h) for h in field.spacing])
    image.SetOrigin([float(p) for p in field.first_mm()])
    image.SetDirection([float(d) for d in rotation.ravel()])
    sitk.WriteImage(image, str(path), useCompression=True, compressionLevel=1)


def write_tiff(fields: list[Field], path: Path) -> None:
    """Write a TIFF file. Images that ImageJ supports are written as by ImageJ, and Fiji reads the spacing without a
    plug-in. Other images are written as OME-TIFF."""
    import tifffile

    field = _only(fields, path)
    if field.values.nbytes > MOST_OF_IMAGEJ:
        write_ome_tiff(fields, path)
        return
    x, y, z = (float(h) for h in field.spacing)
    values = np.moveaxis(field.values, 3, 1) if field.components else field.values
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    metadata: dict[str, object] = {
        "axes": "ZCYX" if field.components else "ZYX",
        "spacing": z,
        "unit": "mm",
        "min": float(finite.min()) if finite.size else 0.0,
        "max": float(finite.max()) if finite.size else 1.0,
        "Info": f"{field.name} [{field.units}]",
    }
    if field.components:
        metadata["Labels"] = [f"{field.name} {c}" for _ in range(len(values)) for c in field.components]
    # ImageJ stores the unit in the image description. The resolution tag has no unit.
    tifffile.imwrite(path, values, imagej=True, resolution=(1 / x, 1 / y), resolutionunit="NONE", metadata=metadata)


def write_ome_tiff(fields: list[Field], path: Path) -> None:
    import tifffile

    field = _only(fields, path)
    x, y, z = (float(h) for h in field.spacing)
    values = field.values
    metadata: dict[str, object] = {"axes": "ZYX", "Name": f"{field.name} [{field.units}]"}
    for axis, edge in (("X", x), ("Y", y), ("Z", z)):
        metadata |= {f"PhysicalSize{axis}": edge, f"PhysicalSize{axis}Unit": "mm"}
    if field.components:
        values = np.moveaxis(values, 3, 1)
        metadata |= {"axes": "ZCYX", "Channel": {"Name": [f"{field.name} {c}" for c in field.components]}}
    tifffile.imwrite(
        path, values, ome=True, photometric="minisblack", compression="zlib", metadata=metadata, bigtiff=True
    )


def write_zarr(fields: list[Field], path: Path) -> None:
    write_ome_zarr(_only(fields, path), path)


def write_npy(fields: list[Field], path: Path) -> None:
    field = _only(fields, path)
    direction = field.placement.direction
    corner = field.placement.corner_mm - (field.spacing / 2 if field.on_nodes else 0)
    facts = {
        "field": field.name,
        "units": field.units,
        "shape": list(field.values.shape),
        "components": field.components,
        "centring": "nodes" if field.on_nodes else "voxels",
        "spacing_mm": field.spacing[::-1].tolist(),
        "origin_mm": corner[::-1].tolist(),
        "direction": None if direction is None else direction.ravel().tolist(),
    }
    with path.open("wb") as file:
        np.save(file, field.values)
    path.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def write_vti(fields: list[Field], path: Path) -> None:
    first = fields[0]
    z, y, x = (n - int(first.on_nodes) for n in first.values.shape[:3])
    rotation = first.rotation()
    origin = rotation @ first.placement.corner_mm
    extent = f'"0 {x} 0 {y} 0 {z}"'
    arrays = {False: [], True: []}
    blocks: list[np.ndarray] = []
    offset = 0
    for field in fields:
        # VTK rotates positions by Direction. VTK does not rotate components.
        values = np.ascontiguousarray(field.in_frame(rotation))
        kind = {"f4": "Float32", "f8": "Float64", "u1": "UInt8", "u2": "UInt16"}[values.dtype.str[1:]]
        names = "".join(f" ComponentName{i}={quoteattr(c)}" for i, c in enumerate(field.components))
        arrays[field.on_nodes].append(
            f"<DataArray type={quoteattr(kind)} Name={quoteattr(field.name)} "
            f'NumberOfComponents="{max(1, len(field.components))}"{names} format="appended" offset="{offset}">'
            f'<InformationKey name="UNITS_LABEL" location="vtkDataArray">{field.units}</InformationKey></DataArray>'
        )
        blocks.append(values)
        offset += 8 + values.nbytes
    head = (
        '<?xml version="1.0"?>\n<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" '
        f'header_type="UInt64">\n<ImageData WholeExtent={extent} Origin="{_text(origin)}" '
        f'Spacing="{_text(first.spacing)}" Direction="{_text(rotation.ravel())}">\n<Piece Extent={extent}>\n'
        f"<PointData>{''.join(arrays[True])}</PointData>\n<CellData>{''.join(arrays[False])}</CellData>\n"
        '</Piece>\n</ImageData>\n<AppendedData encoding="raw">\n_'
    )
    with path.open("wb") as file:
        file.write(head.encode())
        for values in blocks:
            file.write(np.uint64(values.nbytes).astype("<u8").tobytes())
            file.write(values.astype(values.dtype.newbyteorder("<"), copy=False))
        file.write(b"\n</AppendedData>\n</VTKFile>\n")


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(v)) for v in numbers)


def _only(fields: list[Field], path: Path) -> Field:
    if len(fields) != 1:
        raise DataError(
            f"'{path.name}' stores one field, but {len(fields)} were selected; export them one by one, or as .vti"
        )
    return fields[0]


WRITERS = {
    ".vti": write_vti,
    ".nrrd": write_nrrd,
    ".nii": write_nifti,
    ".nii.gz": write_nifti,
    ".mha": write_mha,
    ".ome.tif": write_ome_tiff,
    ".ome.tiff": write_ome_tiff,
    ".tif": write_tiff,
    ".tiff": write_tiff,
    ".zarr": write_zarr,
    ".npy": write_npy,
}
