#include <osteon/comm/communicator.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/grid/redistribute.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/netcdf.hpp>

namespace osteon::io {

// Each rank reads whole chunks. Therefore each chunk is read and decompressed once. If there are more ranks than chunks,
// some ranks read no chunk.
grid::box_tree planes_to_read(const voxel::model_header& header, int ranks) {
  const index3 shape = header.shape;
  const std::int64_t k = make_material_variable(header).chunk_planes, chunks = (shape.z + k - 1) / k;
  std::vector<std::int64_t> first;
  for (std::int64_t r = 0; r <= ranks; ++r) first.push_back(std::min(shape.z, chunks * r / ranks * k));
  return grid::box_tree::of_planes(shape, first);
}

model_brick read_model_brick(MPI_Comm comm, const std::string& path, const voxel::model_header& header,
                             const access& options) {
  const int ranks = comm::size(comm);
  const grid::box_tree planes = planes_to_read(header, ranks);
  const box3 mine = planes.box_of(comm::rank(comm));
  std::vector<material_number> voxels = read_model_planes(comm, path, header, mine, options);
  model_brick result;
  result.where =
      grid::make_block(comm, grid::balance_bricks(comm, header.shape, mine, {voxels.data(), mine.shape()}, ranks));
  if (ranks == 1)
    result.material = std::move(voxels);
  else
    result.material = grid::redistribute<material_number>(comm, planes, *result.where.boxes, voxels);
  return result;
}

std::vector<material_number> read_model_block(const std::string& path, const voxel::model_header& header,
                                              const grid::block& where, const access& options) {
  if (where.is_planes()) return read_model_planes(path, header, where, options);
  const grid::box_tree planes = planes_to_read(header, comm::size(where.comm));
  const std::vector<material_number> voxels =
      read_model_planes(where.comm, path, header, planes.box_of(comm::rank(where.comm)), options);
  return grid::redistribute<material_number>(where.comm, planes, *where.boxes, voxels);
}

}  // namespace osteon::io
