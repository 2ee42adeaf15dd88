#include <osteon/job/pipeline/solve_in_memory.hpp>

#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/scatter_model.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/job_state.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

std::string reason_for_files(const spec& job) {
  if (job.run.ranks > 1) return "several ranks are requested (run.ranks)";
  if (!job.image.steps.empty()) return "the image has processing steps ([[image.step]])";
  if (job.picture.enabled) return "a picture is requested (picture.enabled)";
  if (job.picture.every > 0 || job.picture.film) return "frames are requested (picture.every, picture.film)";
  if (const std::string why = physics_of(job).reason_for_files(job); !why.empty()) return why;
  if (job.segment.compare_connectivity) return "the job is computed twice (segment.compare_connectivity)";
  if (job.uncertainty && job.uncertainty->enabled) return "the job is computed several times ([uncertainty])";
  if (job.measures_shape) return "morphometry is requested (output.morphometry)";
  if (job.modulus_image || job.poisson_image) return "the moduli are image files ([modulus_image], [poisson_image])";
  if (!physics_of(job).labels(job).empty()) return "the labels are image files";
  return "";
}

struct solution_in_memory::state : job_state {
  using job_state::job_state;
  std::vector<io::field_info> infos;
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
  job_state& s = *state_;
  struct kept_summary {
    json& summary;
    json before = summary;
    ~kept_summary() { summary = std::move(before); }
  };
  const kept_summary kept{s.summary};
  s.job.output_directory = directory;
  s.paths = output_paths(s.job);
  s.command = command;
  write_stage.run(s);
}

solution_in_memory solve_in_memory(MPI_Comm comm, spec job, voxel::image_planes image, log_sink& log,
                                   const stop_query& is_to_stop) {
  if (const std::string why = reason_for_files(job); !why.empty())
    throw usage_error("the job cannot be solved in memory: " + why);
  job.from = source_of_array(std::move(image));
  const checkpoint_options options{.is_to_stop = is_to_stop};
  auto made = std::make_unique<solution_in_memory::state>(comm, std::move(job), sinks::memory, options, "", utc_now(), log);
  for (const problem& p : doubts(made->job)) made->log.warn(line_of(p));
  run_stages(*made);
  for (const result_field& field : made->result.fields) made->infos.push_back(field.info);
  made->log.forward_to(null_log());
  return solution_in_memory(std::move(made));
}

}  // namespace osteon::job
