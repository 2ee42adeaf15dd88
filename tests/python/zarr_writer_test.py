"""Export of OME-Zarr. Oracle: the package zarr reads the values written. Positions are determined by hand as OME-NGFF
0.4 defines them."""

import json
from pathlib import Path

import numpy as np
import pytest
import zarr
from osteon.errors import DataError
from osteon.export.export import export, main
from osteon.export.zarr_writer import write_ome_zarr
from osteon.images.placement import Placement
from osteon.results.result_fields import Field

SPACING, CORNER = np.array([0.5, 0.25, 2.0]), np.array([-7.0, 3.0, 11.0])  # x, y, z
TURN = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def written(values: np.ndarray, on_nodes: bool = False, name: str = "von_mises") -> tuple[zarr.Group, dict]:
    write_ome_zarr(Field(name, values, "MPa", on_nodes, SPACING, Placement(CORNER, TURN)), Path("f.ome.zarr"))
    group = zarr.open_group("f.ome.zarr", mode="r", zarr_format=2)
    return group, group.attrs["multiscales"][0]


def place(multiscale: dict, level: int) -> tuple[list, list]:
    scale, translation = multiscale["datasets"][level]["coordinateTransformations"]
    return scale["scale"], translation["translation"]


def test_a_field_has_its_values_units_and_place():
    values = RNG.random((3, 70, 130)).astype("f4")  # the shape is larger than a chunk and not a multiple of a chunk
    values[:, :, 64:] = np.nan  # a chunk that is not written
    group, multiscale = written(values)
    np.testing.assert_array_equal(group["0"][:], values)
    assert not Path("f.ome.zarr/0/0/0/1").exists() and Path("f.ome.zarr/0/0/1/0").exists()
    assert [a["name"] for a in multiscale["axes"]] == ["z", "y", "x"]
    assert {a["unit"] for a in multiscale["axes"]} == {"millimeter"} and multiscale["version"] == "0.4"
    assert place(multiscale, 0) == ([2.0, 0.25, 0.5], [12.0, 3.125, -6.75])  # the centre of the first voxel
    assert group.attrs["osteon"]["direction"] == TURN.ravel().tolist() and group.attrs["osteon"]["units"] == "MPa"


def test_levels_are_means_of_what_is_there_and_stay_in_place():
    """Oracle: the mean of 2 x 2 x 2 voxels. The centre of these voxels is the position of the coarse voxel."""
    values = RNG.random((2, 4, 130)).astype("f4")
    values[0, 0, 0] = np.nan
    group, multiscale = written(values)
    coarse = group["1"][:]
    assert coarse.shape == (1, 2, 65) and len(multiscale["datasets"]) == 2
    expected = values.astype("f8").reshape(1, 2, 2, 2, 65, 2).mean(axis=(1, 3, 5))
    np.testing.assert_allclose(coarse[:, :, 1:], expected[:, :, 1:], rtol=1e-6)
    assert np.isfinite(coarse[0, 0, 0])
    scale, translation = place(multiscale, 1)
    assert scale == [4.0, 0.5, 1.0] and translation == [13.0, 3.25, -6.5]


def test_vectors_have_channels_first_and_nodes_lie_on_the_corner():
    values = RNG.random((4, 5, 6, 3)).astype("f4")
    group, multiscale = written(values, on_nodes=True, name="displacement")
    np.testing.assert_array_equal(group["0"][:], np.moveaxis(values, 3, 0))
    assert [a["type"] for a in multiscale["axes"]] == ["channel", "space", "space", "space"]
    assert place(multiscale, 0) == ([1.0, 2.0, 0.25, 0.5], [0.0, 11.0, 3.0, -7.0])
    assert [c["label"] for c in group.attrs["omero"]["channels"]] == [f"displacement {c}" for c in "xyz"]


def test_materials_stay_whole_numbers():
    values = RNG.integers(0, 3, (2, 200, 3)).astype("u1")
    group, _ = written(values, name="material")
    np.testing.assert_array_equal(group["0"][:], values)
    assert set(np.unique(group["1"][:])) <= {0, 1, 2}


def test_by_export_again_and_not_over_other_folders():
    from export_test import CELLS, TURN, result_file

    source = result_file(TURN)
    assert main([source, "--field", "stress", "--component", "zz", "-o", "s.ome.zarr"]) == 0
    export(source, "s.ome.zarr", ["von_mises"])
    found = zarr.open_group("s.ome.zarr", mode="r", zarr_format=2)
    np.testing.assert_array_equal(found["0"][:], CELLS["von_mises"])
    assert json.loads(Path("s.ome.zarr/.zattrs").read_text())["multiscales"][0]["name"] == "von_mises [MPa]"
    Path("mine.zarr").mkdir()
    with pytest.raises(DataError, match="is a folder with other content"):
        export(source, "mine.zarr", ["von_mises"])
    assert sorted(p.name for p in Path().iterdir()) == ["mine.zarr", "r.nc", "s.ome.zarr"]
