#include <osteon/solve/elastic_multigrid.hpp>

#include <algorithm>
#include <osteon/base/for_each.hpp>

namespace osteon::solve {

namespace {

constexpr int degree = 3;                         // of the smoothing polynomial, before and after
constexpr std::int64_t coarsest_unknowns = 4000;  // a direct solution costs less than a level of smoothing

// Struts that a coarse brick merges move against each other in modes that only the finer lattices represent. Two visits
// from the first two coarse lattices, which are cheap, remove a third of the iterations on bone; further down they would
// only multiply the messages.
int coarse_visits(std::size_t depth) { return depth == 1 || depth == 2 ? 2 : 1; }

// The parents of a node at place 9 z + 3 y + x of a brick: corners of the brick, each with the same weight.
struct parent_corners {
  int count[27];
  int corner[27][8];
};

constexpr parent_corners parent_table() {
  parent_corners table{};
  for (int place = 0; place < 27; ++place)
    for (int a = 0; a < 8; ++a) {
      const int at[3] = {place / 9, place / 3 % 3, place % 3}, corner[3] = {a >> 2, a >> 1 & 1, a & 1};
      bool is_parent = true;
      for (int d = 0; d < 3; ++d) is_parent = is_parent && (at[d] == 1 || at[d] == 2 * corner[d]);
      if (is_parent) table.corner[place][table.count[place]++] = a;
    }
  return table;
}
constexpr parent_corners parents_of_place = parent_table();

std::int64_t owned_nodes(MPI_Comm comm, std::size_t nodes, const grid::shared_nodes& shared) {
  auto count = static_cast<std::int64_t>(nodes - shared.not_owned().size());
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm);
  return count;
}

}  // namespace

elastic_multigrid::elastic_multigrid(const elasticity_problem& problem, const fine_stiffness& fine) : fixed_(fine.fixed()) {
  const MPI_Comm comm = problem.where.comm;
  const auto planes = planes_of_ranks(problem.where);
  const auto allocate = [](level& at) {
    for (auto* v : {&at.correction, &at.residual, &at.direction, &at.product})
      v->assign(static_cast<std::size_t>(at.k->size()), 0.0F);
  };
  levels_.push_back(std::make_unique<level>());
  level& finest = *levels_.back();
  finest.k = &fine;
  finest.node_plane_begin.assign(fine.node_plane_begin().begin(), fine.node_plane_begin().end());
  finest.z_begin = problem.where.owned.begin.z;
  finest.parents = coarsen(
      problem.where.domain, problem.where.owned.begin.z, problem.where.owned.end.z, problem.nodes.size(),
      [&](std::int64_t z, const brick_visitor& visitor) { fine.visit_plane(z - problem.where.owned.begin.z, visitor); });
  brick_matrices matrices = first_coarse_matrices(problem, fine, finest.parents);
  allocate(finest);
  finest.largest = largest_eigenvalue(comm, fine, fine.ids(), finest.residual, finest.direction, finest.product);

  for (int depth = 1;; ++depth) {
    level& above = *levels_.back();
    const brick_mesh& mesh = above.parents.mesh;
    above.parents.parent = {};
    levels_.push_back(std::make_unique<level>());
    level& at = *levels_.back();
    at.owned_k = std::make_unique<coarse_stiffness>(comm, mesh, matrices, touching_ranks(comm, planes, depth));
    at.k = at.owned_k.get();
    at.z_begin = mesh.z_begin;
    const std::int64_t plane_nodes = (mesh.shape.y + 1) * (mesh.shape.x + 1);
    for (std::int64_t z = mesh.z_begin; z <= mesh.z_end + 1; ++z)
      at.node_plane_begin.push_back(static_cast<std::int32_t>(
          std::lower_bound(mesh.node_id.begin(), mesh.node_id.end(), z * plane_nodes) - mesh.node_id.begin()));
    allocate(at);
    const std::int64_t nodes = owned_nodes(comm, mesh.node_id.size(), at.k->shared());
    if (3 * nodes <= coarsest_unknowns || mesh.shape == index3{1, 1, 1}) {
      coarsest_ = std::make_unique<coarsest_solver>(comm, assemble(mesh, matrices), mesh.node_id, at.k->shared());
      return;
    }
    at.largest = largest_eigenvalue(comm, *at.k, mesh.node_id, at.residual, at.direction, at.product);
    at.parents = coarsen(mesh);
    matrices = next_coarse_matrices(matrices, mesh, at.parents);
  }
}

std::span<const float> elastic_multigrid::cycle() {
  visit(0);
  return levels_[0]->correction;
}

void elastic_multigrid::visit(std::size_t l) {
  level& at = *levels_[l];
  if (l + 1 == levels_.size()) {
    coarsest_->solve(at.residual.data(), at.correction.data());
    return;
  }
  level& coarse = *levels_[l + 1];
  const int visits = coarse_visits(l);
  smooth(at, true, true);
  for (int v = 1; v <= visits; ++v) {
    restrict_residual(at, coarse);
    visit(l + 1);
    prolong(coarse, at);
    if (l == 0)
      for (const std::int64_t i : fixed_) at.direction[static_cast<std::size_t>(i)] = 0;
    at.k->multiply(at.direction.data(), at.product.data());
    for_each(at.k->size(), [x = at.correction.data(), r = at.residual.data(), d = at.direction.data(),
                            y = at.product.data()](std::int64_t i) {
      x[i] += d[i];
      r[i] -= y[i];
    });
    smooth(at, false, v < visits);
  }
}

// x += p(D^-1 K) D^-1 r with the residual r kept up to date, or left behind after the last step.
void elastic_multigrid::smooth(level& at, bool from_zero, bool keeps_residual) {
  const auto lambda = static_cast<float>(at.largest);
  float *x = at.correction.data(), *r = at.residual.data(), *d = at.direction.data(), *y = at.product.data();
  const float* inverse = at.k->inverse_diagonal().data();
  for_each(at.k->size(), [=, s = 4 / (3 * lambda)](std::int64_t i) {
    d[i] = s * inverse[i] * r[i];
    x[i] = from_zero ? d[i] : x[i] + d[i];
  });
  for (int k = 1; k < degree; ++k) {
    at.k->multiply(d, y);
    const float keep = static_cast<float>(2 * k - 1) / static_cast<float>(2 * k + 3);
    const float take = static_cast<float>(8 * k + 4) / (static_cast<float>(2 * k + 3) * lambda);
    for_each(at.k->size(), [=](std::int64_t i) {
      r[i] -= y[i];
      d[i] = keep * d[i] + take * inverse[i] * r[i];
      x[i] += d[i];
    });
  }
  if (!keeps_residual) return;
  at.k->multiply(d, y);
  for_each(at.k->size(), [=](std::int64_t i) { r[i] -= y[i]; });
}

void elastic_multigrid::restrict_residual(level& fine, level& coarse) {
  const auto layout = fine.k->layout();
  const auto place = [&](std::int64_t node, int c) {
    return static_cast<std::size_t>(c * layout.component_stride + node * layout.node_stride);
  };
  // Every node counts once: its owner passes the residual on.
  const auto copies = fine.k->shared().not_owned();
  std::vector<float> put_back;
  for (const std::int32_t node : copies)
    for (int c = 0; c < 3; ++c) put_back.push_back(std::exchange(fine.residual[place(node, c)], 0.0F));

  std::fill(coarse.residual.begin(), coarse.residual.end(), 0.0F);
  const auto& bricks = fine.parents.node_brick;
  const auto& places = fine.parents.node_place;
  const auto& corners = fine.parents.mesh.corners;
  const auto planes = static_cast<std::int64_t>(fine.node_plane_begin.size()) - 1;
  // The nodes of planes 2 z and 2 z + 1 have parents in planes z and z + 1: pairs of one parity do not meet.
  const std::int64_t first = fine.z_begin / 2, last = (fine.z_begin + planes - 1) / 2;
  for (int parity = 0; parity < 2; ++parity) {
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t z = first + (first + parity) % 2; z <= last; z += 2) {
      const auto begin = fine.node_plane_begin[static_cast<std::size_t>(std::max<std::int64_t>(2 * z - fine.z_begin, 0))];
      const auto end = fine.node_plane_begin[static_cast<std::size_t>(std::min(2 * z + 2 - fine.z_begin, planes))];
      for (std::int32_t node = begin; node < end; ++node) {
        const auto& brick = corners[static_cast<std::size_t>(bricks[static_cast<std::size_t>(node)])];
        const std::uint8_t at = places[static_cast<std::size_t>(node)];
        const int count = parents_of_place.count[at];
        const int* parents = parents_of_place.corner[at];
        const float weight = 1 / static_cast<float>(count);
        const kernel::float4 value{weight * fine.residual[place(node, 0)], weight * fine.residual[place(node, 1)],
                                   weight * fine.residual[place(node, 2)], 0};
        for (int k = 0; k < count; ++k) {
          float* to = coarse.residual.data() + 4 * static_cast<std::int64_t>(brick[static_cast<std::size_t>(parents[k])]);
          kernel::float4 sum;
          kernel::load(sum, to);
          kernel::store(to, sum + value);
        }
      }
    }
  }
  coarse.k->shared().exchange_add(coarse.residual.data(), coarse.k->layout());
  auto back = put_back.begin();
  for (const std::int32_t node : copies)
    for (int c = 0; c < 3; ++c) fine.residual[place(node, c)] = *back++;
}

void elastic_multigrid::prolong(const level& coarse, level& fine) {
  const auto layout = fine.k->layout();
  const auto& bricks = fine.parents.node_brick;
  const auto& places = fine.parents.node_place;
  const auto& corners = fine.parents.mesh.corners;
  const float* from = coarse.correction.data();
  float* to = fine.direction.data();
  for_each(static_cast<std::int64_t>(bricks.size()), [&](std::int64_t node) {
    const auto& brick = corners[static_cast<std::size_t>(bricks[static_cast<std::size_t>(node)])];
    const std::uint8_t at = places[static_cast<std::size_t>(node)];
    const int count = parents_of_place.count[at];
    const int* parents = parents_of_place.corner[at];
    kernel::float4 sum{};
    for (int k = 0; k < count; ++k) {
      kernel::float4 value;
      kernel::load(value, from + 4 * static_cast<std::int64_t>(brick[static_cast<std::size_t>(parents[k])]));
      sum += value;
    }
    sum /= static_cast<float>(count);
    for (int c = 0; c < 3; ++c) to[c * layout.component_stride + node * layout.node_stride] = sum[c];
  });
}

}  // namespace osteon::solve
