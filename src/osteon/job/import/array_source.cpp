#include <algorithm>
#include <iterator>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/scatter_model.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/import/scan_model.hpp>
#include <osteon/voxel/run_set.hpp>

namespace osteon::job {

namespace {

scan_model model_of(const voxel::image_planes& image, const spec& job, log_sink& log) {
  const auto no_other = [](const std::string& name) -> scan {
    throw usage_error("'" + name + "' is an image file; solve jobs with image files by `osteon run`");
  };
  return make_scan_model(job, {image, {{"format", "array"}}}, "", "", no_other, log);
}

// The model of an array in the memory of rank 0, without files.
class array_source final : public model_source {
 public:
  explicit array_source(voxel::image_planes image) : image_(std::move(image)) {}

  bool is_image() const override { return true; }

  index3 prepare(const spec&, log_sink&, const stop_query&) const override { return image_.shape; }

  voxel::model_header outline(MPI_Comm, const spec& job) const override { return model_of(image_, job, null_log()).header; }

  local_model read(MPI_Comm comm, const spec& job, io_clock&, log_sink& log) const override {
    scan_model made;  // on rank 0
    comm::collectively(comm, [&] {
      if (comm::rank(comm) == 0) made = model_of(image_, job, log);
    });
    io::model_of_rank own = io::scatter_header(comm, made.header);
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
    io::scatter_planes(part.where, made.solid.material,
                       [&, z = std::int64_t{0}](std::span<const material_number> plane) mutable {
                         voxel::append_runs(runs, {plane.data(), {1, owned.shape().y, owned.shape().x}}, z++);
                         std::copy_if(plane.begin(), plane.end(), std::back_inserter(part.material),
                                      [](material_number m) { return m != 0; });
                       });
    comm::collectively(comm, [&] { part.cells = {owned.shape(), std::move(runs)}; });
    return part;
  }

  imported_model make_model(const spec& job, const std::string& path, log_sink& log, const stop_query&) const override {
    const scan_model made = model_of(image_, job, log);
    make_folder_of(path);
    io::write_model(path, made.header, made.solid.material, storage_of(job));
    return {path, made.header.shape, false, made.nodes, made.header.provenance_json};
  }

 private:
  voxel::image_planes image_;
};

}  // namespace

std::shared_ptr<const model_source> source_of_array(voxel::image_planes image) {
  return std::make_shared<array_source>(std::move(image));
}

}  // namespace osteon::job
