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
  void multiply_own(const float*, float*, const std::function<void(std::int64_t, std::int64_t)>&) const override {}
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
  constexpr double safety = 1.2;
  const auto by_cycle = [&](const float* r) {
    std::copy_n(r, at.residual.size(), at.residual.begin());
    cycle(l);
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
  cycle(0);
  return levels_[0]->correction;
}

namespace {

// Step lengths of the Chebyshev polynomial of the fourth kind: d = keep d + take D^-1 r in step k, d = first D^-1 r before.
struct smoothing_steps {
  explicit smoothing_steps(double largest_eigenvalue) : largest(static_cast<float>(largest_eigenvalue)) {}
  float largest;  // eigenvalue of D^-1 K
  float first() const { return 4 / (3 * largest); }
  float keep(int k) const { return static_cast<float>(2 * k - 1) / static_cast<float>(2 * k + 3); }
  float take(int k) const { return static_cast<float>(8 * k + 4) / (static_cast<float>(2 * k + 3) * largest); }
};

// Multiply a vector by K, and update vectors with the product.
// @param changed vectors that the update changes @param update called with an index and the inverse of the diagonal
template <class Level, class Update>
void multiply(const Level& at, std::span<const float> by_k, std::vector<float*> changed, Update update) {
  const elasticity_operator& k = *at.k;
  k.multiply(by_k.data(), at.product.data(),
             {[&](std::int64_t begin, std::int64_t end) { for_nodes(k, begin, end, update); }, std::move(changed)});
}

template <class Level>
void smoothing_step(const Level& at, int step) {
  const smoothing_steps steps(at.largest);
  float *x = at.correction.data(), *r = at.residual.data(), *d = at.direction.data();
  multiply(at, at.direction, {x, r, d},
           [=, y = at.product.data(), keep = steps.keep(step), take = steps.take(step)](std::int64_t i, float inverse) {
             r[i] -= y[i];
             d[i] = keep * d[i] + take * inverse * r[i];
             x[i] += d[i];
           });
}

// The last smoothing step. The residual and the direction are invalid at the end.
// @param sum if not null, receives the correction times a weight in addition; the correction is then invalid
template <class Level>
void last_smoothing_step(const Level& at, int step, float* sum = nullptr, float weight = 0) {
  const smoothing_steps steps(at.largest);
  float* x = at.correction.data();
  if (sum)
    return multiply(at, at.direction, {sum},
                    [=, r = at.residual.data(), d = at.direction.data(), y = at.product.data(), keep = steps.keep(step),
                     take = steps.take(step)](std::int64_t i, float inverse) {
                      sum[i] += weight * (x[i] + (keep * d[i] + take * inverse * (r[i] - y[i])));
                    });
  multiply(
      at, at.direction, {x},
      [=, r = at.residual.data(), d = at.direction.data(), y = at.product.data(), keep = steps.keep(step),
       take = steps.take(step)](std::int64_t i, float inverse) { x[i] += keep * d[i] + take * inverse * (r[i] - y[i]); });
}

}  // namespace

void elasticity_multigrid::solve_level(std::size_t l) {
  level& at = *levels_[l];
  if (!at.is_held) return;
  if (l + 1 == levels_.size()) {
    coarsest_->solve(at.residual.data(), at.correction.data());
    return;
  }
  const int cycles = cycles_of_level(l);
  if (cycles == 1) return cycle(l);
  float *x = at.correction.data(), *r = at.residual.data(), *d = at.direction.data(), *y = at.product.data(),
        *sum = at.sum.data(), *rest = at.start.data();
  const double low = lowest_treated * at.largest_of_cycle, high = at.largest_of_cycle;
  const auto begin = [=, first = smoothing_steps(at.largest).first()](std::int64_t i, float inverse) {
    r[i] = rest[i];
    d[i] = first * inverse * rest[i];
    x[i] = d[i];
  };
  std::fill(at.sum.begin(), at.sum.end(), 0.0F);
  std::copy(at.residual.begin(), at.residual.end(), at.start.begin());
  for_each_with_diagonal(*at.k, begin);
  for (int i = 0; i < cycles; ++i) {
    const double angle = std::numbers::pi * (2 * i + 1) / (2 * cycles);
    const auto weight = static_cast<float>(1 / ((high + low) / 2 + (high - low) / 2 * std::cos(angle)));
    cycle_without_ends(l);
    last_smoothing_step(at, smoothing_degree(l) - 1, i + 1 < cycles ? nullptr : sum, weight);
    if (i + 1 == cycles) break;
    // The residual of the sum, and the start of the next cycle.
    multiply(at, at.correction, {x, r, d, sum, rest}, [=](std::int64_t k, float inverse) {
      sum[k] += weight * x[k];
      rest[k] -= weight * y[k];
      begin(k, inverse);
    });
  }
  std::swap(at.sum, at.correction);
}

void elasticity_multigrid::begin_cycle(level& at) {
  for_each_with_diagonal(*at.k, [x = at.correction.data(), r = at.residual.data(), d = at.direction.data(),
                                 first = smoothing_steps(at.largest).first()](std::int64_t i, float inverse) {
    d[i] = first * inverse * r[i];
    x[i] = d[i];
  });
}

void elasticity_multigrid::cycle(std::size_t l) {
  level& at = *levels_[l];
  if (!at.is_held) return;
  begin_cycle(at);
  cycle_without_ends(l);
  last_smoothing_step(at, smoothing_degree(l) - 1);
}

void elasticity_multigrid::cycle_without_ends(std::size_t l) {
  level& at = *levels_[l];
  level& coarse = *levels_[l + 1];
  const int degree = smoothing_degree(l);
  float *x = at.correction.data(), *r = at.residual.data(), *d = at.direction.data(), *y = at.product.data();
  for (int k = 1; k < degree; ++k) smoothing_step(at, k);
  multiply(at, at.direction, {r}, [=](std::int64_t i, float) { r[i] -= y[i]; });
  restrict_residual(at, coarse);
  solve_level(l + 1);
  prolong(coarse, at);
  if (l == 0)
    for (const std::int64_t i : fixed_) at.direction[static_cast<std::size_t>(i)] = 0;
  // The coarse correction, and the first step of the second smoothing.
  multiply(at, at.direction, {x, r, d}, [=, first = smoothing_steps(at.largest).first()](std::int64_t i, float inverse) {
    r[i] -= y[i];
    const float step = first * inverse * r[i];
    x[i] += d[i] + step;
    d[i] = step;
  });
  for (int k = 1; k + 1 < degree; ++k) smoothing_step(at, k);
}

// Work of solve_level and cycle. The vectors of an update are in cache during the product, except on their first access.
kernel_work elasticity_multigrid::work_of_level(std::size_t l) const {
  const level& at = *levels_[l];
  const elasticity_operator& k = *at.k;
  const auto values = static_cast<double>(k.size());
  const double diagonal = k.inverse_diagonal().is_by_node ? 1.0 / 3 : 1;  // accesses per value
  const auto accesses = [&](double times, double operations) {
    return kernel_work{times * sizeof(float) * values, operations * values};
  };
  const auto product = [&](double times, double operations) { return k.work() + accesses(times, operations); };
  const int steps = smoothing_degree(l) - 1, cycles = l == 0 ? 1 : cycles_of_level(l);
  // Read and write r and x, and write d.
  const kernel_work step = product(5 + diagonal, 6);
  // Steps, residual, transfers, correction. The transfers access the fine vectors, the brick and position of each node, and
  // the coarse vectors.
  constexpr double bytes_of_node = sizeof(std::int32_t) + 1;
  kernel_work inner = (2 * steps - 1) * step + product(2, 1) + accesses(2, 4) + product(5 + diagonal, 5);
  inner += {2 * bytes_of_node * static_cast<double>(at.parents.node_brick.size()) +
                3 * sizeof(float) * static_cast<double>(levels_[l + 1]->k->size()),
            0};
  if (l + 2 < levels_.size()) inner += work_of_level(l + 1);
  const kernel_work begin = accesses(3 + diagonal, 2);
  if (cycles == 1) return begin + inner + product(3 + diagonal, 6);  // read r, read and write x
  // Clear the sum, and copy the residual. Last steps: read r, read and write x or the sum. Next cycle: read and write the
  // sum and the residual of the sum, write r, d and x.
  return begin + accesses(3, 0) + cycles * (inner + product(3 + diagonal, 6)) + accesses(1, 2) +
         (cycles - 1) * product(7 + diagonal, 6);
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
