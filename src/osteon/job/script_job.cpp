#include <osteon/job/script_job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/io/model_file.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/job/compute.hpp>
#include <osteon/job/elastic_output.hpp>
#include <osteon/job/io_options.hpp>
#include <set>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// The solver works in double; a script may ask for less than its rounding.
constexpr double smallest_tolerance = 1e-12;
constexpr std::int64_t most_iterations = 1'000'000;

// Text results go into the output directory, beside the files that osteon writes there.
void check_results(const spec& job, const io::voxfe::result_files& results, std::vector<problem>& problems) {
  const output_paths own(job);
  std::set<std::string> taken;
  for (const std::string& path :
       {own.model, own.results, own.xdmf, own.picture, own.summary, own.manifest, own.report, std::string(".lock")})
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

spec spec_of_script(const std::string& path, const script_options& options, std::vector<problem>& problems) {
  spec job;
  job.file = path;
  job.name = fs::path(path).stem().string();
  job.output_directory = job.name + ".out";
  script_job from;
  from.how.units_given = options.units.has_value();
  if (options.units == "m") from.how.units = io::voxfe::unit_system::m_Pa;
  from.how.index_base = options.index_base.value_or(-1);
  from.way = options.serial_text ? io::voxfe::text_way::serial : io::voxfe::text_way::parallel;
  try {
    auto text = io::voxfe::read_script(path, from.how);
    job.image.path = text.model_file;
    job.solve.tolerance = std::max(text.tolerance, smallest_tolerance);
    job.solve.max_iterations = std::min(text.max_iterations, most_iterations);
    job.load.test = "custom";
    job.segment.keep = "all";
    job.segment.drop_unsupported = true;  // VOX-FE leaves islands where they are; they bear nothing
    job.run.decomposition = "planes";     // text files have the order of the planes
    if (!text.results.strain.empty()) {
      job.output_fields = default_elastic_fields();
      job.output_fields->insert(job.output_fields->end(), {"strain", "principal_strain"});
    }
    check_results(job, text.results, problems);
    from.text = std::make_shared<const io::voxfe::script>(std::move(text));
    job.script = std::move(from);
    std::ifstream file(path, std::ios::binary);
    job.text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const data_error& fault) {
    problems.push_back({"the VOX-FE script cannot be used", fault.what()});
  }
  return job;
}

void tell_notes(const io::voxfe::script& text, int base, sink& log) {
  for (const std::string& note : text.notes) log.warn(note);
  std::vector<std::string> notes;
  io::voxfe::conditions_of(text, base, notes);
  for (const std::string& note : notes) log.warn(note);
  log.note(fmt::format("elements and nodes are counted from {}", base));
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

spec read_job(const std::string& path, const script_options& options, std::vector<problem>& problems) {
  if (is_script(path)) return spec_of_script(path, options, problems);
  if (options.any())
    problems.push_back({path, "--units, --index-base and --io text-serial are for VOX-FE scripts, which this job is not"});
  return read_spec(path, problems);
}

specimen read_script_model(MPI_Comm comm, const spec& job, sink& log) {
  const io::voxfe::script& text = *job.script->text;
  io::voxfe::model_planes model = io::voxfe::read_model(comm, text, job.script->how, job.script->way);
  specimen part;
  part.where = std::move(model.where);
  part.header = std::move(model.header);
  part.script_base = model.index_base;
  comm::together(comm, [&] {
    tell_notes(text, part.script_base, log);
    part.script_image = std::move(model.material);
    const view3<const material_number> voxels(part.script_image.data(), part.where.owned.shape());
    part.cells = voxel::active_cells(voxels);
    part.material = voxel::gather(part.cells, voxels);
  });
  return part;
}

imported_model import_script(const spec& job, const std::string& path, sink& log) {
  log.stage("importing the VOX-FE model");
  const io::voxfe::whole_model model = io::voxfe::read_whole_model(*job.script->text, job.script->how);
  tell_notes(*job.script->text, model.layout.base, log);
  make_folder_of(path);
  const view3<const material_number> voxels(model.material.data(), model.header.shape);
  io::write_model(path, model.header, voxels, storage_of(job));
  return {path, model.header.shape, false, voxel::count_nodes(voxel::active_cells(voxels, voxel::numbering::none)),
          model.header.provenance_json};
}

void add_conditions(const node_sets& sets, load_case& to, sink& log) {
  const auto& conditions = sets.part().header.conditions;
  if (conditions.empty()) return;
  const MPI_Comm comm = sets.comm();
  std::map<std::int32_t, int> held;  // axes of each held node of this rank, as bits
  std::map<std::int32_t, vector3> pulled;
  std::vector<std::uint8_t> found(conditions.size());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const voxel::node_condition& c = conditions[i];
    const index3 at = c.node - sets.grid().begin;
    const std::int32_t node = sets.grid().nodes->find(at.z, at.y, at.x);
    if (node < 0) continue;
    found[i] = 1;
    for (int a = 0; a < 3; ++a)
      if (c.held[static_cast<std::size_t>(a)]) held[node] |= 1 << a;
    if (c.force_N == vector3{} || !sets.owns(node)) continue;  // what ranks give adds up
    vector3& force = pulled[node];
    for (int a = 0; a < 3; ++a) force[a] += c.force_N[a];
  }
  for (std::size_t first = 0; first < found.size(); first += std::size_t{1} << 30)
    MPI_Allreduce(MPI_IN_PLACE, found.data() + first, static_cast<int>(std::min(found.size() - first, std::size_t{1} << 30)),
                  MPI_UINT8_T, MPI_MAX, comm);
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const voxel::node_condition& c = conditions[i];
    if (found[i] || c.preserved) continue;
    ++lost;
    if (!(c.force_N == vector3{}))  // all ranks see the same
      throw data_error(fmt::format(
          "a force of the model pulls at the node x, y, z = {}, {}, {} (counted from 0), which belongs to no voxel that a "
          "support holds; move it to the solid, or hold the part that it pulls at",
          c.node.x, c.node.y, c.node.z));
  }
  if (lost > 0)
    log.warn(fmt::format("{} nodes that the model holds belong to no voxel of the solid; they hold nothing", lost));

  for (int axes = 1; axes < 8; ++axes) {
    std::vector<std::int32_t> nodes;
    for (const auto& [node, bits] : held)
      if (bits == axes) nodes.push_back(node);
    int any = !nodes.empty();
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
    if (!any) continue;
    support s;
    std::string letters;
    for (std::size_t a = 0; a < 3; ++a) {
      s.held[a] = (axes >> a & 1) != 0;
      if (s.held[a]) letters += "zyx"[a];
    }
    s.on = sets.make("nodes held along " + letters, std::move(nodes), "listed nodes");
    s.about_mm = s.on->centroid_mm;
    to.supports.push_back(std::move(s));
  }
  applied_force force{"forces of the model", static_cast<std::int64_t>(pulled.size()), {}, {}};
  double sum[3] = {};
  for (const auto& [node, f] : pulled) {
    force.nodes.push_back({node, f});
    for (int a = 0; a < 3; ++a) sum[a] += f[a];
  }
  MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &force.size, 1, MPI_INT64_T, MPI_SUM, comm);
  force.total_N = {sum[0], sum[1], sum[2]};
  if (force.size > 0) to.forces.push_back(std::move(force));
}

}  // namespace osteon::job
