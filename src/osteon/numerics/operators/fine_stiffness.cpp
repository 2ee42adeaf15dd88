#include <osteon/numerics/operators/fine_stiffness.hpp>

#include <algorithm>
#include <numeric>
#include <osteon/comm/virtual_ranks.hpp>

namespace osteon::numerics {

std::vector<kernel::lame> lame_table(const voxel::material_table& materials) {
  std::vector<kernel::lame> table;
  for (const voxel::material& m : materials)
    table.push_back(m.youngs_modulus_MPa > 0 ? kernel::lame_of(m.youngs_modulus_MPa, m.poisson_ratio) : kernel::lame{});
  return table;
}

fine_stiffness::fine_stiffness(const elasticity_problem& problem, kernel::dilatation how)
    : problem_(problem),
      stride_(comm::has_values(problem.where.comm) ? (problem.nodes.size() + kernel::hex8_padding + 15) / 16 * 16 : 0),
      single_(problem.spacing_mm, lame_table(*problem.materials), how),
      double_(problem.spacing_mm, lame_table(*problem.materials), how) {
  bricks_ = list_bricks(problem.cells, problem.nodes, problem.material);

  identify_nodes();
  for (const prescribed_displacement& p : problem.fixed)
    if (stride_ > 0) fixed_.push_back(static_cast<int>(p.direction) * stride_ + p.node);
  std::sort(fixed_.begin(), fixed_.end());
  fixed_.erase(std::unique(fixed_.begin(), fixed_.end()), fixed_.end());
  invert_diagonal();
}

void fine_stiffness::identify_nodes() {
  const grid::block& where = problem_.where;
  const bool is_periodic = problem_.periodic[0] || problem_.periodic[1] || problem_.periodic[2];
  std::vector<grid::identified_node> boundary, rank_boundary;
  ids_.reserve(static_cast<std::size_t>(problem_.nodes.size()));
  for (const voxel::run& r : problem_.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      index3 at = where.owned.begin + index3{r.z, r.y, r.x + i};
      const auto id = [&] { return (at.z * (where.domain.y + 1) + at.y) * (where.domain.x + 1) + at.x; };
      const auto number = static_cast<std::int32_t>(ids_.size());
      bool is_between_ranks = false, is_on_periodic_face = false;
      for (int d = 0; d < 3; ++d)
        is_between_ranks = is_between_ranks || (at[d] == where.owned.begin[d] && at[d] > 0) ||
                           (at[d] == where.owned.end[d] && at[d] < where.domain[d]);
      if (is_between_ranks && is_periodic) rank_boundary.push_back({id(), number});
      for (int d = 0; d < 3; ++d) {
        if (!problem_.periodic[static_cast<std::size_t>(d)] || (at[d] != 0 && at[d] != where.domain[d])) continue;
        is_on_periodic_face = true;
        at[d] = 0;
      }
      ids_.push_back(id());
      if (is_between_ranks || is_on_periodic_face) boundary.push_back({ids_.back(), number});
    }
  const auto candidates = grid::adjacent_ranks(where, 0, problem_.periodic);
  shared_.emplace(where.comm, std::move(boundary), candidates, name_of_level(0));
  if (is_periodic) shared_by_ranks_.emplace(where.comm, std::move(rank_boundary), candidates, "nodes between ranks");
}

void fine_stiffness::visit_plane(std::int64_t z, const brick_visitor& visit) const {
  const auto cells = problem_.cells.plane(z);
  const index3 origin = problem_.where.owned.begin;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const kernel::hex8_run& run = bricks_.runs[bricks_.run_plane_begin[static_cast<std::size_t>(z)] + i];
    for (std::int32_t e = 0; e < run.length; ++e) {
      std::array<std::int32_t, 8> corners;
      for (int a = 0; a < 8; ++a) corners[static_cast<std::size_t>(a)] = run.node[a / 2] + (a & 1) + e;
      visit(origin.y + cells[i].y, origin.x + cells[i].x + e, corners);
    }
  }
}

// Store one value per node. The diagonal entries of the three components of a node differ by constant factors if the voxels
// are cubes or all materials have the same Poisson's ratio. Otherwise the factors are nearly constant; this accuracy is
// sufficient for a smoother.
void fine_stiffness::invert_diagonal() {
  for (std::size_t m = 0; m < problem_.materials->size(); ++m)
    if ((*problem_.materials)[m].youngs_modulus_MPa > 0) {
      const auto number = static_cast<material_number>(m);
      for (int c = 0; c < 3; ++c)
        component_weight_[static_cast<std::size_t>(c)] =
            static_cast<float>(single_.diagonal(number, 0) / single_.diagonal(number, c));
      break;
    }
  inverse_diagonal_.assign(static_cast<std::size_t>(stride_), 0.0F);
  for (const kernel::hex8_run& run : bricks_.runs)
    for (std::int32_t e = 0; e < run.length && stride_ > 0; ++e) {
      const material_number material = problem_.material[static_cast<std::size_t>(run.cell + e)];
      const auto value = static_cast<float>(single_.diagonal(material, 0));
      for (int a = 0; a < 8; ++a) inverse_diagonal_[static_cast<std::size_t>(run.node[a / 2] + (a & 1) + e)] += value;
    }
  shared_->exchange_add(inverse_diagonal_.data(), {1, stride_, 1});
  for (float& value : inverse_diagonal_) value = value > 0 ? 1 / value : 0.0F;
}

void fine_stiffness::multiply_own(const float* x, float* y,
                                  const std::function<void(std::int64_t begin, std::int64_t end)>& complete) const {
  if (stride_ > 0)
    single_.multiply(bricks_.view(problem_.material.data()), x, y, stride_,
                     [&](std::int64_t plane) { complete(first_node(plane), first_node(plane + 1)); });
}

double fine_stiffness::multiply_and_dot(const float* x, double* y) const {
  // The forces of this rank's bricks suffice: all copies of a node have the same displacement.
  std::vector<double> of_plane(bricks_.node_plane_begin.size());
  if (stride_ > 0)
    double_.multiply(bricks_.view(problem_.material.data()), x, y, stride_, [&](std::int64_t plane) {
      double sum = 0;
      for (int c = 0; c < 3; ++c)
        sum += partial_dot(x + c * stride_, y + c * stride_, first_node(plane), first_node(plane + 1));
      of_plane[static_cast<std::size_t>(plane)] = sum;
    });
  complete_copies(y);
  return std::accumulate(of_plane.begin(), of_plane.end(), 0.0);
}

void fine_stiffness::complete_copies(double* y) const {
  shared_->exchange_add(y, layout());
  for (const std::int64_t i : fixed_) y[i] = 0;
}

void fine_stiffness::multiply(const double* x, double* y) const {
  own_forces(x, y);
  complete_copies(y);
}
void fine_stiffness::own_forces(const double* x, double* y) const {
  if (stride_ > 0) double_.multiply(bricks_.view(problem_.material.data()), x, y, stride_);
}
void fine_stiffness::forces(const double* x, double* y) const {
  own_forces(x, y);
  shared_by_ranks().exchange_add(y, layout());
}

}  // namespace osteon::numerics
