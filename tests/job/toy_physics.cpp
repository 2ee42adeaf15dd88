// toy_physics check|estimate|run|schema JOB.toml This physics exists only in the table of this program. The physics counts
// voxels. The pipeline, the table on the terminal and the report are those of the product. They access the physics only
// through its table entry (tests/job/test_toy_physics.py).
#include <fmt/format.h>
#include <mpi.h>

#include <app/job/summary_table.hpp>
#include <array>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/pipeline/before_run.hpp>
#include <osteon/job/pipeline/compute.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/physics/elasticity/entry.hpp>
#include <osteon/physics/heat/entry.hpp>
#include <osteon/physics/thermo_elasticity/entry.hpp>
#include <string>

namespace osteon::job {

namespace {

struct census_keys {
  double weight = 1;
  std::int64_t edition = 1;
};

void register_census_keys(key_table& job) {
  job.table("census", "How voxels are counted.")
      .keys_in_group<census_keys>()("weight", &census_keys::weight, "What each voxel counts, > 0.", {.range = positive("")})(
          "edition", &census_keys::edition, "Another number makes the model anew.", {.use = key_use::model});
}

physics_result run_census(const spec& job, const local_model& part, const numerics::options&, log_sink&) {
  const MPI_Comm comm = part.where.comm;
  physics_result result;
  result.elements = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &result.elements, 1, MPI_INT64_T, MPI_SUM, comm);
  result.certificate.unknowns = result.elements;
  result.certificate.converged = true;
  const vector3& h = part.header.spacing_mm;
  const auto voxels = static_cast<double>(result.elements);
  result.answers = {{"count", {{"weighted", job.groups.of<census_keys>().weight * voxels}}},
                    {"solid_mm3", voxels * h.z * h.y * h.x},
                    {"load", {{"test", "census"}, {"words", "All voxels, counted"}}}};
  std::vector<float> height;
  for (const voxel::run& r : part.cells.runs())
    height.insert(height.end(), static_cast<std::size_t>(r.length),
                  static_cast<float>(part.where.owned.begin.z + r.z) * static_cast<float>(h.z));
  result.shown = share(std::move(height));
  result.shown_name = "height";
  result.shown_title = "height above the lowest voxel";
  result.shown_units = "mm";
  result.shown_high = static_cast<double>(part.header.shape.z) * h.z;
  result.fields.push_back({{"height", "height above the lowest voxel", "mm", io::centring::cell, 1},
                           [&part, values = result.shown] { return cell_planes(part, values); }});
  return result;
}

const physics_entry& census() {
  static const physics_entry row{
      .name = "census",
      .meaning = "how many voxels there are",
      .caption = "The voxels",
      .synonyms = {"headcount"},
      .answers = {{.key = "count.*", .title = "voxels,", .meaning = "Each as often as its weight says."},
                  {.key = "solid_mm3", .title = "volume of the solid", .unit = "mm3", .meaning = "Of all solid voxels."}},
      .keys = register_census_keys,
      .costs = {.bytes_per_unknown = 8, .setup_seconds = 1e-9, .solution_seconds = 1e-9},
      .run = run_census};
  return row;
}

}  // namespace

std::span<const physics_entry* const> all_physics() {
  static const std::array table{&physics::elasticity(), &physics::heat(), &physics::thermo_elasticity(), &census()};
  return table;
}

}  // namespace osteon::job

namespace {

using namespace osteon;

int work_on(MPI_Comm comm, const std::string& task, const std::string& path) {
  const bool first = comm::rank(comm) == 0;
  if (task == "schema") {
    fmt::print("{}\n", job::json_schema());
    return 0;
  }
  std::vector<problem> problems;
  const job::spec job = job::read_spec(path, problems);
  if (!problems.empty()) throw usage_error(job::join(problems));
  if (task == "estimate") fmt::print("{}", job::estimate(job, 1, true, null_log()).to_text());
  if (task != "run") return 0;
  comm::collectively(comm, [&] {
    if (first) job::source_of(job).prepare(job, null_log(), {});
  });
  const auto summary = job::compute(comm, job, "toy_physics", job::utc_now(), null_log());
  if (first) fmt::print("{}", app::summary_table(summary, ""));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    code = work_on(MPI_COMM_WORLD, argv[1], argv[2]);
  } catch (const osteon::error& e) {
    if (osteon::comm::rank(MPI_COMM_WORLD) == 0) fmt::print(stderr, "{}\n", e.what());
    code = osteon::exit_code(e.kind());
  }
  MPI_Finalize();
  return code;
}
