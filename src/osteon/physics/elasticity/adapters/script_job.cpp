#include <osteon/physics/elasticity/adapters/script_job.hpp>

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/io/voxfe/read_model.hpp>
#include <osteon/io/voxfe/script.hpp>
#include <osteon/io/voxfe/write_results.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/outputs/scene_file.hpp>
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
  io::voxfe::reading_options how;
  io::voxfe::text_access access = io::voxfe::text_access::parallel;
};

// The content of `of_source` for the specimen of a script: text results number all elements, including removed ones.
struct script_elements {
  std::vector<material_number> material;  ///< before removal of parts, shape of where.owned
  int base = 1;                           ///< first index
};
namespace vx = io::voxfe;

// Sums of the strains at the voxels around each node, and their number, complete on all ranks; shape (nodes, 7).
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

// In descending order. @param e xx, yy, zz and engineering shears xy, yz, xz
std::array<double, 3> principal(const std::array<double, 6>& e) {
  Eigen::Matrix3d tensor;
  tensor << e[0], e[3] / 2, e[5] / 2, e[3] / 2, e[1], e[4] / 2, e[5] / 2, e[4] / 2, e[2];
  const Eigen::Vector3d values =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor, Eigen::EigenvaluesOnly).eigenvalues();
  return {values[2], values[1], values[0]};
}

/// The nodes of the script's model, with the solution if present: removed parts have zero displacement.
class script_nodes {
 public:
  script_nodes(const local_model& part, const script_elements& elements, const derived_fields& state)
      : part_(part), solved_(state.problem->nodes) {
    cells_ = voxel::active_cells({elements.material.data(), part.where.owned.shape()});
    nodes_ = voxel::corner_nodes(cells_);
  }
  const voxel::run_set& cells() const { return cells_; }

  /// Rows of the nodes that `wanted(id)` is true for. @param fill(node or -1, id, row) local @collective
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

// The last component of a name, in the output directory; a script cannot write elsewhere.
std::string target(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / fs::path(name).filename()).string();
}

// Write the files named in the script to a directory; folders in their names are removed.
// @param reaction_N as in elasticity_solution
// @return the files, by content
// @throws machine_error @collective on part.where.comm
nlohmann::ordered_json write_script_results(const script_reading& script, const local_model& part,
                                            const derived_fields& state, const std::vector<double>& reaction_N,
                                            const std::string& directory, log_sink& log) {
  const vx::script& s = *script.text;
  const auto& elements = *static_cast<const script_elements*>(part.of_source.get());
  const MPI_Comm comm = part.where.comm;
  const vx::text_access access = script.access;
  const bool metres = script.how.units == vx::unit_system::m_Pa;
  const double length = metres ? 1e-3 : 1, pressure = metres ? 1e6 : 1;
  const stopwatch watch;
  std::int64_t bytes = 0;
  nlohmann::ordered_json files = nlohmann::ordered_json::object();
  std::optional<script_nodes> nodes;
  comm::collectively(comm, [&] {
    nodes.emplace(part, elements, state);
    for (const auto& [what, name] : {std::pair<const char*, const std::string&>{"displacement", s.results.displacement},
                                     {"full_strain", s.results.strain},
                                     {"reaction", s.results.reaction},
                                     {"sed", s.results.sed}})
      if (!name.empty()) files[what] = target(directory, name);
  });
  const auto file = [&](const char* what) { return files.at(what).get<std::string>(); };
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
                                     const auto values = principal(e);
                                     std::copy(values.begin(), values.end(), row + 9);
                                   }));
  }
  if (files.contains("reaction")) {
    std::map<std::int64_t, std::array<double, 6>> named;  // force and locks, x y z
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
            const bool locked = v[3 + c] != 0 && node >= 0;  // rounding errors only at other nodes
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
      // As VoxFE-UV defines it: u.K.u / 2V of the element.
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
    log.note(fmt::format("{} text files, {:.1f} MB, {:.1f} MB/s", files.size(), static_cast<double>(bytes) * 1e-6,
                         static_cast<double>(bytes) * 1e-6 / std::max(watch.seconds(), 1e-9)));
  return files;
}

// The solver uses double precision; a script may request a tolerance below its rounding.
constexpr double smallest_tolerance = 1e-12;
constexpr std::int64_t most_iterations = 1'000'000;

// Text results are written to the output directory, next to the files of osteon.
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

// A script and the files that it references. Ranks read the model themselves; its text results accompany an elastic
// solution.
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
    job.run.decomposition = cut_of_image::planes;  // text files are ordered by planes
    if (!text.results.strain.empty()) {
      auto& fields = job.groups.of<mechanical_keys>().fields.emplace(default_elastic_fields());
      fields.insert(fields.end(), {"strain", "principal_strain"});
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
