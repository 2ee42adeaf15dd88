#include <osteon/job/pipeline/result_documents.hpp>

#include <fmt/format.h>
#include <omp.h>

#include <osteon/base/json_text.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/outputs/peak.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/finished_results.hpp>
#include <osteon/job/pipeline/job_state.hpp>
#include <osteon/job/pipeline/solver_limits.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

namespace {

// Describe a material. The description contains the keys in the job, and the properties that the physics requires. The table
// [[material]] does not define the properties of a phase. These properties are omitted. This phase precedes the materials of
// the job.
json describe_material(const spec& job, const physics_entry& physics, const voxel::material& material, std::size_t number) {
  json entry = {{"name", material.name}};
  const std::size_t phases = physics.rules(job).has_others ? 1 : 0;
  if (number <= phases) return entry;
  for (const material_property* p : physics.needs) entry[p->key] = p->in_model(job, material, number - phases);
  if (needs(physics, property::youngs_modulus)) entry["poisson_ratio"] = material.poisson_ratio;
  return entry;
}

json describe_results(const job_state& s, double imbalance, double cpu_seconds, double peak_bytes) {
  const spec& job = s.job;
  const local_model& part = s.part;
  const physics_result& result = s.result;
  const physics_entry& physics = s.physics;
  const numerics::solve_certificate& certificate = result.certificate;
  const json provenance = valid_json_from_text<json>(part.header.provenance_json);
  json summary = {{"schema", "osteon.summary/1"},
                  {"job", job.name},
                  {"physics", job.physics},
                  {"status", result.missed() ? "not converged" : "done"},
                  {"elements", result.elements},
                  {"dofs", certificate.unknowns},
                  {"ranks", comm::size(part.where.comm)},
                  {"threads", omp_get_max_threads()},
                  {"decomposition", part.where.is_planes() ? "planes" : "bricks"},
                  {"imbalance", imbalance},
                  {"iterations", certificate.iterations},
                  {"relative_residual", certificate.residual_history.empty() ? 0.0 : certificate.residual_history.back()},
                  {"setup_seconds", certificate.setup_seconds},
                  {"solve_seconds", certificate.solve_seconds},
                  {"cpu_seconds", cpu_seconds},
                  {"peak_rss_bytes", static_cast<std::int64_t>(peak_bytes)}};
  summary.update(result.answers);
  summary["certificate"] = {{"tolerance", tolerance_of(job)},
                            {"true_relative_residual", certificate.true_relative_residual},
                            {"reaction_imbalance", certificate.reaction_imbalance},
                            {"energy_identity_error", certificate.energy_identity_error},
                            {"converged", certificate.converged}};
  if (physics.system.where == io::centring::node)  // the unknowns are displacements, and the forces have moments
    summary["certificate"]["moment_imbalance"] = certificate.moment_imbalance;
  summary["residual_history"] = certificate.residual_history;
  summary["image"] = provenance.at("image");
  const vector3& origin = part.header.origin_mm;  // position of a cropped image in the whole image
  summary["image"]["origin_mm"] = {origin.z, origin.y, origin.x};
  summary["segmentation"] = provenance.at("segmentation");
  summary["segmentation"]["load_axis"] = job.load.axis.name();
  summary["materials"] = json::array();
  for (std::size_t m = 1; m < part.header.materials.size() && part.header.materials.size() <= 33; ++m)
    summary["materials"].push_back(describe_material(job, physics, part.header.materials[m], m));
  summary["shown"] = {{"field", result.shown_name},       {"title", result.shown_title},    {"caption", physics.caption},
                      {"units", result.shown_units},      {"low", result.shown_low},        {"high", result.shown_high},
                      {"colour_map", colour_map_of(job)}, {"part_of_map", part_of_map(job)}};
  summary["stages"] = s.clock.stages();
  summary["answers"] = describe_answers(physics, summary);
  return summary;
}

}  // namespace

void summarise(job_state& s) {
  const double cpu = comm::sum_over_ranks(s.comm, cpu_seconds() - s.cpu_before);
  const double peak = comm::sum_over_ranks(s.comm, static_cast<double>(peak_rss_bytes()));
  std::int64_t largest = s.part.cells.size();
  comm::all_reduce(s.comm, &largest, 1, MPI_MAX);
  const double imbalance = static_cast<double>(largest) * comm::size(s.comm) / static_cast<double>(s.result.elements);
  const json solver = describe_solver(s.comm, s.result.certificate, s.has_files(), s.options.trace_messages);
  const json highest = peak_of(s.part, s.result);
  comm::collectively(s.comm, [&] {
    if (!s.is_first()) return;
    json& summary = s.summary = describe_results(s, imbalance, cpu, peak);
    summary["shown"]["peak"] = highest;
    if (!s.result.ended.empty()) summary["ended"] = s.result.ended;
    summary["solver"] = solver;
    summary["files"] = json::object();
    summary["io"] = s.files.to_json();
    summary["warnings"] = s.log.texts();
    if (s.job.segment.drop_unsupported) summary["segmentation"]["dropped_unsupported_voxels"] = s.unsupported;
  });
}

void write_summary(job_state& s) {
  s.summary["warnings"] = s.log.texts();
  if (s.is_first()) write_file(s.paths.summary, to_text(s.summary));
}

json describe_run(const job_state& s, const std::vector<std::string>& hosts) {
  const build_info b = this_build();
  const json provenance = json_from_text<json>(s.part.header.provenance_json);
  const std::string model_key = provenance.is_object() ? provenance.value("key", "") : "";
  return {{"schema", "osteon.manifest/1"},
          {"version", b.version},
          {"git", b.git},
          {"compiler", b.compiler},
          {"flags", b.flags},
          {"mpi", b.mpi},
          {"libraries", {{"netCDF", b.netcdf}, {"HDF5", b.hdf5}}},
          {"hosts", hosts},
          {"cpu", cpu_name()},
          {"cores", usable_cores()},
          {"started", s.started},
          {"finished", utc_now()},
          {"command", s.command},
          {"job_file", s.job.file},
          {"job_text", s.job.text},
          {"input_sha256", s.part.header.source_sha256},
          {"identity_sha256", identity_of_results(s.job, model_key)}};
}

json read_summary(const spec& job) {
  json summary = json_from_file<json>(output_paths(job).summary);
  if (!summary.is_object())
    throw machine_error(fmt::format("cannot read '{}' after writing; check the disk", output_paths(job).summary));
  return summary;
}

void add_warnings(const spec& job, std::span<const std::string> texts) {
  if (texts.empty()) return;
  json summary = read_summary(job);
  for (const std::string& text : texts) summary["warnings"].push_back(text);
  write_file(output_paths(job).summary, to_text(summary));
}

}  // namespace osteon::job
