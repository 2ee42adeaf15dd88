#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/outputs/scene_file.hpp>
#include <osteon/job/pipeline/cluster_part.hpp>
#include <osteon/job/pipeline/job_state.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/plans/planned_job.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

namespace {

// Write results.nc and results.xdmf, or the files of each cluster. The files of an earlier job are removed.
io::file_report write_results(job_state& s) {
  const spec& job = s.job;
  const local_model& part = s.part;
  const physics_result& result = s.result;
  const output_paths& paths = s.paths;
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
  // If the ranks of one cluster fail, all other clusters receive the failure.
  const auto here = [&](auto&& f) { comm::throw_first_error(part.where.comm, comm::outcome_of(f)); };
  std::optional<io::result_writer> writer;
  comm::collectively(part.where.comm, [&] {
    if (first) std::filesystem::create_directories(paths.directory);
  });
  here([&] {
    std::vector<std::pair<std::string, std::string>> attributes{{"title", job.name + ": " + job.physics},
                                                                {"history", fmt::format("{} {}", utc_now(), s.command)},
                                                                {"status", good ? "done" : "not converged"},
                                                                {"input_sha256", header.source_sha256},
                                                                {"provenance", header.provenance_json}};
    if (own) attributes.emplace_back("parts", std::to_string(own->count));
    writer.emplace(io::result_writer::create(results, where, header, infos, attributes, access_of(job), storage_of(job)));
    writer->write_material(image_planes(part));
  });
  for (const result_field& field : result.fields) {
    s.poll("writing the results");
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
  s.written = {{"results", results}, {"xdmf", xdmf}};
  comm::collectively(part.where.comm, [&] {
    if (!first) return;
    // Files of an earlier job are removed. The new results must not be combined with numbers or pictures of another job.
    const scene_paths scene(paths.directory);
    std::vector<std::string> earlier{paths.summary, paths.manifest, paths.picture, paths.cut,
                                     paths.report,  scene.scene,    scene.sets,    scene.labelled};
    if (own) earlier.insert(earlier.end(), {paths.results, paths.vtkhdf, paths.xdmf});
    for (const std::string& name : source_of(job).further_results())
      earlier.push_back((std::filesystem::path(paths.directory) / std::filesystem::path(name).filename()).string());
    for (const std::string& old : earlier) {
      std::error_code ignored;
      std::filesystem::remove(old, ignored);
    }
    io::write_xdmf(xdmf, std::filesystem::path(results).filename().string(), header, infos);
    if (create_second_name(results, vtkhdf, s.log)) s.written["vtkhdf"] = vtkhdf;
  });
  return report;
}

// Write the summary, the manifest and the scene into the folder of the results.
void write_documents(job_state& s, const json& text) {
  const std::vector<std::string> hosts = host_names(s.comm);
  comm::collectively(s.comm, [&] {
    if (!s.is_first()) return;
    s.summary["files"] = s.written;
    if (!text.empty()) s.summary["files"]["text"] = text;
    write_file(s.paths.manifest, to_text(describe_run(s, hosts)));
    write_summary(s);
  });
  const json scene = write_scene(s.paths.directory, s.job, s.part, s.result.scene, s.summary);
  comm::collectively(s.comm, [&] {
    if (!s.is_first()) return;
    s.summary["files"].update(scene);
    write_summary(s);
  });
}

void write_files(job_state& s) {
  s.clock.begin("writing results");
  const io::file_report report = s.keeping_checkpoint([&] {
    s.poll("writing the results");
    return write_results(s);
  });
  s.earlier.keep_moved();
  s.log.note(s.files.note("wrote", s.written.at("results"), report));
  json text;
  if (s.has_files() && s.result.write_more) {
    if (s.result.missed())
      s.log.warn("no text results: the text format cannot mark results that did not converge");
    else
      text = s.result.write_more(s.paths.directory, s.log);
  }
  s.clock.end();
  if (s.has_files()) summarise(s);
  write_documents(s, text);
}

constexpr const char* parts_of_write[] = {"writing"};
constexpr stage_cost costs_of_write[] = {
    {"writing", &stage_costs::writing, stage_cost::unit::voxels, parts_of_write, stage_cost::turns::one, true}};

}  // namespace

const stage write_stage{
    "write", [](const spec&, sinks to) { return to == sinks::files; }, write_files, costs_of_write,
    [](planned_job& p) { io::count_result_messages(p.part.where, p.header, p.fields, access_of(p.job)); }};

}  // namespace osteon::job
