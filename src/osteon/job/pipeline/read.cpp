#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/neighbours.hpp>
#include <osteon/grid/redistribute.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/pipeline/job_state.hpp>
#include <osteon/job/plans/planned_job.hpp>
#include <osteon/job/spec/doubts.hpp>

namespace osteon::job {

namespace {

void read_model(job_state& s) {
  s.poll("starting the ranks");
  s.clock.begin(s.has_files() ? "reading the model" : "importing the image");
  s.part = source_of(s.job).read(s.comm, s.job, s.files, s.log);
  s.poll("reading the model");
  comm::collectively(s.comm, [&] { io::check_result_size(s.part.header, s.physics.most_components(s.job)); });
  // Warnings about the keys and warnings of the import have already been printed before the start of the ranks.
  for (const problem& p : doubts(s.job)) s.log.keep(line_of(p));
  for (const std::string& text : warnings_of_import(s.part.header.provenance_json)) s.log.keep(text);
  for (const problem& p : doubts_of_model(s.job, s.part.header)) s.log.warn(line_of(p));
  s.unsupported = s.physics.prepare(s.job, s.part, s.log);
}

// Extracts the voxels of a box from the whole image.
std::vector<material_number> cut_out(const std::vector<material_number>& image, index3 shape, const box3& box) {
  std::vector<material_number> part;
  part.reserve(static_cast<std::size_t>(box.volume()));
  for (std::int64_t z = box.begin.z; z < box.end.z; ++z)
    for (std::int64_t y = box.begin.y; y < box.end.y; ++y) {
      const auto row = image.begin() + (z * shape.y + y) * shape.x;
      part.insert(part.end(), row + box.begin.x, row + box.end.x);
    }
  return part;
}

void plan_reading(planned_job& p) {
  p.part.header = p.header;
  p.part.where = grid::make_block(p.comm, p.boxes);
  const int ranks = comm::size(p.comm);
  if (p.deals_out_bricks && ranks > 1)
    comm::neighbours(p.comm, 0, grid::plan_to_redistribute(comm::rank(p.comm), io::planes_to_read(p.header, ranks), p.boxes))
        .count_messages(sizeof(material_number));
  set_voxels(p.part, cut_out(p.image, p.header.shape, p.part.where.owned));
}

constexpr const char* parts_of_read[] = {"reading"};
constexpr stage_cost costs_of_read[] = {{"reading", &stage_costs::reading, stage_cost::unit::voxels, parts_of_read}};

}  // namespace

const stage read_stage{"read", [](const spec&, sinks) { return true; }, read_model, costs_of_read, plan_reading};

}  // namespace osteon::job
