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

void tell(const io::n88::outline& file, log_sink& log) {
  for (const std::string& note : file.notes) log.warn(note);
}

// Ranks read the elements themselves.
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
    tell(model.file, log);
    local_model part;
    part.where = std::move(model.where);
    part.header = std::move(model.file.header);
    comm::collectively(comm, [&] { set_voxels(part, model.material); });
    return part;
  }

  imported_model make_model(const spec& job, const std::string& path, log_sink& log, const stop_query&) const override {
    log.stage("importing the n88 model");
    const io::n88::whole_model model = io::n88::read_whole_model(path_);
    tell(model.file, log);
    make_folder_of(path);
    const voxel::model_header& header = model.file.header;
    const view3<const material_number> voxels(model.material.data(), header.shape);
    io::write_model(path, header, voxels, storage_of(job));
    return {path, header.shape, false, voxel::count_nodes(voxel::active_cells(voxels, voxel::numbering::none)),
            header.provenance_json};
  }

 private:
  std::string path_;
};

spec read_n88_job(const std::string& path, const reader_options& options, const std::vector<std::string>& changes,
                  std::vector<problem>& problems) {
  if (!changes.empty() || options.any())
    problems.push_back({path,
                        "--set is for keys of TOML job files, --units, --index-base and --io text-serial are for "
                        "VOX-FE scripts; this job is an n88 model"});
  spec job;
  job.file = path;
  job.name = fs::path(path).stem().string();
  job.output_directory = job.name + ".out";
  job.image.path = path;
  job.load.test = "custom";
  job.segment.keep = kept_parts::all;
  job.segment.drop_unsupported = true;           // parts without a constraint carry no load
  job.run.decomposition = cut_of_image::planes;  // the order of the elements of a file
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
