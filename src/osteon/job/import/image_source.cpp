#include <osteon/comm/collectively.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>

namespace osteon::job {

namespace {

// One process segments the image and writes a model file. Each rank reads its part of this file.
class image_source final : public model_source {
 public:
  bool is_image() const override { return true; }

  index3 prepare(const spec& job, log_sink& log, const stop_query& is_to_stop) const override {
    return import_model(job, output_paths(job).model, log, is_to_stop).shape;
  }

  voxel::model_header outline(MPI_Comm comm, const spec& job) const override {
    return io::read_model_header(comm, output_paths(job).model, access_of(job));
  }

  local_model read(MPI_Comm comm, const spec& job, io_clock& clock, log_sink& log) const override {
    const stopwatch watch;
    const std::string path = output_paths(job).model;
    const io::access access = access_of(job);
    local_model part;
    part.header = io::read_model_header(comm, path, access);
    std::vector<material_number> image;
    if (uses_bricks(job, part.header.shape.z, comm::size(comm))) {
      io::model_brick brick = io::read_model_brick(comm, path, part.header, access);
      part.where = std::move(brick.where);
      image = std::move(brick.material);
    } else {
      comm::collectively(comm,
                         [&] { part.where = grid::make_block(comm, part.header.shape, part.header.active_per_plane); });
      image = io::read_model_planes(path, part.header, part.where, access);
    }
    comm::collectively(comm, [&] { set_voxels(part, image); });
    const io::file_report report = report_reading(comm, path, access, part.where.domain.volume(), watch.seconds());
    log.note(clock.note("read", path, report));
    return part;
  }

  imported_model make_model(const spec& job, const std::string& path, log_sink& log,
                            const stop_query& is_to_stop) const override {
    return import_image(job, path, log, is_to_stop);
  }
};

}  // namespace

const model_source& source_of(const spec& job) {
  static const image_source image;
  return job.from ? *job.from : image;
}

}  // namespace osteon::job
