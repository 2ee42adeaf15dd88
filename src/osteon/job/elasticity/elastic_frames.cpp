#include <osteon/job/elasticity/elastic_frames.hpp>

#include <osteon/comm/collectively.hpp>
#include <osteon/job/elasticity/elastic_fields.hpp>
#include <osteon/job/elasticity/elastic_problem.hpp>
#include <osteon/solve/checkpointer.hpp>

namespace osteon::job {

namespace {

class displacement_painter final : public frame_painter {
 public:
  displacement_painter(const spec& job, const local_model& part) : job_(job), part_(part) {}

  bool show(physics_result& result, const solve::solver_state& state) override {
    if (!elastic_) elastic_ = make_problem(part_);
    derived_fields now;
    comm::collectively(part_.where.comm, [&] {
      const grid::point_vector& u = state.vectors.front();
      const auto values = std::get<std::span<double>>(u.values);
      const auto nodes = static_cast<std::size_t>(state.points->size());
      std::vector<double> by_nodes(3 * nodes);
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < nodes; ++i)
          by_nodes[3 * i + c] = values[c * static_cast<std::size_t>(u.layout.component_stride) +
                                       i * static_cast<std::size_t>(u.layout.node_stride)];
      now = derive_fields(elastic_, std::move(by_nodes));
    });
    job::show(result, part_, job_.picture.field.value_or("sed"), now);
    return true;
  }

 private:
  const spec& job_;
  const local_model& part_;
  std::shared_ptr<const solve::elasticity_problem> elastic_;  // made when a frame needs it
};

}  // namespace

std::unique_ptr<frame_painter> paint_displacements(const spec& job, const local_model& part) {
  return std::make_unique<displacement_painter>(job, part);
}

}  // namespace osteon::job
