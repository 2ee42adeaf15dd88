#pragma once
/// @file
/// A multigrid V-cycle in single precision, the preconditioner of the elasticity solver.
#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/numerics/multigrid/agglomeration.hpp>
#include <osteon/numerics/multigrid/coarse_stiffness.hpp>
#include <osteon/numerics/multigrid/shared_scratch.hpp>
#include <span>
#include <vector>

namespace osteon::numerics {

/// The direct solver of the coarsest level. Few ranks send their right-hand sides to rank 0, and rank 0 solves with a
/// factorisation L D L^T in double precision. A larger number of ranks exchange their right-hand sides, and each rank
/// multiplies by its rows of the inverse.
class coarsest_solver {
 public:
  /// @param mesh this rank's bricks @param matrices of these bricks @param holders number of ranks that store the level
  /// @throws solve_error if the matrix cannot be factorised
  /// @collective on comm, which is borrowed
  coarsest_solver(MPI_Comm comm, const brick_mesh& mesh, const brick_matrices& matrices, const grid::shared_nodes& shared,
                  int holders);
  ~coarsest_solver();

  /// x = A^-1 b; both have four floats per node and are equal on all copies of a node.
  /// @collective on the ranks that store the level
  void solve(const float* b, float* x);

 private:
  struct factorisation;  // factorisation, and the places of all values
  void multiply_rows(const std::vector<float>& all, float* x) const;
  MPI_Comm comm_;  // borrowed
  comm::neighbours gather_, scatter_;
  bool has_rows_;
  std::unique_ptr<factorisation> root_;  // on ranks that gather
  std::vector<float> rows_;              // of the inverse: rows of this rank's unknowns
};

/// Levels of bricks of 1, 2, 4, ... voxels with Galerkin operators. Chebyshev polynomials of the fourth kind smooth each
/// level; the coarsest level is solved directly. A level with few nodes per rank moves to fewer ranks (agglomeration.hpp).
/// @cite [Lottes2023]
class elasticity_multigrid {
 public:
  /// Borrows `fine`.
  /// @param pass called after each level @collective on problem.where.comm
  elasticity_multigrid(const elasticity_problem& problem, const fine_stiffness& fine, const std::function<void()>& pass);

  /// Input vector of the cycle: the residual, a flat vector of fine.size() values, zero at fixed displacements. The cycle
  /// overwrites this vector.
  std::span<float> residual() { return levels_[0]->residual; }
  /// Run one cycle. @return the correction, valid until the next cycle
  /// @collective
  std::span<const float> cycle();

  /// Work of one cycle on this rank, without the coarsest level.
  kernel_work work_of_cycle() const { return work_of_level(0); }

  /// Scratch memory between cycles: one of two vectors of fine.size() values. During a cycle, the finest level uses these
  /// vectors.
  std::span<double> scratch(std::size_t which) { return scratch_->doubles(which).first(levels_[0]->residual.size()); }

  /// Reduce the step lengths on all levels. Call this function if an underestimated eigenvalue makes the cycle indefinite.
  /// Underestimated eigenvalues are rare.
  void damp();

 private:
  struct level {
    const elasticity_operator* k = nullptr;
    std::unique_ptr<elasticity_operator> owned_k;       // on coarse levels
    std::vector<std::unique_ptr<agglomeration>> moves;  // transfers from the ranks of the next finer level to the ranks of
                                                        // this level
    bool is_held = true;                                // by this rank
    coarse_mesh parents;                                // next coarser mesh, and its connections to this level
    std::vector<std::array<float, 8>> weights;          // by node_place: weight of each corner in parents_of_place
    std::vector<std::int32_t> node_plane_begin;         // this level's nodes by planes
    std::int64_t z_begin = 0;                           // first of these planes
    double largest = 1;                                 // eigenvalue of D^-1 K
    double largest_of_cycle = 1;                        // eigenvalue of this level's cycle times K
    std::span<float> correction, residual;
    std::span<float> direction, product;
    std::span<float> sum, start;  // on levels with several cycles
  };
  /// Compute the correction for the residual of a level.
  void solve_level(std::size_t l);
  kernel_work work_of_level(std::size_t l) const;
  /// One cycle on a level with a zero initial correction. The residual is invalid at the end.
  void cycle(std::size_t l);
  /// A cycle consists of begin_cycle, cycle_without_ends, and the last smoothing step.
  static void begin_cycle(level& at);
  void cycle_without_ends(std::size_t l);
  double largest_of_smoother(MPI_Comm comm, level& at, std::span<const std::int64_t> ids);
  void find_largest_of_cycle(MPI_Comm comm, std::size_t l);
  void move_to_fewer_ranks(const elasticity_problem& problem, int depth, holding_ranks& holders, brick_matrices& matrices);
  void allocate(std::size_t l);
  /// Mesh of a level below the finest.
  brick_mesh& mesh_of(std::size_t l) {
    level& at = *levels_[l];
    return at.moves.empty() ? levels_[l - 1]->parents.mesh : at.moves.back()->mesh;
  }
  std::span<float> idle_floats(std::size_t size, bool in_product);
  void restrict_residual(level& fine, level& coarse);
  static void restrict_own(level& fine, std::span<float> to);
  void prolong(level& coarse, level& fine);

  std::vector<std::unique_ptr<level>> levels_;
  std::unique_ptr<coarsest_solver> coarsest_;
  std::optional<shared_scratch> scratch_;
  std::size_t idle_taken_ = 0;
  std::vector<std::vector<float>> storage_;  // vectors that do not fit into idle memory
  std::span<const std::int64_t> fixed_;
};

/// Number of nodes on each level, finest level first, for a problem on one rank. The function does not construct the
/// multigrid.
/// @collective on problem.where.comm
std::vector<std::int64_t> nodes_of_levels(const elasticity_problem& problem);

}  // namespace osteon::numerics
