#include <osteon/physics/elasticity/adapters/script_job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/io/voxfe/read_model.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/outputs/scene_file.hpp>
#include <osteon/physics/elasticity/adapters/script_results.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/elastic_source.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>

namespace osteon::physics {

namespace fs = std::filesystem;

namespace {

// The solver works in double; a script may ask for less than its rounding.
constexpr double smallest_tolerance = 1e-12;
constexpr std::int64_t most_iterations = 1'000'000;

// Text results go into the output directory, beside the files that osteon writes there.
void check_results(const spec& job, const io::voxfe::result_files& results, std::vector<problem>& problems) {
  const output_paths own(job);
  std::set<std::string> taken;
  const scene_paths told(own.directory);
  for (const std::string& path : {own.model, own.results, own.vtkhdf, own.xdmf, own.picture, own.summary, own.manifest,
                                  own.report, told.scene, told.sets, told.labelled, std::string(".lock")})
    taken.insert(fs::path(path).filename().string());
  for (const std::string& name : results.names()) {
    const std::string file = fs::path(name).filename().string();
    if (file.empty() || file == "." || file == ".." || !taken.insert(file).second)
      problems.push_back(
          {job.file, fmt::format("'{}' is no name for a results file, or the name of another one of this job; "
                                 "choose another in the script",
                                 name)});
  }
}

void tell_notes(const io::voxfe::script& text, int base, log_sink& log) {
  for (const std::string& note : text.notes) log.warn(note);
  std::vector<std::string> notes;
  io::voxfe::conditions_of(text, base, notes);
  for (const std::string& note : notes) log.warn(note);
  log.note(fmt::format("elements and nodes are counted from {}", base));
}

// A script and the files that it names. Ranks read the model themselves; its text results go with an elastic solution.
class script_source final : public elastic_source {
 public:
  explicit script_source(script_reading reading) : reading_(std::move(reading)) {}

  bool is_image() const override { return false; }

  index3 prepare(const spec&, log_sink&, const stop_query&) const override { return reading_.text->shape(); }

  voxel::model_header outline(MPI_Comm, const spec&) const override {
    voxel::model_header header;
    header.shape = reading_.text->shape();
    return header;
  }

  local_model read(MPI_Comm comm, const spec&, io_clock&, log_sink& log) const override {
    const io::voxfe::script& text = *reading_.text;
    io::voxfe::model_planes model = io::voxfe::read_model(comm, text, reading_.how, reading_.access);
    local_model part;
    part.where = std::move(model.where);
    part.header = std::move(model.header);
    comm::collectively(comm, [&] {
      tell_notes(text, model.index_base, log);
      set_voxels(part, model.material);
      part.of_source = std::make_shared<const script_elements>(script_elements{std::move(model.material), model.index_base});
    });
    return part;
  }

  imported_model make_model(const spec& job, const std::string& path, log_sink& log, const stop_query&) const override {
    log.stage("importing the VOX-FE model");
    const io::voxfe::whole_model model = io::voxfe::read_whole_model(*reading_.text, reading_.how);
    tell_notes(*reading_.text, model.layout.base, log);
    make_folder_of(path);
    const view3<const material_number> voxels(model.material.data(), model.header.shape);
    io::write_model(path, model.header, voxels, storage_of(job));
    return {path, model.header.shape, false, voxel::count_nodes(voxel::active_cells(voxels, voxel::numbering::none)),
            model.header.provenance_json};
  }

  std::vector<std::string> further_results() const override { return reading_.text->results.names(); }
  bool takes_reactions() const override { return !reading_.text->results.reaction.empty(); }

  file_writer writer_of(const spec&, const local_model& part, const derived_fields& state,
                        std::vector<double> reaction_N) const override {
    return
        [reading = reading_, &part, state, reaction = std::move(reaction_N)](const std::string& directory, log_sink& log) {
          return write_script_results(reading, part, state, reaction, directory, log);
        };
  }

 private:
  script_reading reading_;
};

spec read_script_job(const std::string& path, const reader_options& options, const std::vector<std::string>& changes,
                     std::vector<problem>& problems) {
  if (!changes.empty())
    problems.push_back({path, "--set is for keys of TOML job files; this job is a VOX-FE script, which has none"});
  spec job;
  job.file = path;
  job.name = fs::path(path).stem().string();
  job.output_directory = job.name + ".out";
  script_reading from;
  from.how.units_given = options.units.has_value();
  if (options.units == "m") from.how.units = io::voxfe::unit_system::m_Pa;
  from.how.index_base = options.index_base.value_or(-1);
  from.access = options.serial_text ? io::voxfe::text_access::serial : io::voxfe::text_access::parallel;
  try {
    auto text = io::voxfe::read_script(path, from.how);
    job.image.path = text.model_file;
    job.solve.tolerance = std::max(text.tolerance, smallest_tolerance);
    job.solve.max_iterations = std::min(text.max_iterations, most_iterations);
    job.load.test = "custom";
    job.segment.keep = kept_parts::all;
    job.segment.drop_unsupported = true;           // VOX-FE keeps islands, which carry no load
    job.run.decomposition = cut_of_image::planes;  // text files have the order of the planes
    if (!text.results.strain.empty()) {
      job.output_fields = default_elastic_fields();
      job.output_fields->insert(job.output_fields->end(), {"strain", "principal_strain"});
    }
    check_results(job, text.results, problems);
    from.text = std::make_shared<const io::voxfe::script>(std::move(text));
    job.from = std::make_shared<const script_source>(std::move(from));
    std::ifstream file(path, std::ios::binary);
    job.text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const data_error& fault) {
    problems.push_back({"the VOX-FE script cannot be used", fault.what()});
  }
  return job;
}

}  // namespace

bool is_script(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(65536, '\0');
  file.read(begin.data(), std::ssize(begin));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return io::voxfe::looks_like_script(begin);
}

const job_reader& script_reader() {
  static const job_reader reader{&is_script, &read_script_job};
  return reader;
}

}  // namespace osteon::physics
