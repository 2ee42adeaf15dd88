"""Tests of files of other programs in whole jobs. Oracle: the values written by the test, and counts of voxels by
hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
import tifffile
from whole_job import Job, job_text, osteon

GREY = np.random.default_rng(7).integers(0, 200, (6, 8, 10)).astype("<u2")
META = "NDims = 3\nBinaryData = True\nDimSize = 10 8 6\nElementType = MET_USHORT\nElementSpacing = 1 1 1\n"
ALL = '[segment]\nthreshold = 50\nkeep = "all"\n'


def ome(folder: Path) -> tuple[str, str]:
    """Write an OME-TIFF of two files. Return the names of the file that is read and of the other file."""
    uuids = [f"urn:uuid:00000000-0000-0000-0000-00000000000{i}" for i in (1, 2)]
    data = "".join(
        f'<TiffData FirstZ="{z}" IFD="{z % 3}" PlaneCount="1"><UUID FileName="part &amp;{z // 3}.ome.tif">{uuids[z // 3]}'
        "</UUID></TiffData>"
        for z in range(6)
    )
    for i in (0, 1):
        text = (
            f'<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="{uuids[i]}">'
            '<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="10" SizeY="8" SizeZ="6" '
            'SizeC="1" SizeT="1" PhysicalSizeX="20" PhysicalSizeY="20" PhysicalSizeZ="20">'
            f'<Channel ID="C:0" SamplesPerPixel="1"/>{data}</Pixels></Image></OME>'
        )
        with tifffile.TiffWriter(folder / f"part &{i}.ome.tif") as file:
            for k in range(3):
                words = text if k == 0 else None
                file.write(
                    GREY[3 * i + k], description=words, metadata=None, contiguous=False, photometric="minisblack"
                )
    return "part &0.ome.tif", "part &1.ome.tif"


def with_a_space(folder: Path) -> tuple[str, str]:
    (folder / "my scan.raw").write_bytes(GREY.tobytes())
    (folder / "a.mhd").write_text(META + "ElementDataFile = my scan.raw\n")
    return "a.mhd", "my scan.raw"


def listed(folder: Path) -> tuple[str, str]:
    (folder / "voxels").mkdir()
    names = [f"voxels/s{z}.raw" for z in range(6)]
    for name, plane in zip(names, GREY, strict=True):
        (folder / name).write_bytes(plane.tobytes())
    head = "NRRD0004\ntype: uint16\ndimension: 3\nsizes: 10 8 6\nendian: little\nencoding: raw\nspacings: 1 1 1\n"
    (folder / "a.nhdr").write_text(head + "data file: LIST\n" + "\n".join(names))
    return "a.nhdr", names[4]


def numbered(folder: Path) -> tuple[str, str]:
    for z, plane in enumerate(GREY):
        (folder / f"s{z:03d}.raw").write_bytes(plane.tobytes())
    (folder / "a.mhd").write_text(META + "ElementDataFile = s%03d.raw 0 5 1\n")
    return "a.mhd", "s004.raw"


def raw(folder: Path) -> tuple[str, str]:
    (folder / "voxels.bin").write_bytes(GREY.tobytes())
    layout = {
        "shape": [6, 8, 10],
        "dtype": "uint16",
        "byte_order": "little",
        "spacing_mm": [1, 1, 1],
        "file": "voxels.bin",
    }
    (folder / "a.json").write_text(json.dumps(layout))
    return "a.json", "voxels.bin"


@pytest.mark.parametrize("make", [ome, with_a_space, listed, numbered, raw])
def test_a_change_of_any_file_of_an_image_imports_it_again(job: Job, make) -> None:
    """Oracle: the number of voxels above the threshold in the present file. The time stamps of the files are equal."""
    name, other = make(job.folder)
    job.write(job_text(name, spacing="", more=ALL))
    done = job.run("--json", "-", command="import")
    assert done.code == 0, done.err
    first = json.loads(done.out)
    assert first["segmentation"]["kept_voxels"] == int((GREY > 50).sum()) and not first["reused"]
    assert json.loads(job.run("--json", "-", command="import").out)["reused"]
    path = job.folder / other
    times = path.stat()
    data = path.read_bytes()
    plane = GREY[4].tobytes()
    assert plane in data
    path.write_bytes(data.replace(plane, bytes(80) + plane[80:]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    again = json.loads(job.run("--json", "-", command="import").out)
    changed = GREY.copy()
    changed[4, :4] = 0
    assert not again["reused"] and again["segmentation"]["kept_voxels"] == int((changed > 50).sum())
    assert again["image"]["sha256"] != first["image"]["sha256"]


def test_chunks_that_an_image_lacks(job: Job) -> None:
    """Oracle: determined by hand. Two of 3 chunks were written. The third chunk has the fill value 100 if the job
    accepts this value."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(job.folder / "half.h5", "w") as file:
        data = file.create_dataset("image", GREY.shape, "u2", chunks=(2, 8, 10), fillvalue=100)
        data.attrs["spacing_mm"] = [1.0, 1.0, 1.0]
        data[:4] = GREY[:4]
    job.write(job_text("half.h5", spacing="", more=ALL))
    for command in ("check", "import", "estimate"):
        done = job.run(command=command)
        assert done.code == 3 or command == "check", done.err
        assert "1 of 3 chunks of voxels are missing, whose values would be the fill value 100" in done.out + done.err
    job.write(job_text("half.h5", spacing="", image_more="accept_fill_value = true", more=ALL))
    done = job.run("--json", "-", command="import")
    assert done.code == 0, done.err
    made = json.loads(done.out)
    assert made["segmentation"]["kept_voxels"] == int((GREY[:4] > 50).sum()) + 160
    assert made["image"]["missing_chunks"] == {"count": 1, "fill_value": 100}
    assert "their voxels have the fill value 100" in done.err
    assert job.run(command="check").code == 0 and job.run(command="estimate").code == 0
    assert job.run("--most-voxels", "8", command="check").code == 0


@pytest.mark.parametrize("name", ["mask.npy", "mask.tif"])
def test_a_large_mask_is_checked_by_some_of_its_planes(job: Job, name: str) -> None:
    """Oracle: the contract, with exit code 0 and the range of a mask. A large image with NaN is rejected with the
    position of the NaN."""
    mask = np.zeros((12, 8, 8), bool)
    mask[:, 2:6, 2:6] = True
    if name.endswith(".npy"):
        np.save(job.folder / name, mask)
    else:
        tifffile.imwrite(job.folder / name, mask, photometric="minisblack", metadata=None)
    job.write(job_text(name, more="[segment]\nthreshold = 0.5\n"))
    done = job.run("--most-voxels", "8", "--json", "-", command="check")
    assert done.code == 0 and json.loads(done.out)["image"]["grey_max"] == 1, done.err
    values = np.where(mask, np.float32(np.nan), np.float32(1))
    np.save(job.folder / "nan.npy", values)
    job.write(job_text("nan.npy", more="[segment]\nthreshold = 0.5\n"))
    done = job.run("--most-voxels", "8", command="check")
    assert done.code == 2 and "NaN or infinite" in done.out and "setup" not in done.out, (done.out, done.err)


def test_labels_stored_as_floats(job: Job) -> None:
    """Oracle: the same image as integers. A value that is not an integer is reported with its position."""
    labels = np.random.default_rng(2).integers(0, 3, (6, 5, 4))
    materials = "".join(
        f"[[material]]\nlabel = {i}\nyoungs_modulus_MPa = {i}000\npoisson_ratio = 0.3\n" for i in (1, 2)
    )
    text = f'[image]\npath = "l.npy"\nspacing_mm = 1\n[segment]\nlabels = true\nkeep = "all"\n{materials}'
    found = []
    for kind in ("u1", "f4", "f8"):
        np.save(job.folder / "l.npy", labels.astype(kind))
        job.write(text)
        found.append(json.loads(job.run("--json", "-", command="import").out)["segmentation"])
    assert found[0] == found[1] == found[2] and found[0]["kept_voxels"] == int((labels > 0).sum())
    bad = labels.astype("f4")
    bad[3, 2, 1] = 0.5
    np.save(job.folder / "l.npy", bad)
    done = job.run(command="import")
    assert done.code == 3 and "has the value 0.5 at voxel (z, y, x) = (3, 2, 1)" in done.err


def test_an_ome_zarr_of_osteon_is_an_image(job: Job) -> None:
    """Oracle: the material numbers of the exported job."""
    np.save(job.folder / "s.npy", GREY)
    job.write(job_text("s.npy", spacing="spacing_mm = [0.3, 0.2, 0.1]", more=ALL + "drop_unsupported = true\n"))
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    words = ("export", "job.out/results.nc", "--field", "sed", "--empty", "-1", "-o", "s.ome.zarr")
    assert osteon(*words, folder=job.folder).returncode == 0
    job.write(job_text("s.ome.zarr", spacing="", more='[segment]\nthreshold = -0.5\nkeep = "all"\n'))
    made = json.loads(job.run("--json", "-", command="import").out)
    assert made["image"]["spacing_mm"] == pytest.approx([0.3, 0.2, 0.1])
    assert made["segmentation"]["kept_voxels"] == done.summary["segmentation"]["kept_voxels"] - done.summary.get(
        "dropped", 0
    )
    assert json.loads(job.run("--json", "-", command="import").out)["reused"]


@pytest.mark.parametrize("text", ["na\u202eme = 1\n", "\u202ename = 1\n", "name = \u009b1\n"])
def test_faults_of_toml_are_printable(job: Job, text: str) -> None:
    """Oracle: the contract. Control characters and direction marks are escaped, also in JSON and in Python errors."""
    job.write(text)
    for words in (("check",), ("check", "--json", "-"), ("run",)):
        done = job.run(*words[1:], command=words[0])
        assert done.code == 2, done.err
        printed = done.out + done.err
        assert "not valid TOML" in printed and not {"\u202e", "\u009b"} & set(printed)
        assert ("u202e" in printed) == ("\u202e" in text)


def model_of(job: Job, path: str, **environment: str) -> tuple[dict, np.ndarray]:
    """Import an image with a modulus per grey value; return the answer and the moduli of all voxels."""
    import netCDF4

    law = "[density_law]\nslope = 1\nintercept = 0\ncoefficient_MPa = 1\nexponent = 1\npoisson_ratio = 0.3\n"
    text = f'[image]\npath = "{path}"\nspacing_mm = 1\n[segment]\nthreshold = 50\nkeep = "all"\n{law}'
    job.write(text)
    job.environment = environment
    done = job.run("--json", "-", "-o", "model.nc", command="import")
    assert done.code == 0, done.err
    with netCDF4.Dataset(job.folder / "model.nc") as file:
        moduli = np.asarray(file["model/youngs_modulus"][:])
        voxels = moduli[np.asarray(file["VTKHDF/CellData/material"][:])]
    (job.folder / "model.nc").unlink()
    return json.loads(done.out), voxels


ZARR = {
    "2, zlib": {"zarr_format": 2, "order": "F"},
    "2, blosc": {"zarr_format": 2, "compressors": "blosc"},
    "3, zstd": {},
    "3, gzip, big": {"compressors": "gzip", "serializer": "big"},
    "3, shards": {"shards": (4, 8, 10), "chunks": (2, 4, 5)},
}


HDF5 = {
    "h5": {},
    "h5, gzip": {"chunks": (4, 5, 3), "compression": "gzip", "shuffle": True},
    "h5, chunks": {"chunks": (2, 8, 10)},
    "h5, lzf": {"chunks": (4, 5, 3), "compression": "lzf"},
}


@pytest.mark.parametrize("name", ["npy", "raw", *HDF5, *ZARR])
def test_images_are_read_from_their_own_files(job: Job, name: str) -> None:
    """Oracle: the moduli are the grey values above the threshold. The folder for temporary files is not writable, so a copy
    of the image is impossible; blosc and lzf need such a copy."""
    import h5py
    import numcodecs
    import zarr

    path = f"a.{'zarr' if name in ZARR else name.split(',')[0]}"
    if name == "npy":
        np.save(job.folder / path, GREY)
    elif name == "raw":
        head = {"shape": GREY.shape, "dtype": "uint16", "byte_order": "big", "offset_bytes": 3, "spacing_mm": [1, 1, 1]}
        (job.folder / "a.json").write_text(json.dumps(head))
        (job.folder / path).write_bytes(b"abc" + GREY.astype(">u2").tobytes())
    elif name in HDF5:
        with h5py.File(job.folder / path, "w") as file:
            file.create_dataset("image", data=GREY.astype(">u2" if name == "h5" else "<u2"), **HDF5[name])
    else:
        how = {"chunks": (4, 5, 3), "zarr_format": 3, **ZARR[name]}
        if how["zarr_format"] == 2:
            how["compressors"] = numcodecs.Blosc() if "compressors" in how else numcodecs.Zlib()
        if how.get("compressors") == "gzip":
            how |= {"compressors": zarr.codecs.GzipCodec(), "serializer": zarr.codecs.BytesCodec(endian="big")}
        array = zarr.create_array(job.folder / path, shape=GREY.shape, dtype="uint16", **how)
        array[:] = GREY
    unwritable = job.folder / "none"
    copies = {} if "blosc" in name or "lzf" in name else {"TMPDIR": str(unwritable)}
    made, voxels = model_of(job, path, **copies)
    np.testing.assert_array_equal(voxels, np.where(GREY > 50, GREY, 0))
    assert made["image"]["shape"] == list(GREY.shape) and made["image"]["dtype"] == "u2"


def test_a_damaged_chunk_stops_the_import_in_one_line(job: Job) -> None:
    """Oracle: the contract."""
    import zarr

    array = zarr.create_array(
        job.folder / "a.zarr", shape=GREY.shape, dtype="uint16", chunks=(2, 4, 5), shards=(4, 8, 10)
    )
    array[:] = GREY
    file = job.folder / "a.zarr" / "c" / "1" / "0" / "0"
    data = bytearray(file.read_bytes())
    data[10] ^= 255
    file.write_bytes(data)
    job.write(job_text("a.zarr", more=ALL))
    done = job.run(command="import")
    lines = [line for line in done.err.splitlines() if "copy it again" in line]
    assert done.code == 3 and len(lines) == 1 and "c/1/0/0' is truncated or damaged" in lines[0]
