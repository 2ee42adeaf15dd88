#include <osteon/physics/elasticity/adapters/script_job.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/n88/read_n88.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace fs = std::filesystem;

namespace {

void warn_of_notes(const io::n88::outline& file, log_sink& log) {
  for (const std::string& note : file.notes) log.warn(note);
}

// An n88 model. Each rank reads its own elements.
class n88_source final : public model_source {
 public:
  explicit n88_source(std::string path) : path_(std::move(path)) {}

  bool is_image() const override { return false; }

  index3 prepare(const spec&, log_sink&, const stop_query&) const override {
    return io::n88::read_outline(path_).header.shape;
  }

  voxel::model_header outline(MPI_Comm comm, const spec&) const override {
    voxel::model_header header;
    comm::collectively(comm, [&] {
      if (comm::rank(comm) == 0) header.shape = io::n88::read_outline(path_).header.shape;
    });
    MPI_Bcast(&header.shape, 3, MPI_INT64_T, 0, comm);
    return header;
  }

  local_model read(MPI_Comm comm, const spec&, io_clock&, log_sink& log) const override {
    io::n88::model_planes model = io::n88::read_model(comm, path_);
    warn_of_notes(model.file, log);
    local_model part;
    part.where = std::move(model.where);
    part.header = std::move(model.file.header);
    comm::collectively(comm, [&] { set_voxels(part, model.material); });
    return part;
  }

  imported_model make_model(const spec& job, const std::string& path, log_sink& log, const stop_query&) const override {
    log.stage("importing the n88 model");
    const io::n88::whole_model model = io::n88::read_whole_model(path_);
    warn_of_notes(model.file, log);
    return write_imported(job, path, model.file.header, model.material);
  }

 private:
  std::string path_;
};

spec read_n88_job(const std::string& path, const reader_options& options, const std::vector<std::string>& changes,
                  std::vector<problem>& problems) {
  if (!changes.empty() || options.any())
    problems.push_back({path,
                        "--set applies to TOML job files, and --units, --index-base and --io text-serial apply to VOX-FE "
                        "scripts; this job is an n88 model"});
  spec job = job_of_model(path);
  job.image.path = path;
  job.text = fmt::format("# the active problem of {}\n", fs::path(path).filename().string());
  job.from = std::make_shared<const n88_source>(path);
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) problems.push_back({path, "no such file"});
  return job;
}

}  // namespace

const job_reader& n88_reader() {
  static const job_reader reader{&io::n88::is_model_name, &read_n88_job};
  return reader;
}

}  // namespace osteon::physics
