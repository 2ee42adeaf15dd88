#include <osteon/job/import/array_source.hpp>

#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/deal_model.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/scan_model.hpp>
#include <osteon/voxel/run_set.hpp>

namespace osteon::job {

namespace {

scan_model model_of(const voxel::image_planes& image, const spec& job, log_sink& log) {
  const auto no_other = [](const std::string& name) -> scan {
    throw usage_error("'" + name + "' is an image in a file; a job with one is run by the osteon program");
  };
  return make_scan_model(job, {image, {{"format", "array"}}}, "", "", no_other, log);
}

}  // namespace

index3 array_source::prepare(const spec&, log_sink&, const stop_query&) const { return image_.shape; }

voxel::model_header array_source::outline(MPI_Comm, const spec& job) const {
  return model_of(image_, job, null_log()).header;
}

local_model array_source::read(MPI_Comm comm, const spec& job, io_clock&, log_sink& log) const {
  voxel::model_header header;
  std::vector<material_number> whole;
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    const scan_model made = model_of(image_, job, log);
    header = made.header;
    whole = voxel::all_materials(made.solid);
  });
  local_model part;
  std::vector<material_number> numbers;
  if (comm::size(comm) == 1) {
    part.header = std::move(header);
    part.where = grid::make_block(comm, part.header.shape, part.header.active_per_plane);
    numbers = std::move(whole);
  } else {
    io::model_of_rank own = io::deal_model(comm, header, whole);
    part.header = std::move(own.header);
    part.where = std::move(own.where);
    numbers = std::move(own.material);
  }
  comm::collectively(comm, [&] {
    const view3<const material_number> voxels(numbers.data(), part.where.owned.shape());
    part.cells = voxel::active_cells(voxels);
    part.material = voxel::gather(part.cells, voxels);
  });
  return part;
}

imported_model array_source::make_model(const spec& job, const std::string& path, log_sink& log, const stop_query&) const {
  const scan_model made = model_of(image_, job, log);
  make_folder_of(path);
  io::write_model(path, made.header, made.solid.material, storage_of(job));
  return {path, made.header.shape, false, made.nodes, made.header.provenance_json};
}

}  // namespace osteon::job
