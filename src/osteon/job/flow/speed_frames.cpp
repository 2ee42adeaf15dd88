#include <osteon/job/flow/speed_frames.hpp>

#include <algorithm>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/solve/checkpointer.hpp>

namespace osteon::job {

namespace {

class speed_painter final : public frame_painter {
 public:
  explicit speed_painter(const local_model& part) : part_(part) {}

  bool show(physics_result& result, const solve::solver_state& state) override {
    const auto found = std::find_if(state.vectors.begin(), state.vectors.end(),
                                    [](const grid::point_vector& v) { return v.name == "speed"; });
    if (found == state.vectors.end()) return false;
    const auto speed = std::get<std::span<float>>(found->values);
    const MPI_Comm comm = part_.where.comm;
    comm::collectively(comm, [&] {
      std::vector<float> values(static_cast<std::size_t>(part_.cells.size()), 0);  // what leads nowhere stands still
      for (const voxel::run& r : part_.cells.runs()) {
        const std::int64_t first = state.points->find(r.z, r.y, r.x);
        if (first >= 0) std::copy_n(speed.begin() + first, r.length, values.begin() + r.first);
      }
      for (const float v : values) highest_ = std::max(highest_, static_cast<double>(v));
      result.shown = share(std::move(values));
    });
    MPI_Allreduce(MPI_IN_PLACE, &highest_, 1, MPI_DOUBLE, MPI_MAX, comm);
    result.shown_low = 0;
    result.shown_high = highest_;
    result.shown_name = "speed";
    result.shown_units = "mm s-1";
    result.is_fluid = true;
    return true;
  }

 private:
  const local_model& part_;
  double highest_ = 0;
};

}  // namespace

std::unique_ptr<frame_painter> paint_speeds(const spec& job, const local_model& part) {
  if (!job.transient) return nullptr;
  return std::make_unique<speed_painter>(part);
}

}  // namespace osteon::job
