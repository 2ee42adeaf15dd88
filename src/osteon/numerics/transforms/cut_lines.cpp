#include <osteon/numerics/transforms/cut_lines.hpp>

#include <omp.h>

#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::numerics {

namespace {

constexpr int there_tag = 1100, back_tag = 1200;

// Contribution of an end to the diagonal of its last point.
double of_end(kernel::line_end end) { return end == kernel::line_end::mirror ? 1 : end == kernel::line_end::zero ? -1 : 0; }

}  // namespace

cut_lines::wide cut_lines::read(const double* from) {
  wide r;
  for (int i = 0; i < 4; ++i) kernel::load(r.v[i], from + 4 * i);
  return r;
}

// Process blocks by all threads, with memory for the planes of a line per thread.
template <class Body>
void cut_lines::over_blocks(std::int64_t count, std::int64_t points, const Body& body) const {
  const std::int64_t threads = omp_get_max_threads(), chunk = std::max<std::int64_t>(1, (count + threads - 1) / threads);
  for_each_block(count, chunk, [&](std::int64_t begin, std::int64_t end) {
    line work(points);
    for (std::int64_t b = begin; b < end; ++b) body(b, work);
  });
}

cut_lines::cut_lines(MPI_Comm comm, std::vector<std::int64_t> planes, kernel::line_ends ends, std::vector<double> shift,
                     std::vector<double> scale)
    : comm_(comm),
      rank_(comm::rank(comm)),
      ranks_(comm::size(comm)),
      planes_(std::move(planes)),
      repeats_(ends.low == kernel::line_end::other_end),
      is_free_(ends.low != kernel::line_end::zero && ends.high != kernel::line_end::zero),
      low_(of_end(ends.low)),
      high_(of_end(ends.high)),
      shift_(std::move(shift)),
      scale_(std::move(scale)),
      own_(planes_[at(rank_ + 1)] - planes_[at(rank_)]),
      blocks_(std::ssize(shift_) / lanes) {
  const auto first_of = [&](std::int64_t rank) { return blocks_ * rank / ranks_; };
  first_block_ = first_of(rank_);
  own_blocks_ = first_of(rank_ + 1) - first_block_;
  set_couplings();
  if (ranks_ == 1) return;
  ends_.resize(at(blocks_));
  gathered_.resize(at(own_blocks_ * ranks_));
  plan::neighbour_part there{"columns of pressure: ends", {}, {}, plan::arrival::place}, back = there;
  back.name = "columns of pressure: first values";
  for (int r = 0; r < ranks_; ++r) {
    const plan::neighbour_message theirs{.peer = r, .run = {first_of(r), first_of(r + 1)}};
    const plan::neighbour_message mine{.peer = r, .run = {own_blocks_ * r, own_blocks_ * (r + 1)}};
    there.sends.push_back(theirs);
    there.receives.push_back(mine);
    back.sends.push_back(mine);
    back.receives.push_back(theirs);
  }
  there_ = comm::neighbours(comm, there_tag, std::move(there));
  back_ = comm::neighbours(comm, back_tag, std::move(back));
}

// Compute the couplings of the planes between two unknowns, for all ranks.
void cut_lines::set_couplings() {
  coupling_.resize(at(own_blocks_ * ranks_));
  over_blocks(own_blocks_, 1, [&](std::int64_t own, line&) {
    const wide diagonal = diagonal_of(first_block_ + own);
    for (int r = 0; r < ranks_; ++r) {
      const std::int64_t between = planes_[at(r + 1)] - planes_[at(r)] - 1;
      const bool is_end = r == ranks_ - 1 && !repeats_;
      edges& e = coupling_[at(own * ranks_ + r)];
      for (int i = 0; i < 4; ++i) {
        kernel::lanes<double>::vector same{}, other{};
        other += 1;
        if (is_end) {
          // Start at the end of the line. `same` is the remaining coefficient of a point in the equation of the previous
          // point.
          same += high_;
          other *= 0;
          for (std::int64_t k = 0; k < between; ++k) same = 1 / (diagonal.v[i] - same);
        } else {
          for (std::int64_t k = 0; k < between; ++k) {
            same = 1 / (diagonal.v[i] - same);
            other *= same;
          }
        }
        e.first.v[i] = same;
        e.last.v[i] = other;
      }
    }
  });
}

// Forward elimination of the planes between two unknowns. `low` is the value before these planes; `high` is the value after
// these planes.
void cut_lines::eliminate(std::int64_t block, const double* values, const wide& low, const wide& high, line& work,
                          bool is_known) const {
  const std::int64_t columns = blocks_ * lanes, between = own_ - 1;
  const double* from = values + block * lanes + columns;
  wide inverse{}, value = low;
  const wide diagonal = diagonal_of(block);
  for (std::int64_t k = 0; k < between; ++k, from += columns) {
    wide f = read(from);
    const bool is_last = k == between - 1;
    const double end = is_last && ends_here() ? high_ : 0;
    if (is_known)
      inverse = work.inverse[at(k)];
    else
      for (int i = 0; i < 4; ++i) inverse.v[i] = 1 / (diagonal.v[i] - inverse.v[i] - end);
    for (int i = 0; i < 4; ++i) {
      if (is_last) f.v[i] += high.v[i];
      value.v[i] = (f.v[i] + value.v[i]) * inverse.v[i];
    }
    work.inverse[at(k)] = inverse;
    work.value[at(k)] = value;
  }
}

// Contribution of the planes between two unknowns to the right-hand sides of this rank's unknown and of the next rank's
// unknown.
cut_lines::edges cut_lines::edges_of(std::int64_t block, const double* values, line& work) const {
  const std::int64_t between = own_ - 1;
  edges e{read(values + block * lanes), {}};
  if (between == 0) return e;
  eliminate(block, values, {}, {}, work, false);
  wide first = work.value[at(between - 1)];
  if (!ends_here()) e.last = first;
  for (std::int64_t k = between - 2; k >= 0; --k)
    for (int i = 0; i < 4; ++i) first.v[i] = work.value[at(k)].v[i] + work.inverse[at(k)].v[i] * first.v[i];
  for (int i = 0; i < 4; ++i) e.first.v[i] += first.v[i];
  return e;
}

// @param firsts the unknowns of this rank and of the next rank
void cut_lines::finish(std::int64_t block, double* values, const edges& firsts, line& work, bool is_known) const {
  const std::int64_t columns = blocks_ * lanes, between = own_ - 1;
  const wide scale = read(scale_.data() + block * lanes);
  const auto write = [&](std::int64_t plane, const wide& x) {
    for (int i = 0; i < 4; ++i) kernel::store(values + plane * columns + block * lanes + 4 * i, x.v[i] * scale.v[i]);
  };
  write(0, firsts.first);
  if (between == 0) return;
  eliminate(block, values, firsts.first, ends_here() ? wide{} : firsts.last, work, is_known);
  wide x = work.value[at(between - 1)];
  write(between, x);
  for (std::int64_t k = between - 2; k >= 0; --k) {
    for (int i = 0; i < 4; ++i) x.v[i] = work.value[at(k)].v[i] + work.inverse[at(k)].v[i] * x.v[i];
    write(k + 1, x);
  }
}

// Solve for the unknowns of all ranks. All unknowns except the last are eliminated one after another; each equation also has
// a coefficient of the last unknown.
// @param by_rank on entry, edges of each rank; on return, the unknowns of the rank and of the next rank
void cut_lines::solve_columns(std::int64_t own_block, edges* by_rank, line& work) const {
  using vector = kernel::lanes<double>::vector;
  const std::int64_t block = first_block_ + own_block, stride = own_blocks_;
  const edges* const coupling = coupling_.data() + own_block * ranks_;
  const wide diagonal = diagonal_of(block);
  const int last = ranks_ - 1;
  for (int i = 0; i < 4; ++i) {
    const auto same = [&](int r) { return coupling[r].first.v[i]; };
    const auto other = [&](int r) { return coupling[r].last.v[i]; };
    const auto right_of = [&](int r) {
      vector right = by_rank[r * stride].first.v[i];
      if (r > 0 || repeats_) right += by_rank[(r > 0 ? r - 1 : last) * stride].last.v[i];
      return right;
    };
    const auto diagonal_at = [&](int r) {
      return diagonal.v[i] - same(r) - (r > 0 ? same(r - 1) : repeats_ ? same(last) : vector{} + low_);
    };
    vector end_right = right_of(last), end_pivot = diagonal_at(last);
    if (last == 0 && repeats_) end_pivot -= 2 * other(0);
    vector right{}, share{}, taken{};  // contributions of the previous row
    for (int r = 0; r < last; ++r) {
      right += right_of(r);
      if (r == 0 && repeats_) share -= other(last);
      if (r == last - 1) share -= other(r);
      const vector inverse = 1 / (diagonal_at(r) - taken);
      work.inverse[at(r)].v[i] = inverse;
      work.value[at(r)].v[i] = right;
      work.share[at(r)].v[i] = share;
      end_pivot -= share * share * inverse;
      end_right -= share * right * inverse;
      right *= other(r) * inverse;
      share *= other(r) * inverse;
      taken = other(r) * other(r) * inverse;
    }
    vector x = end_right / end_pivot;
    if (is_free_)
      for (int lane = 0; lane < 4; ++lane)
        if (shift_[at(block * lanes + 4 * i + lane)] == 0) x[lane] = 0;
    const vector of_last = x;
    by_rank[last * stride].first.v[i] = x;
    for (int r = last - 1; r >= 0; --r) {
      by_rank[r * stride].last.v[i] = x;
      vector rest = work.value[at(r)].v[i] - work.share[at(r)].v[i] * of_last;
      if (r < last - 1) rest += other(r) * x;
      x = rest * work.inverse[at(r)].v[i];
      by_rank[r * stride].first.v[i] = x;
    }
    by_rank[last * stride].last.v[i] = x;  // unknown of the first rank, for periodic lines
  }
}

void cut_lines::solve(double* values) {
  if (ranks_ == 1) {
    over_blocks(blocks_, own_, [&](std::int64_t b, line& work) {
      edges e = edges_of(b, values, work);
      solve_columns(b, &e, work);
      finish(b, values, e, work, true);
    });
    return;
  }
  over_blocks(blocks_, own_, [&](std::int64_t b, line& work) { ends_[at(b)] = edges_of(b, values, work); });
  there_.begin(ends_.data(), sizeof(edges));
  there_.end(gathered_.data());
  over_blocks(own_blocks_, ranks_, [&](std::int64_t own, line& work) { solve_columns(own, gathered_.data() + own, work); });
  back_.begin(gathered_.data(), sizeof(edges));
  back_.end(ends_.data());
  over_blocks(blocks_, own_, [&](std::int64_t b, line& work) { finish(b, values, ends_[at(b)], work, false); });
}

// solve() reads planes twice and writes them once. The function has a forward sweep with divisions, and a forward and a
// backward sweep.
kernel_work cut_lines::work() const {
  const auto points = static_cast<double>(own_ * blocks_ * lanes);
  return {24 * points, 15 * points};
}

}  // namespace osteon::numerics
