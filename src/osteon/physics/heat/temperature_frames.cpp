#include <osteon/physics/heat/temperature_frames.hpp>

#include <algorithm>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

class temperature_painter final : public frame_painter {
 public:
  temperature_painter(const local_model& part, std::optional<double> zero_K) : part_(part), zero_K_(zero_K) {}

  bool show(physics_result& result, const numerics::solver_state& state) override {
    if (state.are_nodes) return false;
    const MPI_Comm comm = part_.where.comm;
    double ends[2] = {low_K_, -high_K_};
    comm::collectively(comm, [&] {
      // In cells without a computed temperature, the value is NaN. Pictures do not draw NaN.
      std::vector<float> values(at(part_.cells.size()), std::numeric_limits<float>::quiet_NaN());
      const auto known = std::get<std::span<double>>(state.vectors.front().values);
      auto own = part_.cells.runs().begin();
      for (const voxel::run& r : state.points->runs()) {
        // The runs of the solver are subsets of the runs of the specimen, and have the same order.
        while (own->z != r.z || own->y != r.y || own->x + own->length <= r.x) ++own;
        for (std::int32_t i = 0; i < r.length; ++i) {
          const double value = known[at(r.first + i)] + zero_K_.value_or(0);
          values[at(own->first + r.x - own->x + i)] = static_cast<float>(value);
          ends[0] = std::min(ends[0], value);
          ends[1] = std::min(ends[1], -value);
        }
      }
      result.shown = share(std::move(values));
    });
    comm::all_reduce(comm, ends, 2, MPI_MIN);
    result.shown_low = low_K_ = ends[0];
    result.shown_high = high_K_ = -ends[1];
    result.shown_name = zero_K_ ? "temperature" : "relative temperature";
    result.shown_units = "K";
    return true;
  }

  std::vector<double> remembered() const override {
    return low_K_ <= high_K_ ? std::vector<double>{low_K_, high_K_} : std::vector<double>();
  }
  void recall(const std::vector<double>& numbers) override {
    if (numbers.size() == 2) low_K_ = numbers[0], high_K_ = numbers[1];
  }

 private:
  const local_model& part_;
  std::optional<double> zero_K_;
  double low_K_ = std::numeric_limits<double>::infinity(), high_K_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<frame_painter> paint_temperatures(const local_model& part, std::optional<double> zero_K) {
  return std::make_unique<temperature_painter>(part, zero_K);
}

}  // namespace osteon::physics
