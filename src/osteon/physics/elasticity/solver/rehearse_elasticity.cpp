#include <algorithm>
#include <memory>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/numerics/multigrid/elasticity_cycle.hpp>
#include <osteon/numerics/operators/brick_mesh.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>
#include <osteon/physics/elasticity/solver/rehearse_elasticity.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

namespace {

namespace shape = elasticity_cycle;

constexpr std::size_t floats_of_node = 3 * sizeof(float), doubles_of_node = 3 * sizeof(double);

// elasticity_multigrid without its matrices.
class rehearsed_multigrid {
 public:
  rehearsed_multigrid(const elasticity_problem& problem, const fine_stiffness& fine) : comm_(problem.where.comm) {
    const std::int64_t z_begin = problem.where.owned.begin.z;
    shared_.push_back(&fine.shared());
    auto parents = std::make_unique<coarse_mesh>(
        coarsen(comm_, {.lattice = {problem.where.domain, problem.periodic},
                        .z_begin = z_begin,
                        .z_end = problem.where.owned.end.z,
                        .node_id = fine.ids(),
                        .shared = &fine.shared(),
                        .are_voxels = true,
                        .visit_plane = [&](std::int64_t z, const brick_visitor& v) { fine.visit_plane(z - z_begin, v); }}));
    for (int depth = 1;; ++depth) {
      const brick_mesh& mesh = parents->mesh;
      owned_.push_back(std::make_unique<grid::shared_nodes>(
          comm_, mesh.boundary, grid::touching_ranks(problem.where, depth, problem.periodic), name_of_level(depth)));
      shared_.push_back(owned_.back().get());
      shared_.back()->rehearse(floats_of_node);  // the diagonal
      const auto nodes = static_cast<std::int64_t>(mesh.node_id.size() - shared_.back()->not_owned().size());
      if (3 * comm::sum_of(comm_, nodes) <= shape::coarsest_unknowns || mesh.lattice.shape == index3{1, 1, 1}) {
        own_ = static_cast<int>(4 * nodes);
        all_ = static_cast<int>(4 * mesh.node_id.size());
        owned_counts_ = comm::gathered_counts(comm_, own_);
        all_counts_ = comm::gathered_counts(comm_, all_);
        break;
      }
      parents = std::make_unique<coarse_mesh>(coarsen(comm_, children_of(mesh, *shared_.back())));
    }
    for (std::size_t l = 0; l + 1 < shared_.size(); ++l) estimate_eigenvalues(l, shape::lanczos_steps_of_smoother, [] {});
    for (std::size_t l = shared_.size() - 1; l-- > 1;)
      if (shape::cycles_of_level(l) > 1) estimate_eigenvalues(l, shape::lanczos_steps_of_cycle, [&] { cycle(l, false); });
  }

  void cycle() { cycle(0, false); }

 private:
  void multiply(std::size_t l) { shared_[l]->rehearse(floats_of_node); }

  template <class Precondition>
  void estimate_eigenvalues(std::size_t l, int steps, Precondition precondition) {
    for (int step = 0; step < steps; ++step) {
      precondition();
      comm::counted_call::all_reduce(comm_, sizeof(double));
      multiply(l);
      comm::counted_call::all_reduce(comm_, sizeof(double));
    }
  }

  void solve_level(std::size_t l) {
    if (l + 1 == shared_.size()) {
      comm::counted_call::gather(comm_, "coarsest level to rank 0", owned_counts_, own_, sizeof(float));
      comm::counted_call::scatter(comm_, "coarsest level from rank 0", all_counts_, all_, sizeof(float));
      return;
    }
    const int cycles = shape::cycles_of_level(l);
    for (int i = 0; i < cycles; ++i) cycle(l, i + 1 < cycles);
  }

  void cycle(std::size_t l, bool keeps_residual) {
    smooth(l, true);
    multiply(l + 1);  // the restricted residual
    solve_level(l + 1);
    multiply(l);
    smooth(l, keeps_residual);
  }

  void smooth(std::size_t l, bool keeps_residual) {
    for (int k = 1; k < shape::smoothing_degree(l); ++k) multiply(l);
    if (keeps_residual) multiply(l);
  }

  MPI_Comm comm_;
  std::vector<const grid::shared_nodes*> shared_;  // of each level
  std::vector<std::unique_ptr<grid::shared_nodes>> owned_;
  std::vector<int> owned_counts_, all_counts_;
  int own_ = 0, all_ = 0;
};

}  // namespace

void rehearse_elasticity(const elasticity_problem& problem, const part_listener& begins) {
  const MPI_Comm comm = problem.where.comm;
  const auto dot = [&] { comm::counted_call::all_reduce(comm, sizeof(double)); };
  begins(solve_part::set_up);
  const fine_stiffness fine(problem);
  rehearsed_multigrid multigrid(problem, fine);
  const auto multiply = [&] { fine.shared().rehearse(doubles_of_node); };

  begins(solve_part::load);
  fine.shared().rehearse(6 * sizeof(std::int64_t));  // are the copies prescribed alike?
  multiply();                                        // the forces
  multiply(), dot();                                 // the first residual
  fine.shared_by_ranks().rehearse(doubles_of_node);  // the reactions
  dot();                                             // their energy

  begins(solve_part::restart);
  dot();                                                                    // norm of the residual
  multiply(), dot();                                                        // the residual anew
  if (problem.periodic == std::array<bool, 3>{}) multiply(), dot(), dot();  // rescaled to zero work
  multiply(), dot();                                                        // and once more

  begins(solve_part::iteration);
  multigrid.cycle();
  dot();
  multiply();
  dot(), dot();
}

}  // namespace osteon::physics
