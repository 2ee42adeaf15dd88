#pragma once
/// @file
/// Direct solver for second differences along lines distributed over ranks.
#include <mpi.h>

#include <cstdint>
#include <osteon/comm/neighbours.hpp>
#include <osteon/kernel/fourier/trigonometric.hpp>
#include <osteon/numerics/kernel_work.hpp>
#include <vector>

namespace osteon::numerics {

/// Solves (2 + shift_c) x_z - x_(z-1) - x_(z+1) = f_z for each column c of planes that are distributed over ranks. End
/// conditions define the values beyond the ends of a line.
///
/// The elimination of all other planes leaves a reduced system for the first planes of the ranks, with one equation per rank
/// [Wang1981]. The reduced system is tridiagonal (cyclic for periodic lines). The columns of the reduced system are
/// distributed over the ranks; messages therefore contain two numbers per column instead of whole planes. Without a shift
/// and without a prescribed end value, the solution of a column is determined up to a constant. In this case, the last
/// unknown of the reduced system is set to zero. Pivoting is not needed, because all systems are diagonally dominant.
class cut_lines {
 public:
  /// Number of columns processed at once.
  static constexpr int lanes = 16;

  /// @param planes first plane of each rank, then the number of planes; each rank has at least one plane
  /// @param shift, scale >= 0 by column; the number of columns is a multiple of `lanes` @collective on comm, which is
  /// borrowed
  cut_lines(MPI_Comm comm, std::vector<std::int64_t> planes, kernel::line_ends ends, std::vector<double> shift,
            std::vector<double> scale);

  /// Solve, and multiply the solution by the scale of its column. @param values f on entry, the scaled solution on return;
  /// shape (own planes, columns) @collective
  void solve(double* values);

  /// Work of solve() on this rank.
  kernel_work work() const;

 private:
  struct wide {
    kernel::lanes<double>::vector v[4];
  };
  // Values exchanged between a rank and the solver of its columns, for `lanes` columns.
  struct edges {
    wide first, last;
  };
  struct line {
    std::vector<wide> inverse, value, share;
    explicit line(std::int64_t points)
        : inverse(static_cast<std::size_t>(points)), value(inverse.size()), share(inverse.size()) {}
  };
  template <class Body>
  void over_blocks(std::int64_t count, std::int64_t points, const Body& body) const;
  static wide read(const double* from);
  wide diagonal_of(std::int64_t block) const { return 2.0 + read(shift_.data() + block * lanes); }
  friend wide operator+(double a, const wide& b) {
    wide r;
    for (int i = 0; i < 4; ++i) r.v[i] = a + b.v[i];
    return r;
  }
  bool ends_here() const { return rank_ == ranks_ - 1 && !repeats_; }
  void eliminate(std::int64_t block, const double* values, const wide& low, const wide& high, line& work,
                 bool is_known) const;
  edges edges_of(std::int64_t block, const double* values, line& work) const;
  void finish(std::int64_t block, double* values, const edges& firsts, line& work, bool is_known) const;
  void set_couplings();
  void solve_columns(std::int64_t own_block, edges* by_rank, line& work) const;

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  std::vector<std::int64_t> planes_;
  bool repeats_, is_free_;     // is_free_: the solution of a column without a shift is determined up to a constant
  double low_ = 0, high_ = 0;  // contribution of an end to the diagonal of its last point
  std::vector<double> shift_, scale_;
  std::int64_t own_ = 0, blocks_ = 0, first_block_ = 0, own_blocks_ = 0;
  // By own block and rank: `first` couples each of two consecutive unknowns to itself, `last` couples one to the other.
  std::vector<edges> coupling_;
  std::vector<edges> ends_, gathered_;
  comm::neighbours there_, back_;
};

}  // namespace osteon::numerics
