#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/transient/pressure_projection.hpp>

namespace osteon::physics {

namespace {

constexpr double projection_fall = 1e-4;  // reduction of the residual that is possible in single precision
constexpr int most_projection_rounds = 12;
constexpr int most_direct_rounds = 3;  // the second correction removes the rounding error of the first correction

// The weight of each face with an unknown is 1.
std::array<std::vector<float>, 3> unit_weights(const flow_cells& cells) {
  std::array<std::vector<float>, 3> weight;
  for (std::size_t c = 0; c < 3; ++c) {
    weight[c].resize(at(cells.stride()));
    for (std::size_t i = 0; i < weight[c].size(); ++i) weight[c][i] = cells.friction[c][i] != 0 ? 1 : 0;
  }
  return weight;
}

}  // namespace

pressure_projection::pressure_projection(const open_flow_cells& open, pressure_method method)
    : open_(open), cells_(open.cells) {
  if (method == pressure_method::automatic)
    if (auto box = find_fluid_box(open, &reason_for_multigrid_)) box_ = std::make_unique<box_poisson>(std::move(*box));
  if (!box_) {
    laplace_ = std::make_unique<pressure_cycle>(cells_, unit_weights(cells_));
    for (auto* v : {&none_, &r_, &z_, &p_, &q_, &c_}) v->assign(at(cells_.stride()), 0.0F);
  }
  exact_.assign(at(cells_.stride()), 0);
  part_size_.assign(at(open.free_parts), 0);
  if (open.free_parts == 0) return;
  for (const std::int32_t part : open.free_part)
    if (part >= 0) ++part_size_[at(part)];
  comm::all_reduce(cells_.grid.where.comm, part_size_.data(), part_size_.size(), MPI_SUM);
}

template <class T>
void pressure_projection::remove_free_pressure(T* pressure) const {
  if (open_.free_parts == 0) return;
  std::vector<double> sums(at(open_.free_parts));
  for (std::int32_t i = 0; i < cells_.grid.owned; ++i)
    if (const std::int32_t part = open_.free_part[at(i)]; part >= 0) sums[at(part)] += static_cast<double>(pressure[i]);
  comm::counted_all_reduce(cells_.grid.where.comm, sums.data(), sums.size(), MPI_SUM);
  for (std::int32_t i = 0; i < cells_.grid.owned; ++i)
    if (const std::int32_t part = open_.free_part[at(i)]; part >= 0)
      pressure[i] = static_cast<T>(static_cast<double>(pressure[i]) - sums[at(part)] / part_size_[at(part)]);
}
template void pressure_projection::remove_free_pressure(double*) const;
template void pressure_projection::remove_free_pressure(float*) const;

void pressure_projection::find_divergence(const double* u, double* divergence) const {
  const std::int64_t stride = cells_.stride();
  const std::array<double, 3> slope = cells_.slope;
  visit_neighbours_in_parallel(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double* const own = u + static_cast<std::int64_t>(c) * stride;
      sum += slope[c] * (own[i] - (near[2 * c + 1] < 0 ? 0 : own[near[2 * c + 1]]));
    }
    divergence[i] = sum;
  });
  for (const std::int32_t i : cells_.beyond) divergence[i] = 0;
}

void pressure_projection::subtract_gradient(double* u, double* d) const {
  const comm::sent_part sends(cells_.grid.where.comm, "gradient");
  const std::int64_t stride = cells_.stride();
  cells_.grid.links.exchange(d);
  visit_neighbours_in_parallel(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint8_t number = cells_.friction[c][at(i)];
      if (number == 0 || number > open_face_frictions) continue;
      u[static_cast<std::int64_t>(c) * stride + i] -= cells_.slope[c] * (d[i] - d[near[2 * c]]);
    }
  });
  for (const kernel::stokes_open_face& f : cells_.open_faces)  // the face has half of a control volume
    u[f.axis * stride + f.cell] -= (f.is_inlet ? 2 : -2) * cells_.slope[at(f.axis)] * d[f.pressure];
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(u + c * stride);
}

// Compute q = G^T M^-1 G p, and the dot product of p and q on this rank. Sums are computed plane by plane, and are
// independent of the number of threads.
double pressure_projection::product() {
  const heat_cells& grid = cells_.grid;
  grid.links.exchange(p_.data());
  const auto planes = static_cast<std::int64_t>(grid.planes.size()) - 1;
  std::vector<double> sums(at(planes));
  for_each_block(planes, 1, [&](std::int64_t plane, std::int64_t) {
    const std::int32_t begin = grid.planes[at(plane)].cell, end = grid.planes[at(plane + 1)].cell;
    std::vector<float> minus(at(end - begin + kernel::conduction_padding));
    kernel::subtract_product(laplace_->lattice, grid.part(plane, plane + 1), none_.data(), p_.data(), begin, minus.data());
    double sum = 0;
    for (std::int32_t i = begin; i < end; ++i) {
      q_[at(i)] = -minus[at(i - begin)];
      sum += static_cast<double>(p_[at(i)]) * static_cast<double>(q_[at(i)]);
    }
    sums[at(plane)] = sum;
  });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

double pressure_projection::precondition() {
  const std::int32_t owned = cells_.grid.owned;
  laplace_->cycle.apply(r_.data(), z_.data());
  for (const std::int32_t i : cells_.beyond) z_[at(i)] = 0;
  remove_free_pressure(z_.data());
  return all_ranks(std::array{reduce_blocks(owned, [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += static_cast<double>(r_[at(i)]) * static_cast<double>(z_[at(i)]);
    return sum;
  })})[0];
}

double pressure_projection::search(double beta) {
  for_each(cells_.grid.owned, [p = p_.data(), z = z_.data(), b = static_cast<float>(beta)](std::int64_t i) {
    p[i] = b == 0 ? z[i] : z[i] + b * p[i];
  });
  return all_ranks(std::array{product()})[0];
}

double pressure_projection::step(double alpha) {
  const std::int32_t owned = cells_.grid.owned;
  for_each(owned,
           [r = r_.data(), c = c_.data(), p = p_.data(), q = q_.data(), a = static_cast<float>(alpha)](std::int64_t i) {
             c[i] += a * p[i];
             r[i] -= a * q[i];
           });
  double largest = block_maximum({.count = owned, .size = 8192}, [&](std::int64_t begin, std::int64_t end) {
    double own = 0;
    for (std::int64_t i = begin; i < end; ++i) own = std::max(own, std::abs(static_cast<double>(r_[at(i)])));
    return own;
  });
  comm::counted_all_reduce(cells_.grid.where.comm, &largest, 1, MPI_MAX);
  return largest;
}

// Count the cycle and r.z, p, the product with p (conductances from a byte of directions), c, and r with the largest value
// of r.
void pressure_projection::count_iteration() {
  constexpr double bytes = 8 + 12 + 9 + 24 + 4, operations = 2 + 2 + 26 + 2 + 4;
  const auto owned = static_cast<double>(cells_.grid.owned);
  work_ += laplace_->cycle.work_of_cycle() + kernel_work{bytes * owned, operations * owned};
}

void pressure_projection::count_messages(double* u, double* d) {
  const MPI_Comm comm = cells_.grid.where.comm;
  subtract_gradient(u, d);
  if (box_) {
    find_highest_divergence(u);
    const comm::sent_part sends(comm, "pressure_by_transforms");
    remove_free_pressure(exact_.data());
    box_->solve(exact_.data(), exact_.data());
    remove_free_pressure(exact_.data());
    return;
  }
  double value = 0;
  const auto as = [&](const char* name, auto send) {
    const comm::sent_part sends(comm, name);
    send();
  };
  const auto largest = [&] { comm::counted_all_reduce(comm, &value, 1, MPI_MAX); };
  as("largest_divergence", largest);
  as("free_pressure", [&] { remove_free_pressure(exact_.data()); });
  as("pressure_cycle", [&] { precondition(); });
  as("iteration_without_step_of_pressure", [&] { precondition(), search(0); });
  as("iteration_of_pressure", [&] { precondition(), search(0), step(0); });
}

// Largest |G^T u| on all ranks. exact_ contains G^T u. If a value is NaN, the result is infinite, because a maximum would
// ignore NaN.
double pressure_projection::find_highest_divergence(const double* u) {
  find_divergence(u, exact_.data());
  double highest = block_maximum({.count = cells_.grid.owned, .size = 8192}, [&](std::int64_t begin, std::int64_t end) {
    double largest = 0, sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      largest = std::max(largest, std::abs(exact_[at(i)]));
      sum += exact_[at(i)];
    }
    return std::isfinite(sum) ? largest : std::numeric_limits<double>::infinity();
  });
  const comm::sent_part sends(cells_.grid.where.comm, "largest_divergence");
  comm::counted_all_reduce(cells_.grid.where.comm, &highest, 1, MPI_MAX);
  return highest;
}

pressure_projection::outcome pressure_projection::project_directly(double* u, double* d, const bounds& to) {
  outcome result;
  while (true) {
    result.divergence = find_highest_divergence(u);
    if (!std::isfinite(result.divergence)) throw solve_error("velocities are not finite; reduce the time step");
    result.converged = result.divergence <= to.divergence;
    if (result.divergence == 0 || (result.iterations > 0 && result.converged) || result.iterations == most_direct_rounds)
      return result;
    {
      const comm::sent_part sends(cells_.grid.where.comm, "pressure_by_transforms");
      remove_free_pressure(exact_.data());
      box_->solve(exact_.data(), exact_.data());
      remove_free_pressure(exact_.data());
    }
    for_each(cells_.grid.owned, [t = exact_.data(), d](std::int64_t i) { d[i] += t[i]; });
    subtract_gradient(u, exact_.data());
    work_ += box_->work() + static_cast<double>(cells_.grid.owned) * kernel_work{24, 1};
    ++result.iterations;
  }
}

pressure_projection::outcome pressure_projection::project(double* u, double* d, const bounds& to,
                                                          const std::function<void()>& poll) {
  if (box_) return project_directly(u, d, to);
  const std::int32_t owned = cells_.grid.owned;
  const MPI_Comm comm = cells_.grid.where.comm;
  outcome result;
  std::vector<double> taken;
  for (int round = 0;; ++round) {
    const double highest = find_highest_divergence(u);
    result.divergence = highest;
    if (!std::isfinite(highest)) throw solve_error("velocities are not finite; reduce the time step");
    if (highest == 0) return result;
    if (round == most_projection_rounds || result.iterations >= to.most) {
      result.converged = highest <= to.divergence;
      return result;
    }
    {
      const comm::sent_part sends(comm, "free_pressure");
      remove_free_pressure(exact_.data());
    }
    for_each(owned, [r = r_.data(), from = exact_.data()](std::int64_t i) { r[i] = static_cast<float>(from[i]); });
    std::fill(c_.begin(), c_.end(), 0.0F);
    cg recursion;
    double now = highest;
    bool is_done = false, has_stepped = false;
    while (result.iterations < to.most) {
      count_iteration();
      comm::sent_part sends(comm, "iteration_of_pressure");
      const double rz = recursion.begin(*this);
      is_done = now <= to.divergence && std::sqrt(std::max(rz, 0.0)) <= to.velocity;
      if (is_done || now <= projection_fall * highest || !(rz > 0)) {
        sends.becomes("pressure_cycle");
        break;
      }
      if (poll) poll();
      const auto made = recursion.finish(*this);
      if (!made) {
        sends.becomes("iteration_without_step_of_pressure");
        break;
      }
      now = made->residual;
      ++result.iterations;
      has_stepped = true;
    }
    if (!has_stepped) {
      result.converged = is_done || highest <= to.divergence;
      return result;
    }
    taken.resize(at(cells_.stride()));
    for_each(owned, [t = taken.data(), c = c_.data(), d](std::int64_t i) {
      t[i] = static_cast<double>(c[i]);
      d[i] += t[i];
    });
    subtract_gradient(u, taken.data());
    if (!is_done) continue;
    result.divergence = find_highest_divergence(u);
    if (result.divergence <= to.divergence) return result;
  }
}

std::optional<poisson_box> find_fluid_box(const open_flow_cells& open, std::string* reason_out) {
  const auto none_as = [&](const char* reason) -> std::optional<poisson_box> {
    if (reason_out != nullptr) *reason_out = reason;
    return std::nullopt;
  };
  constexpr const char* no_box = "the fluid does not fill a box";
  const flow_cells& cells = open.cells;
  const grid::block& where = cells.grid.where;
  const MPI_Comm comm = where.comm;
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  std::vector<bool> is_beyond(at(cells.grid.owned));
  for (const std::int32_t i : cells.beyond) is_beyond[at(i)] = true;

  // Fluid voxels of this rank. The values are the number of voxels, the extent in the image, and the number of rows that
  // begin at x = 0.
  box3 own{where.domain, {0, 0, 0}};
  std::int64_t count = 0;
  for (const voxel::run& r : cells.numbers.runs())
    for (std::int32_t n = 0; n < r.length; ++n) {
      if (is_beyond[at(r.first + n)]) continue;
      const index3 p = where.owned.begin + index3{r.z, r.y, r.x + n};
      for (int a = 0; a < 3; ++a) {
        own.begin[a] = std::min(own.begin[a], p[a]);
        own.end[a] = std::max(own.end[a], p[a] + 1);
      }
      ++count;
    }
  // Extent of the fluid along y and x. If the extent on a rank is smaller than the image, the block is a brick or has solid
  // voxels.
  std::array<std::int64_t, 2> across{own.end.y, own.end.x};
  comm::all_reduce(comm, across.data(), across.size(), MPI_MAX);
  const bool is_slab = count > 0 && own.begin.y == 0 && own.begin.x == 0 && own.end.y == across[0] &&
                       own.end.x == across[1] && count == own.volume();

  // Number of planes of each rank, followed by the numbers of fluid voxels, of ranks without a slab, and of open faces of
  // each side.
  std::vector<std::int64_t> sums(at(ranks + 8));
  sums[at(rank)] = is_slab ? own.end.z - own.begin.z : 0;
  sums[at(ranks)] = count;
  sums[at(ranks + 1)] = !is_slab;
  for (const kernel::stokes_open_face& f : cells.open_faces) ++sums[at(ranks + 2 + 2 * f.axis + (f.is_inlet ? 0 : 1))];
  comm::all_reduce(comm, sums.data(), sums.size(), MPI_SUM);
  if (sums[at(ranks)] != cells.voxels) return none_as(no_box);
  if (sums[at(ranks + 1)] != 0)
    return none_as("each rank owns a brick of the box; run.decomposition = \"planes\" allows transforms");

  poisson_box box;
  box.comm = comm;
  box.planes.push_back(0);
  for (int r = 0; r < ranks; ++r) box.planes.push_back(box.planes.back() + sums[at(r)]);
  box.shape = {box.planes.back(), across[0], across[1]};
  if (box.shape.volume() != cells.voxels) return none_as(no_box);
  for (std::size_t a = 0; a < 3; ++a) {
    box.weight[a] = cells.slope[a] * cells.slope[a];
    const std::int64_t area = box.shape.volume() / box.shape[static_cast<int>(a)];
    for (const std::size_t high : {0, 1}) {
      const std::int64_t open_faces = sums[at(ranks) + 2 + 2 * a + high];
      if (open_faces != 0 && open_faces != area)
        return none_as("a face of the box has a prescribed pressure on a part of its area");
      kernel::line_end& end = high != 0 ? box.ends[a].high : box.ends[a].low;
      end = cells.grid.periodic[a] ? kernel::line_end::other_end
            : open_faces != 0      ? kernel::line_end::zero
                                   : kernel::line_end::mirror;
    }
  }
  box.row.resize(at(own.shape().z * box.shape.y));
  for (const voxel::run& r : cells.numbers.runs())
    if (!is_beyond[at(r.first)])
      box.row[at((where.owned.begin.z + r.z - own.begin.z) * box.shape.y + where.owned.begin.y + r.y)] = r.first;
  // Ranks own planes in ascending order.
  std::int64_t disorder = own.begin.z != box.planes[at(rank)];
  comm::all_reduce(comm, &disorder, 1, MPI_SUM);
  if (disorder != 0) return none_as("the order of the planes differs from the order of the ranks");
  return box;
}

}  // namespace osteon::physics
