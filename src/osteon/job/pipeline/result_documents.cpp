#include <fstream>
#include <osteon/job/pipeline/result_documents.hpp>

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/scene_file.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/cluster_part.hpp>
#include <osteon/job/pipeline/finished_results.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

namespace {

// What the job says of a material, and what its physics needs of it: not of a phase that [[material]] does not name, which
// goes before those that it does.
json describe_material(const spec& job, const physics_entry& row, const voxel::material& material, std::size_t number) {
  json entry = {{"name", material.name}};
  const std::size_t phases = row.rules(job).has_others ? 1 : 0;
  if (number <= phases) return entry;
  for (const material_property* p : row.needs) entry[p->key] = p->in_model(job, material, number - phases);
  if (needs(row, property::youngs_modulus)) entry["poisson_ratio"] = material.poisson_ratio;
  return entry;
}

}  // namespace

// One file, or one of each cluster.
io::file_report write_results(const output_paths& paths, const spec& job, const local_model& part,
                              const physics_result& result, const std::string& command, const std::function<void()>& poll,
                              log_sink& log, json& files) {
  std::vector<io::field_info> infos;
  for (const result_field& field : result.fields) infos.push_back(field.info);
  const bool good = !result.missed();
  const std::optional<cluster_part> own = part_of_cluster(part.where, part.header);
  const grid::block& where = own ? own->where : part.where;
  const voxel::model_header& header = own ? own->header : part.header;
  const std::string results = own ? name_of_part(paths.results, own->index) : paths.results;
  const std::string vtkhdf = own ? name_of_part(paths.vtkhdf, own->index) : paths.vtkhdf;
  const std::string xdmf = own ? name_of_part(paths.xdmf, own->index) : paths.xdmf;
  const bool first = comm::rank(where.comm) == 0;
  // What a cluster's ranks agree to fail at, the other clusters have to hear.
  const auto here = [&](auto&& f) { comm::throw_first_error(part.where.comm, comm::outcome_of(f)); };
  std::optional<io::result_writer> writer;
  comm::collectively(part.where.comm, [&] {
    if (first) std::filesystem::create_directories(paths.directory);
  });
  here([&] {
    std::vector<std::pair<std::string, std::string>> told{{"title", job.name + ": " + job.physics},
                                                          {"history", fmt::format("{} {}", utc_now(), command)},
                                                          {"status", good ? "done" : "not converged"},
                                                          {"input_sha256", header.source_sha256},
                                                          {"provenance", header.provenance_json}};
    if (own) told.emplace_back("parts", std::to_string(own->count));
    writer.emplace(io::result_writer::create(results, where, header, infos, told, access_of(job), storage_of(job)));
    writer->write_material(image_planes(part));
  });
  for (const result_field& field : result.fields) {
    poll();
    io::plane_source<float> planes;
    comm::collectively(part.where.comm, [&] { planes = field.begin(); });
    here([&] {
      if (field.info.where == io::centring::cell)
        writer->write_cells(field.info.name, planes);
      else
        writer->write_nodes(field.info.name, planes);
    });
  }
  io::file_report report;
  here([&] { report = writer->close(); });
  files = {{"results", results}, {"xdmf", xdmf}};
  comm::collectively(part.where.comm, [&] {
    if (!first) return;
    // What lies there is about an earlier job; these results must not be read with its numbers or its picture.
    const scene_paths told(paths.directory);
    std::vector<std::string> earlier{paths.summary, paths.manifest, paths.picture, paths.cut,
                                     paths.report,  told.scene,     told.sets,     told.labelled};
    if (own) earlier.insert(earlier.end(), {paths.results, paths.vtkhdf, paths.xdmf});
    for (const std::string& name : source_of(job).further_results())
      earlier.push_back((std::filesystem::path(paths.directory) / std::filesystem::path(name).filename()).string());
    for (const std::string& old : earlier) {
      std::error_code ignored;
      std::filesystem::remove(old, ignored);
    }
    io::write_xdmf(xdmf, std::filesystem::path(results).filename().string(), header, infos);
    if (give_second_name(results, vtkhdf, log)) files["vtkhdf"] = vtkhdf;
  });
  return report;
}

double imbalance_of(const local_model& part, std::int64_t elements) {
  std::int64_t largest = part.cells.size();
  comm::all_reduce(part.where.comm, &largest, 1, MPI_MAX);
  return static_cast<double>(largest) * comm::size(part.where.comm) / static_cast<double>(elements);
}

json summarise(const spec& job, const local_model& part, const physics_result& result, const run_cost& cost) {
  const physics_entry& row = physics_of(job);
  const numerics::solve_certificate& certificate = result.certificate;
  const json provenance = json::parse(part.header.provenance_json);
  json summary = {{"schema", "osteon.summary/1"},
                  {"job", job.name},
                  {"physics", job.physics},
                  {"status", result.missed() ? "not converged" : "done"},
                  {"elements", result.elements},
                  {"dofs", certificate.unknowns},
                  {"ranks", comm::size(part.where.comm)},
                  {"threads", omp_get_max_threads()},
                  {"decomposition", part.where.is_planes() ? "planes" : "bricks"},
                  {"imbalance", cost.imbalance},
                  {"iterations", certificate.iterations},
                  {"relative_residual", certificate.residual_history.empty() ? 0.0 : certificate.residual_history.back()},
                  {"setup_seconds", certificate.setup_seconds},
                  {"solve_seconds", certificate.solve_seconds},
                  {"cpu_seconds", cost.cpu_seconds},
                  {"peak_rss_bytes", static_cast<std::int64_t>(cost.peak_bytes)}};
  summary.update(result.answers);
  summary["certificate"] = {{"tolerance", tolerance_of(job)},
                            {"true_relative_residual", certificate.true_relative_residual},
                            {"reaction_imbalance", certificate.reaction_imbalance},
                            {"energy_identity_error", certificate.energy_identity_error},
                            {"converged", certificate.converged}};
  if (row.balances_moments) summary["certificate"]["moment_imbalance"] = certificate.moment_imbalance;
  summary["residual_history"] = certificate.residual_history;
  summary["image"] = provenance.at("image");
  const vector3& origin = part.header.origin_mm;  // of a crop, where it lies in the image
  summary["image"]["origin_mm"] = {origin.z, origin.y, origin.x};
  summary["segmentation"] = provenance.at("segmentation");
  summary["segmentation"]["load_axis"] = job.load.axis.name();
  summary["materials"] = json::array();
  for (std::size_t m = 1; m < part.header.materials.size() && part.header.materials.size() <= 33; ++m)
    summary["materials"].push_back(describe_material(job, row, part.header.materials[m], m));
  summary["shown"] = {{"field", result.shown_name},       {"title", result.shown_title},    {"caption", row.caption},
                      {"units", result.shown_units},      {"low", result.shown_low},        {"high", result.shown_high},
                      {"colour_map", colour_map_of(job)}, {"part_of_map", part_of_map(job)}};
  summary["stages"] = cost.stages;
  summary["answers"] = describe_answers(row, summary);
  return summary;
}

json describe_run(const spec& job, const local_model& part, const std::vector<std::string>& hosts,
                  const std::string& command, const std::string& started) {
  const build_info b = this_build();
  const json provenance = json::parse(part.header.provenance_json, nullptr, false);
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
          {"started", started},
          {"finished", utc_now()},
          {"command", command},
          {"job_file", job.file},
          {"job_text", job.text},
          {"input_sha256", part.header.source_sha256},
          {"identity_sha256", identity_of_results(job, model_key)}};
}

json read_summary(const spec& job) {
  std::ifstream file(output_paths(job).summary);
  json summary = json::parse(file, nullptr, false);
  if (!summary.is_object())
    throw machine_error(fmt::format("'{}' was written but cannot be read back", output_paths(job).summary));
  return summary;
}

}  // namespace osteon::job
