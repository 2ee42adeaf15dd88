#include <osteon/job/run/compute.hpp>

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/elasticity/elastic_problem.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/cut_picture.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/film.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics.hpp>
#include <osteon/job/run/cluster_part.hpp>
#include <osteon/job/run/earlier_results.hpp>
#include <osteon/job/run/frames.hpp>
#include <osteon/job/run/measured_messages.hpp>
#include <osteon/job/run/solver_limits.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

namespace {

double sum_over_ranks(MPI_Comm comm, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm);
  return value;
}

// Names a stage in the log and remembers how long it took, and the CPU seconds of all ranks. Collective.
class stage_clock {
 public:
  stage_clock(MPI_Comm comm, log_sink& log) : comm_(comm), log_(log) {}
  void begin(const char* name) {
    end();
    name_ = name;
    log_.stage(name);
    watch_.restart();
    cpu_at_begin_ = cpu_seconds();
    if (comm::message_ledger* const counted = comm::ledger_of(comm_)) {
      counted->begin_stage(static_cast<int>(stages_.size()) + 1);
      waited_at_begin_ = counted->waited_seconds();
    }
  }
  void end() {
    if (!name_) return;
    const double cpu = sum_over_ranks(comm_, cpu_seconds() - cpu_at_begin_);
    stages_.push_back({{"name", name_}, {"seconds", watch_.seconds()}, {"cpu_seconds", cpu}});
    if (const comm::message_ledger* counted = comm::ledger_of(comm_))
      stages_.back()["waiting_seconds"] =
          sum_over_ranks(comm_, counted->waited_seconds() - waited_at_begin_) / comm::size(comm_);
    name_ = nullptr;
  }
  const json& stages() const { return stages_; }

 private:
  MPI_Comm comm_;
  log_sink& log_;
  const char* name_ = nullptr;
  stopwatch watch_;
  double cpu_at_begin_ = 0, waited_at_begin_ = 0;
  json stages_ = json::array();
};

// One file, or one of each cluster.
io::file_report write_results(const output_paths& paths, const spec& job, const local_model& part,
                              const physics_result& result, const std::string& command, const std::function<void()>& poll,
                              json& files) {
  std::vector<io::field_info> infos;
  for (const result_field& field : result.fields) infos.push_back(field.info);
  const bool good = !result.missed();
  const std::optional<cluster_part> own = part_of_cluster(part.where, part.header);
  const grid::block& where = own ? own->where : part.where;
  const voxel::model_header& header = own ? own->header : part.header;
  const std::string results = own ? name_of_part(paths.results, own->index) : paths.results;
  const std::string xdmf = own ? name_of_part(paths.xdmf, own->index) : paths.xdmf;
  const bool first = comm::rank(where.comm) == 0;
  // What a cluster's ranks agree to fail at, the other clusters have to hear.
  const auto here = [&](auto&& f) { comm::throw_first_error(part.where.comm, comm::outcome_of(f)); };
  std::optional<io::result_writer> writer;
  comm::collectively(part.where.comm, [&] {
    if (first) std::filesystem::create_directories(paths.directory);
  });
  here([&] {
    writer.emplace(io::result_writer::create(results, where, header, infos,
                                             {{"title", job.name + ": " + job.physics},
                                              {"history", fmt::format("{} {}", utc_now(), command)},
                                              {"status", good ? "done" : "not converged"},
                                              {"input_sha256", header.source_sha256},
                                              {"provenance", header.provenance_json}},
                                             access_of(job), storage_of(job)));
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
  comm::collectively(part.where.comm, [&] {
    if (!first) return;
    // What lies there is about an earlier job; these results must not be read with its numbers or its picture.
    std::vector<std::string> earlier{paths.summary, paths.manifest, paths.picture, paths.cut, paths.report};
    if (own) earlier.insert(earlier.end(), {paths.results, paths.xdmf});
    for (const std::string& name : source_of(job).further_results())
      earlier.push_back((std::filesystem::path(paths.directory) / std::filesystem::path(name).filename()).string());
    for (const std::string& old : earlier) {
      std::error_code ignored;
      std::filesystem::remove(old, ignored);
    }
    io::write_xdmf(xdmf, std::filesystem::path(results).filename().string(), header, infos);
  });
  files = {{"results", results}, {"xdmf", xdmf}};
  return report;
}

// Largest number of active voxels on a rank over the mean.
double imbalance(const local_model& part, std::int64_t elements) {
  std::int64_t largest = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, part.where.comm);
  return static_cast<double>(largest) * comm::size(part.where.comm) / static_cast<double>(elements);
}

// What the job says of a material, and what its physics needs of it: not of a phase that [[material]] does not name, which
// goes before those that it does.
json describe_material(const spec& job, const physics& row, const voxel::material& material, std::size_t number) {
  json entry = {{"name", material.name}};
  const std::size_t phases = row.rules(job).has_others ? 1 : 0;
  if (number <= phases) return entry;
  for (const material_property* p : row.needs) entry[p->key] = p->in_model(job, material, number - phases);
  if (needs(row, property::youngs_modulus)) entry["poisson_ratio"] = material.poisson_ratio;
  return entry;
}

json summarise(const spec& job, const local_model& part, const physics_result& result, double imbalance, double cpu_seconds,
               double peak_bytes, const json& stages) {
  const physics& row = physics_of(job);
  const solve::solve_certificate& certificate = result.certificate;
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
  if (row.balances_moments) summary["certificate"]["moment_imbalance"] = certificate.moment_imbalance;
  summary["residual_history"] = certificate.residual_history;
  summary["image"] = provenance.at("image");
  const vector3& origin = part.header.origin_mm;  // of a crop, where it lies in the image
  summary["image"]["origin_mm"] = {origin.z, origin.y, origin.x};
  summary["segmentation"] = provenance.at("segmentation");
  summary["segmentation"]["load_axis"] = job.load.axis;
  summary["materials"] = json::array();
  for (std::size_t m = 1; m < part.header.materials.size() && part.header.materials.size() <= 33; ++m)
    summary["materials"].push_back(describe_material(job, row, part.header.materials[m], m));
  summary["shown"] = {{"field", result.shown_name},          {"title", result.shown_title}, {"caption", row.caption},
                      {"units", result.shown_units},         {"low", result.shown_low},     {"high", result.shown_high},
                      {"colour_map", job.picture.colour_map}};
  summary["stages"] = stages;
  summary["answers"] = describe_answers(row, summary);
  return summary;
}

json describe_run(const spec& job, const local_model& part, const std::vector<std::string>& hosts,
                  const std::string& command, const std::string& started) {
  const build_info b = this_build();
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
          {"input_sha256", part.header.source_sha256}};
}

}  // namespace

json compute(MPI_Comm comm, const spec& job, const std::string& command, const std::string& started, log_sink& log,
             const checkpoint_options& checkpoints) {
  const output_paths paths(job);
  const physics& row = physics_of(job);
  const bool root = comm::rank(comm) == 0;
  std::optional<comm::hung_ledger> counting;
  if (checkpoints.trace_messages) counting.emplace(comm);
  stage_clock clock(comm, log);
  const auto poll = [&](const char* during) { leave_together_if_asked(comm, checkpoints.is_to_stop, job, during); };

  io_clock file_clock;
  poll("starting the ranks");
  clock.begin("reading the model");
  local_model part = source_of(job).read(comm, job, file_clock, log);
  poll("reading the model");
  comm::collectively(comm, [&] { io::check_result_size(part.header, row.most_components(job)); });
  const std::int64_t unsupported = drop_unsupported(job, part, log);

  clock.begin("solving");
  file_checkpointer states(job, part, checkpoints, log);
  poll("setting up the solver");
  // They come back if this job fails before it has results. If it is stopped with a checkpoint, it will have some.
  earlier_results earlier;
  comm::collectively(comm, [&] {
    const bool goes_on = checkpoints.resume && has_checkpoint(checkpoint_directory(job));
    if (root && !goes_on && !checkpoints.replace) earlier = earlier_results(job, log);
  });
  const auto leave_with = [&](auto&& stage) {
    try {
      return stage();
    } catch (const interrupted_error&) {
      if (has_checkpoint(checkpoint_directory(job))) earlier.stay_away();
      throw;
    }
  };
  frame_checkpointer frames(job, part, states, checkpoints.resume, log);
  const solve::options how{tolerance_of(job), static_cast<int>(job.solve.max_iterations), &frames};
  physics_result result = leave_with([&] { return row.run(job, part, how, log); });

  require_sensible(part, result);
  if (result.written) log.note(file_clock.note("wrote", result.written->path, result.written->report));

  clock.begin("writing results");
  json files;
  const io::file_report written = leave_with([&] {
    const auto between = [&] { poll("writing the results"); };
    between();
    return write_results(paths, job, part, result, command, between, files);
  });
  earlier.stay_away();
  log.note(file_clock.note("wrote", files.at("results"), written));
  json more;
  if (result.write_more && result.missed())
    log.warn("no text results: they could not say that the solver stopped early");
  else if (result.write_more)
    more = result.write_more(paths.directory, log);

  clock.end();
  const double cpu = sum_over_ranks(comm, cpu_seconds());
  const double peak = sum_over_ranks(comm, static_cast<double>(peak_rss_bytes()));
  const double uneven = imbalance(part, result.elements);
  const json solver = describe_solver(comm, result.certificate, checkpoints.trace_messages);
  const std::vector<std::string> hosts = host_names(comm);
  json summary;
  const auto write_summary = [&] {
    if (root) write_file(paths.summary, to_text(summary));
  };
  comm::collectively(comm, [&] {
    if (!root) return;
    summary = summarise(job, part, result, uneven, cpu, peak, clock.stages());
    summary["solver"] = solver;
    summary["files"] = files;
    summary["io"] = file_clock.to_json();
    if (!more.empty()) summary["files"]["text"] = more;
    if (job.segment.drop_unsupported) summary["segmentation"]["dropped_unsupported_voxels"] = unsupported;
    write_file(paths.manifest, to_text(describe_run(job, part, hosts, command, started)));
    write_summary();
  });
  // Last, because the numbers must be safe on disk whatever happens to a picture.
  if (job.picture.enabled && !(result.shown_low < result.shown_high)) {
    log.warn(fmt::format("no picture: the field '{}' is the same almost everywhere", result.shown_name));
  } else if (job.picture.enabled) {
    clock.begin("drawing the picture");
    result.fields.clear();  // a picture's arrays are dense: make room for them
    result.write_more = nullptr;
    poll("drawing the picture; the results are written");
    const nlohmann::ordered_json lines = draw_picture(paths.picture, job, part, result, log);
    const bool has_cut = result.lines_of && draw_cut_of(job, paths, comm, log);
    clock.end();
    comm::collectively(comm, [&] {
      summary["files"]["picture"] = paths.picture;
      if (!lines.is_null()) summary["streamlines"] = lines;
      if (has_cut) summary["files"]["cut"] = paths.cut;
      summary["stages"] = clock.stages();
      write_summary();
    });
  }
  if (job.picture.film) {
    clock.begin("making the film");
    const json film = make_film_of(comm, job, log);
    clock.end();
    comm::collectively(comm, [&] {
      if (!film.is_null()) summary["files"].update(film);
      summary["stages"] = clock.stages();
      write_summary();
    });
  }
  if (counting) {
    add_messages(comm, counting->get(), result.certificate.restarts, summary);
    comm::collectively(comm, write_summary);
  }
  if (result.missed() && result.answers.contains("ended"))
    throw solve_error(fmt::format("{}; the unfinished results in {} are marked 'not converged'",
                                  result.answers.at("ended").get<std::string>(), paths.directory));
  if (const solve::solve_certificate* certificate = result.missed())
    throw solve_error(fmt::format(
        "the solver stopped after {} iterations at {}, above the tolerance {:.1e}; "
        "the unfinished results in {} are marked 'not converged'; raise solve.max_iterations",
        certificate->iterations,
        result.stopped_at.empty() ? fmt::format("a relative residual of {:.2e}", certificate->residual_history.back())
                                  : result.stopped_at,
        tolerance_of(job), paths.directory));
  poll("ending the job; results and picture are written");
  states.remove();
  return summary;
}

}  // namespace osteon::job
