#include <osteon/physics/elasticity/adapters/script_job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/io/voxfe/read_model.hpp>
#include <osteon/io/voxfe/script.hpp>
#include <osteon/io/voxfe/write_results.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/outputs/scene_file.hpp>
#include <osteon/kernel/elasticity/symmetric_tensor.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/elastic_source.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/solver/strain_stress.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/voxel/node_set.hpp>
#include <set>

namespace osteon::physics {

namespace fs = std::filesystem;

namespace {

// A script, and the options for reading and writing its files.
struct script_reading {
  std::shared_ptr<const io::voxfe::script> text;
  io::voxfe::reading_options options;
  io::voxfe::text_access access = io::voxfe::text_access::parallel;
};

// The content of local_model::source_data for a script. Text results number all elements, including removed elements.
struct script_elements {
  /// Material of each element before the removal of parts, shape of where.owned.
  std::vector<material_number> material;
  int base = 1;  ///< first index
};
namespace vx = io::voxfe;

// Sums of the strains of the voxels around each node, and the number of these voxels. The shape is (nodes, 7). The sums
// are complete on all ranks.
std::vector<double> strains_around_nodes(const local_model& part, const derived_fields& state) {
  const numerics::elasticity_problem& problem = *state.problem;
  const voxel::node_grid grid{&problem.cells, &problem.nodes, part.where.owned.begin, problem.spacing_mm, {}};
  std::vector<double> sums;
  comm::collectively(part.where.comm, [&] {
    const std::vector<float> strain = physics::strain(problem, *state.displacement_mm);
    sums.resize(7 * static_cast<std::size_t>(problem.nodes.size()));
    voxel::for_each_cell(grid, [&](std::int32_t cell, const std::array<std::int32_t, 8>& corners) {
      for (const std::int32_t node : corners) {
        double* const at = sums.data() + 7 * static_cast<std::ptrdiff_t>(node);
        for (int c = 0; c < 6; ++c) at[c] += strain[static_cast<std::size_t>(6 * static_cast<std::int64_t>(cell) + c)];
        at[6] += 1;
      }
    });
  });
  grid::share_nodes(part.where, problem.nodes).exchange_add(sums.data(), {7, 1, 7});
  return sums;
}

/// The nodes of the model of a script. The displacement of removed parts is zero.
class script_nodes {
 public:
  script_nodes(const local_model& part, const script_elements& elements, const derived_fields& state)
      : part_(part), solved_(state.problem->nodes) {
    cells_ = voxel::active_cells({elements.material.data(), part.where.owned.shape()});
    nodes_ = voxel::corner_nodes(cells_);
  }
  const voxel::run_set& cells() const { return cells_; }

  /// Rows of the nodes with `wanted(id)`. @param fill(local node or -1, id, row) sets a row @collective
  template <class Wanted, class F>
  vx::node_rows rows(int components, Wanted wanted, F fill) const {
    vx::node_rows rows;
    comm::collectively(part_.where.comm, [&] {
      rows.components = components;
      const voxel::node_grid grid{&cells_, &nodes_, part_.where.owned.begin, part_.header.spacing_mm, {}};
      std::vector<double> row(static_cast<std::size_t>(components));
      voxel::for_each_node(grid, [&](std::int32_t, index3 at) {
        const std::int64_t id = grid::node_id(part_.where.domain, at);
        if (!wanted(id)) return;
        const index3 local = at - part_.where.owned.begin;
        std::fill(row.begin(), row.end(), 0.0);
        fill(solved_.find(local.z, local.y, local.x), id, row.data());
        rows.id.push_back(id);
        rows.value.insert(rows.value.end(), row.begin(), row.end());
      });
    });
    return vx::settle(part_.where, std::move(rows));
  }

 private:
  const local_model& part_;
  const voxel::run_set& solved_;
  voxel::run_set cells_, nodes_;
};

// Path of a results file in the output directory. Directories in the name are removed.
std::string target(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / fs::path(name).filename()).string();
}

// Write the results files of the script to a directory.
// @param reaction_N as in elasticity_solution
// @return paths by content
// @throws machine_error @collective on part.where.comm
nlohmann::ordered_json write_script_results(const script_reading& script, const local_model& part,
                                            const derived_fields& state, const std::vector<double>& reaction_N,
                                            const std::string& directory, log_sink& log) {
  const vx::script& s = *script.text;
  const auto& elements = *static_cast<const script_elements*>(part.source_data.get());
  const MPI_Comm comm = part.where.comm;
  const vx::text_access access = script.access;
  const bool metres = script.options.units == vx::unit_system::m_Pa;
  const double length = metres ? 1e-3 : 1, pressure = metres ? 1e6 : 1;
  const stopwatch watch;
  std::int64_t bytes = 0;
  nlohmann::ordered_json files = nlohmann::ordered_json::object();
  std::optional<script_nodes> nodes;
  comm::collectively(comm, [&] {
    nodes.emplace(part, elements, state);
    for (const auto& [content, name] : {std::pair<const char*, const std::string&>{"displacement", s.results.displacement},
                                        {"full_strain", s.results.strain},
                                        {"reaction", s.results.reaction},
                                        {"sed", s.results.sed}})
      if (!name.empty()) files[content] = target(directory, name);
  });
  const auto file = [&](const char* content) { return files.at(content).get<std::string>(); };
  const auto all = [](std::int64_t) { return true; };
  const auto displacement = [&](std::int32_t node, double* row) {
    for (std::int64_t c = 0; node >= 0 && c < 3; ++c)
      row[c] = (*state.displacement_mm)[static_cast<std::size_t>(3 * static_cast<std::int64_t>(node) + 2 - c)] * length;
  };
  if (files.contains("displacement"))
    bytes += vx::write_displacement(
        comm, s, file("displacement"), access,
        nodes->rows(3, all, [&](std::int32_t node, std::int64_t, double* row) { displacement(node, row); }));
  if (files.contains("full_strain")) {
    const std::vector<double> sums = strains_around_nodes(part, state);
    bytes += vx::write_full_strain(comm, s, file("full_strain"), access,
                                   nodes->rows(12, all, [&](std::int32_t node, std::int64_t, double* row) {
                                     if (node < 0) return;
                                     displacement(node, row);
                                     const double* const sum = sums.data() + 7 * static_cast<std::ptrdiff_t>(node);
                                     std::array<double, 6> e{};
                                     for (std::size_t c = 0; c < 6; ++c) row[3 + c] = e[c] = sum[c] / sum[6];
                                     const auto values = kernel::principal(kernel::without_engineering_shears(e)).value;
                                     std::copy(values.begin(), values.end(), row + 9);
                                   }));
  }
  if (files.contains("reaction")) {
    std::map<std::int64_t, std::array<double, 6>> named;  // force and constrained axes, x y z
    for (const voxel::node_condition& c : part.header.conditions) {
      auto& v = named[grid::node_id(part.where.domain, c.node)];
      for (int a = 0; a < 3; ++a) {
        v[static_cast<std::size_t>(2 - a)] += c.force_N[a];
        if (c.held[static_cast<std::size_t>(a)]) v[static_cast<std::size_t>(5 - a)] = 1;
      }
    }
    const vx::node_rows ids = nodes->rows(0, all, [](std::int32_t, std::int64_t, double*) {});
    const vx::node_rows rows = nodes->rows(
        9, [&](std::int64_t id) { return named.count(id) > 0; },
        [&](std::int32_t node, std::int64_t id, double* row) {
          const auto& v = named.at(id);
          for (std::size_t c = 0; c < 3; ++c) {
            const bool locked = v[3 + c] != 0 && node >= 0;  // at unconstrained nodes the reaction is a rounding error
            if (locked) row[c] = reaction_N[static_cast<std::size_t>(3 * static_cast<std::int64_t>(node)) + 2 - c];
            row[3 + c] = v[c];
            row[6 + c] = v[3 + c];
          }
        });
    bytes += vx::write_reactions(comm, s, file("reaction"), access, ids, rows, elements.base);
  }
  if (files.contains("sed")) {
    std::vector<float> sed;
    comm::collectively(comm, [&] {
      // Definition of VoxFE-UV: u.K.u / 2V of the element.
      const std::vector<float> density = integrated_energy_density(*state.problem, *state.displacement_mm);
      for (const voxel::run& r : nodes->cells().runs())
        for (std::int32_t i = 0; i < r.length; ++i) {
          const std::int32_t cell = part.cells.find(r.z, r.y, r.x + i);
          sed.push_back(cell < 0 ? 0.0F : static_cast<float>(density[static_cast<std::size_t>(cell)] * pressure));
        }
    });
    bytes += vx::write_sed(part.where, s, file("sed"), access, {elements.material.data(), part.where.owned.shape()}, sed,
                           elements.base);
  }
  if (!files.empty())
    log.note(fmt::format("wrote {} text files ({:.1f} MB, {:.1f} MB/s)", files.size(), static_cast<double>(bytes) * 1e-6,
                         static_cast<double>(bytes) * 1e-6 / std::max(watch.seconds(), 1e-9)));
  return files;
}

// Smallest tolerance of the solver. Smaller tolerances are below the rounding errors of double precision.
constexpr double smallest_tolerance = 1e-12;
constexpr std::int64_t most_iterations = 1'000'000;

// Check that the names of the text results do not collide with other files of the output directory.
void check_results(const spec& job, const io::voxfe::result_files& results, std::vector<problem>& problems) {
  const output_paths own(job);
  std::set<std::string> taken;
  const scene_paths scene(own.directory);
  for (const std::string& path : {own.model, own.results, own.vtkhdf, own.xdmf, own.picture, own.summary, own.manifest,
                                  own.report, scene.scene, scene.sets, scene.labelled, std::string(".lock")})
    taken.insert(fs::path(path).filename().string());
  for (const std::string& name : results.names()) {
    const std::string file = fs::path(name).filename().string();
    if (file.empty() || file == "." || file == ".." || !taken.insert(file).second)
      problems.push_back(
          {job.file,
           fmt::format("results file '{}': invalid name, or name of another file of this job; choose another name in "
                       "the script",
                       name)});
  }
}

void report_notes(const io::voxfe::script& text, int base, log_sink& log) {
  for (const std::string& note : text.notes) log.warn(note);
  std::vector<std::string> notes;
  io::voxfe::conditions_of(text, base, notes);
  for (const std::string& note : notes) log.warn(note);
  log.note(fmt::format("first index of elements and nodes: {}", base));
}

// A script and the files that it references. Each rank reads its own part of the model. The text results are written after
// an elastic solution.
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
    io::voxfe::model_planes model = io::voxfe::read_model(comm, text, reading_.options, reading_.access);
    local_model part;
    part.where = std::move(model.where);
    part.header = std::move(model.header);
    comm::collectively(comm, [&] {
      report_notes(text, model.index_base, log);
      set_voxels(part, model.material);
      part.source_data =
          std::make_shared<const script_elements>(script_elements{std::move(model.material), model.index_base});
    });
    return part;
  }

  imported_model make_model(const spec& job, const std::string& path, log_sink& log, const stop_query&) const override {
    log.stage("importing the VOX-FE model");
    const io::voxfe::whole_model model = io::voxfe::read_whole_model(*reading_.text, reading_.options);
    report_notes(*reading_.text, model.layout.base, log);
    return write_imported(job, path, model.header, model.material);
  }

  std::vector<std::string> further_results() const override { return reading_.text->results.names(); }
  bool needs_reactions() const override { return !reading_.text->results.reaction.empty(); }

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
  if (!changes.empty()) problems.push_back({path, "--set applies to TOML job files; this job is a VOX-FE script"});
  spec job = job_of_model(path);
  script_reading from;
  from.options.units_given = options.units.has_value();
  if (options.units == "m") from.options.units = io::voxfe::unit_system::m_Pa;
  from.options.index_base = options.index_base.value_or(-1);
  from.access = options.serial_text ? io::voxfe::text_access::serial : io::voxfe::text_access::parallel;
  try {
    auto text = io::voxfe::read_script(path, from.options);
    job.image.path = text.model_file;
    job.solve.tolerance = std::max(text.tolerance, smallest_tolerance);
    job.solve.max_iterations = std::min(text.max_iterations, most_iterations);
    if (!text.results.strain.empty()) {
      std::vector<std::string>& fields = job.groups.of<mechanical_keys>().fields.emplace();
      for (const elastic_field field : default_elastic_fields()) fields.push_back(name_of(field));
      fields.insert(fields.end(), {name_of(elastic_field::strain), name_of(elastic_field::principal_strain)});
    }
    check_results(job, text.results, problems);
    from.text = std::make_shared<const io::voxfe::script>(std::move(text));
    job.from = std::make_shared<const script_source>(std::move(from));
    std::ifstream file(path, std::ios::binary);
    job.text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const data_error& fault) {
    problems.push_back({"invalid VOX-FE script", fault.what()});
  }
  return job;
}

}  // namespace

spec job_of_model(const std::string& path) {
  spec job;
  job.file = path;
  job.name = fs::path(path).stem().string();
  job.output_directory = job.name + ".out";
  job.load.test = name_of(elastic_test::custom);
  job.segment.keep = kept_parts::all;
  job.segment.drop_unsupported = true;           // other programs allow parts without a constraint; such parts carry no load
  job.run.decomposition = cut_of_image::planes;  // with planes, elements have the order of the file
  return job;
}

imported_model write_imported(const spec& job, const std::string& path, const voxel::model_header& header,
                              const std::vector<material_number>& material) {
  make_folder_of(path);
  const view3<const material_number> voxels(material.data(), header.shape);
  io::write_model(path, header, voxels, storage_of(job));
  return {path, header.shape, false,
          voxel::count_nodes(voxel::image_runs_of(voxel::active_cells(voxels, voxel::numbering::none))),
          header.provenance_json};
}

bool is_script(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(65536, '\0');
  file.read(begin.data(), std::ssize(begin));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return io::voxfe::is_voxfe_script(begin);
}

const job_reader& script_reader() {
  static const job_reader reader{&is_script, &read_script_job};
  return reader;
}

}  // namespace osteon::physics
