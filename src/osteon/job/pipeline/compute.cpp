#include <osteon/job/pipeline/compute.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/cut_picture.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/film.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/outputs/peak.hpp>
#include <osteon/job/outputs/scene_file.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/earlier_results.hpp>
#include <osteon/job/pipeline/frames.hpp>
#include <osteon/job/pipeline/measured_messages.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/pipeline/solver_limits.hpp>
#include <osteon/job/pipeline/stage_clock.hpp>
#include <osteon/job/pipeline/tell_doubts.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/job/warning_record.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

json compute(MPI_Comm comm, const spec& job, const std::string& command, const std::string& started, log_sink& sink,
             const checkpoint_options& checkpoints) {
  warning_record told(sink);
  log_sink& log = told;
  const output_paths paths(job);
  const physics_entry& row = physics_of(job);
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
  tell_doubts(job, part, told);
  const std::int64_t unsupported = row.prepare(job, part, log);

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
  const numerics::options how{tolerance_of(job), static_cast<int>(job.solve.max_iterations), &frames};
  physics_result result = leave_with([&] { return row.run(job, part, how, log); });

  require_sensible(part, result);
  if (result.written) log.note(file_clock.note("wrote", result.written->path, result.written->report));

  clock.begin("writing results");
  json files;
  const io::file_report written = leave_with([&] {
    const auto between = [&] { poll("writing the results"); };
    between();
    return write_results(paths, job, part, result, command, between, log, files);
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
  const double uneven = imbalance_of(part, result.elements);
  const json solver = describe_solver(comm, result.certificate, checkpoints.trace_messages);
  const std::vector<std::string> hosts = host_names(comm);
  const json highest = peak_of(part, result);
  json summary;
  const auto write_summary = [&] {
    summary["warnings"] = told.texts();
    if (root) write_file(paths.summary, to_text(summary));
  };
  comm::collectively(comm, [&] {
    if (!root) return;
    summary = summarise(job, part, result, {uneven, cpu, peak, clock.stages()});
    summary["shown"]["peak"] = highest;
    if (!result.ended.empty()) summary["ended"] = result.ended;
    summary["solver"] = solver;
    summary["files"] = files;
    summary["io"] = file_clock.to_json();
    if (!more.empty()) summary["files"]["text"] = more;
    if (job.segment.drop_unsupported) summary["segmentation"]["dropped_unsupported_voxels"] = unsupported;
    write_file(paths.manifest, to_text(describe_run(job, part, hosts, command, started)));
    write_summary();
  });
  const json scene = write_scene(paths.directory, job, part, result.scene, summary);
  comm::collectively(comm, [&] {
    if (!root) return;
    summary["files"].update(scene);
    write_summary();
  });
  // Last, because the numbers must be safe on disk whatever happens to a picture.
  if (job.picture.enabled && !(result.shown_low < result.shown_high)) {
    log.warn(fmt::format("no picture: the field '{}' is the same almost everywhere", result.shown_name));
  } else if (job.picture.enabled) {
    clock.begin("drawing the picture");
    io::field_list fields{{}, {}, job.name + ": " + job.physics, {}};
    for (const result_field& field : result.fields) fields.fields.push_back(field.info);
    result.fields.clear();  // a picture's arrays are dense: make room for them
    result.write_more = nullptr;
    poll("drawing the picture; the results are written");
    const nlohmann::ordered_json lines = draw_picture(paths.picture, job, part, result, log);
    const bool has_cut = result.lines_of && draw_cut_of(job, paths, part, result.lines_of, fields, log);
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
  if (counting) add_messages(comm, counting->get(), result.certificate.restarts, summary);
  // A picture, its lines and a film have warnings of their own.
  if (counting || job.picture.enabled) comm::collectively(comm, write_summary);
  if (!result.ended.empty())
    throw solve_error(
        fmt::format("{}; the unfinished results in {} are marked 'not converged'", result.ended, paths.directory));
  if (const numerics::solve_certificate* certificate = result.missed())
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
