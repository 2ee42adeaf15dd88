#include <osteon/numerics/multigrid/elasticity_multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <osteon/base/for_each.hpp>
#include <osteon/base/release.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/numerics/multigrid/elasticity_cycle.hpp>

namespace osteon::numerics {

namespace {

using namespace elasticity_cycle;

// The polynomial damps eigenvalues between this fraction of the largest eigenvalue and the largest eigenvalue.
constexpr double lowest_treated = 0.1;

// Weights of the parents' corners, by kind of brick and position in the brick.
std::vector<std::array<float, 8>> interpolation_weights(const coarse_mesh& mesh) {
  std::vector<std::array<float, 8>> weights(8 * 27);
  for (int kind = 0; kind < 8; ++kind)
    for (int place = 0; place < 27; ++place) {
      const int at[3] = {place / 9, place / 3 % 3, place % 3};
      for (int k = 0; k < parents_of_place.count[place]; ++k) {
        const int corner = parents_of_place.corner[place][k];
        double weight = 1;
        for (int d = 0; d < 3; ++d) {
          const double middle = kind & 4 >> d ? mesh.middle[static_cast<std::size_t>(d)] : 0.5;
          if (at[d] == 1) weight *= corner & 4 >> d ? middle : 1 - middle;
        }
        weights[static_cast<std::size_t>(27 * kind + place)][static_cast<std::size_t>(k)] = static_cast<float>(weight);
      }
    }
  return weights;
}

std::int64_t owned_nodes(MPI_Comm comm, std::size_t nodes, const grid::shared_nodes& shared) {
  return comm::sum_over_ranks(comm, static_cast<std::int64_t>(nodes - shared.not_owned().size()));
}

// A level without values, for a problem with voxels that represent bricks. The exchanges of this level are those of the
// voxels.
class missing_level final : public elasticity_operator {
 public:
  missing_level(const fine_stiffness& fine, int depth) : shared_(fine.shared().renamed(name_of_level(depth))) {}
  void multiply(const float*, float* y) const override { shared_.exchange_add(y, layout()); }
  kernel_work work() const override { return {}; }
  std::int64_t size() const override { return 0; }
  grid::node_layout layout() const override { return {3, 1, 4}; }
  const grid::shared_nodes& shared() const override { return shared_; }
  numerics::inverse_diagonal inverse_diagonal() const override { return {}; }
  std::span<const std::int64_t> fixed() const override { return {}; }

 private:
  grid::shared_nodes shared_;
};

child_bricks voxels_of(const elasticity_problem& problem, const fine_stiffness& fine) {
  const std::int64_t z_begin = problem.where.owned.begin.z;
  return {.lattice = {problem.where.domain, problem.periodic},
          .z_begin = z_begin,
          .z_end = problem.where.owned.end.z,
          .node_id = fine.ids(),
          .shared = &fine.shared(),
          .are_voxels = true,
          .visit_plane = [&fine, z_begin](std::int64_t z, const brick_visitor& v) { fine.visit_plane(z - z_begin, v); }};
}

bool is_coarsest(std::int64_t nodes, const brick_mesh& mesh) {
  return 3 * nodes <= coarsest_unknowns || mesh.lattice.shape == index3{1, 1, 1};
}

}  // namespace

elasticity_multigrid::elasticity_multigrid(const elasticity_problem& problem, const fine_stiffness& fine,
                                           const std::function<void()>& pass)
    : fixed_(fine.fixed()) {
  const MPI_Comm comm = problem.where.comm;
  const auto coarsen_level = [&](level& at, const child_bricks& bricks) {
    at.parents = coarsen(comm, bricks);
    at.weights = interpolation_weights(at.parents);
  };
  levels_.push_back(std::make_unique<level>());
  level& finest = *levels_.back();
  finest.k = &fine;
  finest.node_plane_begin.assign(fine.node_plane_begin().begin(), fine.node_plane_begin().end());
  finest.z_begin = problem.where.owned.begin.z;
  const int missing = comm::has_values(comm) ? 0 : problem.missing_levels;
  for (int depth = 1; depth <= missing; ++depth) {
    levels_.push_back(std::make_unique<level>());
    levels_.back()->owned_k = std::make_unique<missing_level>(fine, depth);
    levels_.back()->k = levels_.back()->owned_k.get();
  }
  level& of_voxels = *levels_.back();
  coarsen_level(of_voxels, voxels_of(problem, fine));
  brick_matrices matrices = first_coarse_matrices(problem, fine, of_voxels.parents);
  holding_ranks holders(comm::size(comm));
  const int own_rank = comm::rank(comm);

  for (int depth = missing + 1;; ++depth) {
    level& above = *levels_.back();
    release(above.parents.parent);
    levels_.push_back(std::make_unique<level>());
    level& at = *levels_.back();
    move_to_fewer_ranks(problem, depth, holders, matrices);
    brick_mesh& mesh = mesh_of(levels_.size() - 1);
    at.is_held = own_rank < holders.count();
    at.owned_k = std::make_unique<coarse_stiffness>(comm, mesh, problem.spacing_mm, matrices,
                                                    holders.touching(problem.where, depth - missing, problem.periodic),
                                                    name_of_level(depth));
    at.k = at.owned_k.get();
    at.z_begin = mesh.z_begin;
    at.node_plane_begin = mesh.node_plane_begin;
    const std::int64_t nodes = owned_nodes(comm, mesh.node_id.size(), at.k->shared());
    const bool is_counted = missing > 0 && problem.levels > 0 && mesh.lattice.shape != index3{1, 1, 1};
    if (is_counted ? depth + 1 >= problem.levels : is_coarsest(nodes, mesh)) {
      coarsest_ = std::make_unique<coarsest_solver>(comm, mesh, matrices, at.k->shared(), holders.count());
      break;
    }
    coarsen_level(at, children_of(mesh, at.k->shared()));
    matrices = next_coarse_matrices(matrices, mesh, at.parents, problem.spacing_mm);
    release(mesh.node_place);
    release(mesh.boundary);
    pass();
  }
  // The vectors are allocated last, after the temporary data of the set-up are released. A coarse level may have more values
  // than the level of voxels, because isolated voxels keep their eight nodes and a coarse node has four floats.
  std::int64_t largest_size = 0;
  for (const auto& at : levels_) largest_size = std::max(largest_size, at->k->size());
  scratch_.emplace(largest_size);
  for (std::size_t l = 0; l < levels_.size(); ++l) allocate(l);
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    level& at = *levels_[l];
    at.largest = largest_of_smoother(comm, at, l == 0 ? fine.ids() : mesh_of(l).node_id);
    pass();
  }

  // Proceed from the coarsest level upwards: a cycle requires the eigenvalues of the coarser levels.
  for (std::size_t l = levels_.size() - 1; l-- > 1;) {
    find_largest_of_cycle(comm, l);
    pass();
  }
  for (std::size_t l = 1; l < levels_.size(); ++l) release(mesh_of(l).node_id);
}

std::vector<std::int64_t> nodes_of_levels(const elasticity_problem& problem) {
  const comm::without_values empty(problem.where.comm);
  const MPI_Comm comm = problem.where.comm;
  const fine_stiffness fine(problem);
  std::vector<std::int64_t> nodes{owned_nodes(comm, fine.ids().size(), fine.shared())};
  for (brick_mesh mesh = coarsen(comm, voxels_of(problem, fine)).mesh;;) {
    const grid::shared_nodes shared(comm, mesh.boundary, {}, name_of_level(static_cast<int>(nodes.size())));
    nodes.push_back(owned_nodes(comm, mesh.node_id.size(), shared));
    if (is_coarsest(nodes.back(), mesh)) return nodes;
    mesh = coarsen(comm, children_of(mesh, shared)).mesh;
  }
}

// Move the coarsest existing level to the number of ranks with the shortest time.
void elasticity_multigrid::move_to_fewer_ranks(const elasticity_problem& problem, int depth, holding_ranks& holders,
                                               brick_matrices& matrices) {
  const MPI_Comm comm = problem.where.comm;
  level& at = *levels_.back();
  for (int goal = holders.count();;) {
    brick_mesh& mesh = mesh_of(levels_.size() - 1);
    const int before = holders.count();
    if (before == goal) {
      const double nodes = static_cast<double>(comm::sum_over_ranks(comm, std::ssize(mesh.node_id))) / before;
      if (const auto fewest = problem.fewest_nodes_of_rank)
        goal = nodes < static_cast<double>(*fewest) ? (before + 7) / 8 : before;
      else
        goal = comm::max_over_ranks(comm, cheapest_ranks(nodes, static_cast<double>(mesh.lattice.shape.volume()), before));
      if (before == goal) return;
    }
    holders.reduce(goal);
    at.moves.push_back(std::make_unique<agglomeration>(comm, depth, before, holders.count(), mesh, matrices));
    // Restriction and prolongation require the corners of the mesh before the move.
    release(mesh.node_place);
    release(mesh.node_id);
    release(mesh.boundary);
  }
}

void elasticity_multigrid::allocate(std::size_t l) {
  level& at = *levels_[l];
  const auto size = static_cast<std::size_t>(at.k->size());
  if (l == 0) {
    at.correction = scratch_->floats(0).first(size);
    at.residual = scratch_->floats(1).first(size);
    at.direction = scratch_->floats(2).first(size);
    at.product = scratch_->floats(3).first(size);
  } else {
    // The correction is swapped with the sum and becomes the direction of the next finer level.
    const bool is_first = l == 1;
    at.correction = idle_floats(size, is_first);
    if (cycles_of_level(l) > 1) at.sum = idle_floats(size, is_first), at.start = idle_floats(size, false);
    at.residual = idle_floats(size, false);
    at.direction = idle_floats(size, false);
    at.product = idle_floats(size, false);
  }
}

// While coarse levels are processed, the finest level does not use its direction and its product. Each of these two vectors
// is eight times larger than a vector of the first coarse level. Vectors of coarse levels are allocated from the end of this
// memory. The vectors that must not overlap the direction are allocated first.
std::span<float> elasticity_multigrid::idle_floats(std::size_t size, bool in_product) {
  constexpr std::size_t line = 16;
  const std::span<float> all(scratch_->floats(2).data(), 2 * scratch_->floats(2).size());
  const std::size_t taken = (size + line - 1) / line * line;
  if (idle_taken_ + taken <= (in_product ? all.size() / 2 : all.size())) {
    idle_taken_ += taken;
    return all.subspan(all.size() - idle_taken_, size);
  }
  return storage_.emplace_back(size);
}

// Largest eigenvalue of D^-1 K. The Lanczos estimate is below the eigenvalue and is therefore raised by a tenth.
double elasticity_multigrid::largest_of_smoother(MPI_Comm comm, level& at, std::span<const std::int64_t> ids) {
  constexpr int steps = lanczos_steps_of_smoother;
  constexpr double safety = 1.1;
  const auto by_diagonal = [&](const float* r) {
    for_each_with_diagonal(*at.k, [=, to = at.product.data()](std::int64_t i, float inverse) { to[i] = inverse * r[i]; });
    return at.product.data();
  };
  return safety *
         estimate_eigenvalues(comm, *at.k, ids, steps, {at.residual, at.direction, at.product}, by_diagonal).largest;
}

// Largest eigenvalue of a level's cycle. For exact coarse solutions, this eigenvalue is 1.
void elasticity_multigrid::find_largest_of_cycle(MPI_Comm comm, std::size_t l) {
  level& at = *levels_[l];
  if (cycles_of_level(l) == 1) return;
  constexpr int steps = lanczos_steps_of_cycle;
  constexpr double safety = 1.15;
  const auto by_cycle = [&](const float* r) {
    std::copy_n(r, at.residual.size(), at.residual.begin());
    cycle(l, false);
    return at.correction.data();
  };
  at.largest_of_cycle =
      safety *
      estimate_eigenvalues(comm, *at.k, mesh_of(l).node_id, steps, {at.start, at.sum, at.product}, by_cycle).largest;
}

void elasticity_multigrid::damp() {
  constexpr double by = 1.3;
  for (const auto& at : levels_) {
    at->largest *= by;
    at->largest_of_cycle *= by;
  }
}

std::span<const float> elasticity_multigrid::cycle() {
  cycle(0, false);
  return levels_[0]->correction;
}

void elasticity_multigrid::solve_level(std::size_t l) {
  level& at = *levels_[l];
  if (!at.is_held) return;
  if (l + 1 == levels_.size()) {
    coarsest_->solve(at.residual.data(), at.correction.data());
    return;
  }
  const int cycles = cycles_of_level(l);
  if (cycles == 1) return cycle(l, false);
  const double low = lowest_treated * at.largest_of_cycle, high = at.largest_of_cycle;
  std::fill(at.sum.begin(), at.sum.end(), 0.0F);
  for (int i = 0; i < cycles; ++i) {
    std::copy(at.residual.begin(), at.residual.end(), at.start.begin());
    cycle(l, i + 1 < cycles);
    const double angle = std::numbers::pi * (2 * i + 1) / (2 * cycles);
    const double root = (high + low) / 2 + (high - low) / 2 * std::cos(angle);
    for_each(at.k->size(), [w = static_cast<float>(1 / root), sum = at.sum.data(), x = at.correction.data(),
                            r = at.residual.data(), before = at.start.data()](std::int64_t k) {
      sum[k] += w * x[k];
      r[k] = before[k] + w * (r[k] - before[k]);
    });
  }
  std::swap(at.sum, at.correction);
}

void elasticity_multigrid::cycle(std::size_t l, bool keeps_residual) {
  level& at = *levels_[l];
  if (!at.is_held) return;
  level& coarse = *levels_[l + 1];
  const int degree = smoothing_degree(l);
  smooth(at, degree, true, true);
  restrict_residual(at, coarse);
  solve_level(l + 1);
  prolong(coarse, at);
  if (l == 0)
    for (const std::int64_t i : fixed_) at.direction[static_cast<std::size_t>(i)] = 0;
  at.k->multiply(at.direction.data(), at.product.data());
  for_each(at.k->size(), [x = at.correction.data(), r = at.residual.data(), d = at.direction.data(),
                          y = at.product.data()](std::int64_t i) {
    x[i] += d[i];
    r[i] -= y[i];
  });
  smooth(at, degree, false, keeps_residual);
}

// Memory accesses of cycle() and smooth().
kernel_work elasticity_multigrid::work_of_cycle(std::size_t l, bool keeps_residual) const {
  const elasticity_operator& k = *levels_[l]->k;
  const auto values = static_cast<double>(k.size());
  const auto passes = [&](double times, double operations) {
    return kernel_work{times * sizeof(float) * values, operations * values};
  };
  const auto smoothing = [&](bool from_zero, bool keeps) {
    kernel_work w = from_zero ? passes(4, 2) : passes(5, 3);
    const int products = smoothing_degree(l) - 1;
    w += products * (k.work() + passes(8, 6));
    if (keeps) w += k.work() + passes(3, 1);
    return w;
  };
  kernel_work all = smoothing(true, true) + smoothing(false, keeps_residual) + k.work() + passes(6, 2);
  // Restriction and prolongation access the fine vector, the brick and position of each node, and the coarse vector.
  constexpr double of_node = sizeof(std::int32_t) + 1;
  all += passes(2, 4) + kernel_work{2 * of_node * static_cast<double>(levels_[l]->parents.node_brick.size()) +
                                        3 * sizeof(float) * static_cast<double>(levels_[l + 1]->k->size()),
                                    0};
  if (l + 2 == levels_.size()) return all;
  const int cycles = cycles_of_level(l + 1);
  if (cycles == 1) return all + work_of_cycle(l + 1, false);
  const auto coarse = static_cast<double>(levels_[l + 1]->k->size());
  for (int i = 0; i < cycles; ++i)
    all += work_of_cycle(l + 1, i + 1 < cycles) + kernel_work{8 * sizeof(float) * coarse, 5 * coarse};
  return all;
}

// x += p(D^-1 K) D^-1 r. Updates the residual r; the update of the last step is optional.
void elasticity_multigrid::smooth(level& at, int degree, bool from_zero, bool keeps_residual) {
  const auto lambda = static_cast<float>(at.largest);
  float *x = at.correction.data(), *r = at.residual.data(), *d = at.direction.data(), *y = at.product.data();
  for_each_with_diagonal(*at.k, [=, s = 4 / (3 * lambda)](std::int64_t i, float inverse) {
    d[i] = s * inverse * r[i];
    x[i] = from_zero ? d[i] : x[i] + d[i];
  });
  for (int k = 1; k < degree; ++k) {
    at.k->multiply(d, y);
    const float keep = static_cast<float>(2 * k - 1) / static_cast<float>(2 * k + 3);
    const float take = static_cast<float>(8 * k + 4) / (static_cast<float>(2 * k + 3) * lambda);
    for_each_with_diagonal(*at.k, [=](std::int64_t i, float inverse) {
      r[i] -= y[i];
      d[i] = keep * d[i] + take * inverse * r[i];
      x[i] += d[i];
    });
  }
  if (!keeps_residual) return;
  at.k->multiply(d, y);
  for_each(at.k->size(), [=](std::int64_t i) { r[i] -= y[i]; });
}

void elasticity_multigrid::restrict_residual(level& fine, level& coarse) {
  if (fine.k->size() > 0) restrict_own(fine, coarse.moves.empty() ? coarse.residual : coarse.moves.front()->local());
  for (std::size_t m = 0; m < coarse.moves.size(); ++m)
    coarse.moves[m]->gather(m + 1 < coarse.moves.size() ? coarse.moves[m + 1]->local() : coarse.residual);
  if (coarse.is_held) coarse.k->shared().exchange_add(coarse.residual.data(), coarse.k->layout());
}

void elasticity_multigrid::restrict_own(level& fine, std::span<float> result) {
  const auto layout = fine.k->layout();
  const auto place = [&](std::int64_t node, int c) {
    return static_cast<std::size_t>(c * layout.component_stride + node * layout.node_stride);
  };
  // Only the owner of a node restricts the residual of the node; each node therefore counts once.
  const auto copies = fine.k->shared().not_owned();
  std::vector<float> put_back;
  for (const std::int32_t node : copies)
    for (int c = 0; c < 3; ++c) put_back.push_back(std::exchange(fine.residual[place(node, c)], 0.0F));

  std::fill(result.begin(), result.end(), 0.0F);
  const auto& bricks = fine.parents.node_brick;
  const auto& places = fine.parents.node_place;
  const auto& corners = fine.parents.mesh.corners;
  const auto planes = static_cast<std::int64_t>(fine.node_plane_begin.size()) - 1;
  // The nodes of planes 2 z and 2 z + 1 have parents in planes z and z + 1. Pairs of planes with equal parity of z share no
  // parents.
  const std::int64_t first = fine.z_begin / 2, last = (fine.z_begin + planes - 1) / 2;
  for (int parity = 0; parity < 2; ++parity) {
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t z = first + (first + parity) % 2; z <= last; z += 2) {
      const auto begin = fine.node_plane_begin[static_cast<std::size_t>(std::max<std::int64_t>(2 * z - fine.z_begin, 0))];
      const auto end = fine.node_plane_begin[static_cast<std::size_t>(std::min(2 * z + 2 - fine.z_begin, planes))];
      for (std::int32_t node = begin; node < end; ++node) {
        const auto& brick = corners[static_cast<std::size_t>(bricks[static_cast<std::size_t>(node)])];
        const std::uint8_t at = places[static_cast<std::size_t>(node)];
        const int count = parents_of_place.count[at % 27];
        const int* parents = parents_of_place.corner[at % 27];
        const auto& weight = fine.weights[at];
        const kernel::float4 value{fine.residual[place(node, 0)], fine.residual[place(node, 1)],
                                   fine.residual[place(node, 2)], 0};
        for (int k = 0; k < count; ++k) {
          float* to = result.data() + 4 * static_cast<std::int64_t>(brick[static_cast<std::size_t>(parents[k])]);
          kernel::float4 sum;
          kernel::load(sum, to);
          kernel::store(to, sum + weight[static_cast<std::size_t>(k)] * value);
        }
      }
    }
  }
  auto back = put_back.begin();
  for (const std::int32_t node : copies)
    for (int c = 0; c < 3; ++c) fine.residual[place(node, c)] = *back++;
}

void elasticity_multigrid::prolong(level& coarse, level& fine) {
  for (std::size_t m = coarse.moves.size(); m-- > 0;)
    coarse.moves[m]->scatter(m + 1 < coarse.moves.size() ? coarse.moves[m + 1]->local() : coarse.correction);
  if (fine.k->size() == 0) return;
  const auto layout = fine.k->layout();
  const auto& bricks = fine.parents.node_brick;
  const auto& places = fine.parents.node_place;
  const auto& corners = fine.parents.mesh.corners;
  const float* from = (coarse.moves.empty() ? coarse.correction : coarse.moves.front()->local()).data();
  float* to = fine.direction.data();
  const bool is_by_node = layout.component_stride == 1;  // four floats per node
  for_each(static_cast<std::int64_t>(bricks.size()), [&](std::int64_t node) {
    const auto& brick = corners[static_cast<std::size_t>(bricks[static_cast<std::size_t>(node)])];
    const std::uint8_t at = places[static_cast<std::size_t>(node)];
    const int count = parents_of_place.count[at % 27];
    const int* parents = parents_of_place.corner[at % 27];
    const auto& weight = fine.weights[at];
    kernel::float4 sum{};
    for (int k = 0; k < count; ++k) {
      kernel::float4 value;
      kernel::load(value, from + 4 * static_cast<std::int64_t>(brick[static_cast<std::size_t>(parents[k])]));
      sum += weight[static_cast<std::size_t>(k)] * value;
    }
    if (is_by_node) {
      kernel::store(to + 4 * node, sum);
    } else {
      for (int c = 0; c < 3; ++c) to[c * layout.component_stride + node] = sum[c];
    }
  });
  // Another level may have left values in the fourth component.
  if (!is_by_node)
    for (int c = 0; c < 3; ++c)
      std::fill(to + c * layout.component_stride + static_cast<std::int64_t>(bricks.size()),
                to + (c + 1) * layout.component_stride, 0.0F);
}

}  // namespace osteon::numerics
