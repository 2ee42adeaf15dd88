#include <osteon/job/pipeline/solve_in_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/deal_model.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/outputs/peak.hpp>
#include <osteon/job/outputs/scene_file.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/pipeline/stage_clock.hpp>
#include <osteon/job/pipeline/tell_doubts.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/job/warning_record.hpp>
#include <osteon/numerics/checkpointer.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

namespace {

// Saves nothing: it lets a solve end between its iterations.
class stop_watcher final : public numerics::checkpointer {
 public:
  stop_watcher(MPI_Comm comm, const stop_query& is_to_stop) : comm_(comm), is_to_stop_(is_to_stop) {}
  found begin() override { return found::nothing; }
  void restore(numerics::solver_state&) override {}
  bool is_due(std::int64_t) override {
    pass();
    return false;
  }
  void pass() override {
    int stops = is_to_stop_ && is_to_stop_() ? 1 : 0;
    comm::all_reduce(comm_, &stops, 1, MPI_MAX);
    if (stops != 0) throw interrupted_error("stopped on request while solving; nothing is kept");
  }
  void save(const numerics::solver_state&) override {}
  void finish(const numerics::solver_state&) override {}

 private:
  MPI_Comm comm_;
  const stop_query& is_to_stop_;
};

}  // namespace

std::string why_not_in_memory(const spec& job) {
  if (job.run.ranks > 1) return "it asks for several ranks (run.ranks)";
  if (!job.image.steps.empty()) return "its image goes through steps ([[image.step]])";
  if (job.picture.enabled) return "it asks for a picture (picture.enabled)";
  if (job.picture.every > 0 || job.picture.film) return "it asks for frames (picture.every, picture.film)";
  if (const std::string why = physics_of(job).why_not_in_memory(job); !why.empty()) return why;
  if (job.segment.compare_connectivity) return "it is computed twice (segment.compare_connectivity)";
  if (job.uncertainty && job.uncertainty->enabled) return "it is computed several times ([uncertainty])";
  if (job.measures_shape) return "it measures the shape of its solid (output.morphometry)";
  if (job.modulus_image || job.poisson_image) return "its moduli are images in files ([modulus_image], [poisson_image])";
  if (!physics_of(job).labels(job).empty()) return "its labels are images in files";
  return "";
}

struct solution_in_memory::state {
  spec job;
  local_model part;
  physics_result result;
  std::vector<io::field_info> infos;
  std::string started;
  json summary;
};

solution_in_memory::solution_in_memory(std::unique_ptr<state> s) : state_(std::move(s)) {}
solution_in_memory::solution_in_memory(solution_in_memory&&) noexcept = default;
solution_in_memory::~solution_in_memory() = default;

const json& solution_in_memory::summary() const { return state_->summary; }
const std::vector<io::field_info>& solution_in_memory::fields() const { return state_->infos; }

index3 solution_in_memory::shape_of(std::size_t field) const {
  index3 shape = state_->part.header.shape;
  if (state_->infos.at(field).where == io::centring::node)
    for (int a = 0; a < 3; ++a) ++shape[a];
  return shape;
}

void solution_in_memory::values_of(std::size_t field, std::span<float> values) const {
  const local_model& part = state_->part;
  const io::field_info& info = state_->infos.at(field);
  io::plane_source<float> planes;
  comm::collectively(part.where.comm, [&] { planes = state_->result.fields.at(field).begin(); });
  if (comm::size(part.where.comm) == 1)
    planes(0, shape_of(field).z, values);
  else
    io::gather_field(part.where, info.where, info.components, planes, values);
}

index3 solution_in_memory::shape() const { return state_->part.header.shape; }

void solution_in_memory::materials(std::span<material_number> numbers) const {
  const local_model& part = state_->part;
  if (comm::size(part.where.comm) == 1)
    image_planes(part)(0, shape().z, numbers);
  else
    io::gather_materials(part.where, image_planes(part), numbers);
}

vector3 solution_in_memory::origin_mm() const { return state_->part.header.origin_mm; }
vector3 solution_in_memory::spacing_mm() const { return state_->part.header.spacing_mm; }

void solution_in_memory::write(const std::string& directory, const std::string& command) const {
  spec job = state_->job;
  job.output_directory = directory;
  const output_paths paths(job);
  const MPI_Comm comm = state_->part.where.comm;
  const bool root = comm::rank(comm) == 0;
  json summary = state_->summary;
  write_results(paths, job, state_->part, state_->result, command, [] {}, null_log(), summary["files"]);
  const std::vector<std::string> hosts = host_names(comm);
  comm::collectively(comm, [&] {
    if (root) write_file(paths.manifest, to_text(describe_run(job, state_->part, hosts, command, state_->started)));
  });
  const json scene = write_scene(paths.directory, job, state_->part, state_->result.scene, summary);
  comm::collectively(comm, [&] {
    if (!root) return;
    summary["files"].update(scene);
    write_file(paths.summary, to_text(summary));
  });
}

solution_in_memory solve_in_memory(MPI_Comm comm, spec job, voxel::image_planes image, log_sink& sink,
                                   const stop_query& is_to_stop) {
  if (const std::string why = why_not_in_memory(job); !why.empty())
    throw usage_error("the job cannot be solved in memory: " + why);
  warning_record told(sink);
  log_sink& log = told;
  for (const problem& p : doubts(job)) log.warn(line_of(p));
  const double cpu_before = cpu_seconds();
  auto made = std::make_unique<solution_in_memory::state>();
  made->started = utc_now();
  job.from = source_of_array(std::move(image));
  made->job = std::move(job);
  const spec& its = made->job;
  const physics_entry& row = physics_of(its);
  stage_clock clock(comm, log);
  clock.begin("importing the image");
  io_clock files;
  made->part = its.from->read(comm, its, files, log);
  comm::collectively(comm, [&] { io::check_result_size(made->part.header, row.most_components(its)); });
  tell_doubts(its, made->part, told);
  const std::int64_t unsupported = row.prepare(its, made->part, log);

  clock.begin("solving");
  stop_watcher watcher(comm, is_to_stop);
  watcher.pass();
  const numerics::options how{tolerance_of(its), static_cast<int>(its.solve.max_iterations), &watcher};
  made->result = row.run(its, made->part, how, log);
  require_sensible(made->part, made->result);
  clock.end();

  const physics_result& result = made->result;
  if (!result.ended.empty()) throw solve_error(result.ended);
  if (const numerics::solve_certificate* missed = result.missed())
    throw solve_error(
        fmt::format("the solver stopped after {} iterations at {}, above the tolerance {:.1e}; raise solve.max_iterations",
                    missed->iterations,
                    result.stopped_at.empty() ? fmt::format("a relative residual of {:.2e}", missed->residual_history.back())
                                              : result.stopped_at,
                    tolerance_of(its)));
  for (const result_field& field : result.fields) made->infos.push_back(field.info);
  const double cpu = sum_over_ranks(comm, cpu_seconds() - cpu_before),
               peak = sum_over_ranks(comm, static_cast<double>(peak_rss_bytes()));
  const double uneven = imbalance_of(made->part, result.elements);
  const json highest = peak_of(made->part, result);
  std::string text;  // rank 0 knows all answers
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    json summary = summarise(its, made->part, result, {uneven, cpu, peak, clock.stages()});
    summary["shown"]["peak"] = highest;
    summary["solver"] = {{"setup_cpu_seconds", result.certificate.setup_cpu_seconds},
                         {"solve_cpu_seconds", result.certificate.solve_cpu_seconds}};
    if (its.segment.drop_unsupported) summary["segmentation"]["dropped_unsupported_voxels"] = unsupported;
    summary["files"] = json::object();
    summary["io"] = files.to_json();
    summary["warnings"] = told.texts();
    if (comm::size(comm) > 1) text = summary.dump();
    made->summary = std::move(summary);
  });
  text = comm::broadcast(comm, std::move(text));
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) made->summary = json::parse(text);
  });
  return solution_in_memory(std::move(made));
}

}  // namespace osteon::job
