#include <osteon/job/import/array_source.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
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
  scan_model made;  // on rank 0
  comm::collectively(comm, [&] {
    if (comm::rank(comm) == 0) made = model_of(image_, job, log);
  });
  io::model_of_rank own = io::deal_header(comm, made.header);
  local_model part;
  part.header = std::move(own.header);
  part.where = std::move(own.where);
  const box3& owned = part.where.owned;
  std::vector<voxel::run> runs;
  comm::collectively(comm, [&] {
    const auto active = part.header.active_per_plane.begin();
    part.material.reserve(
        static_cast<std::size_t>(std::accumulate(active + owned.begin.z, active + owned.end.z, std::int64_t{0})));
  });
  io::deal_planes(part.where, made.solid.material, [&, z = std::int64_t{0}](std::span<const material_number> plane) mutable {
    voxel::append_runs(runs, {plane.data(), {1, owned.shape().y, owned.shape().x}}, z++);
    std::copy_if(plane.begin(), plane.end(), std::back_inserter(part.material), [](material_number m) { return m != 0; });
  });
  comm::collectively(comm, [&] { part.cells = {owned.shape(), std::move(runs)}; });
  return part;
}

imported_model array_source::make_model(const spec& job, const std::string& path, log_sink& log, const stop_query&) const {
  const scan_model made = model_of(image_, job, log);
  make_folder_of(path);
  io::write_model(path, made.header, made.solid.material, storage_of(job));
  return {path, made.header.shape, false, made.nodes, made.header.provenance_json};
}

}  // namespace osteon::job
