#pragma once
/// @file
/// Transfer between nodal displacements and the Gauss points of voxels, shared by the material laws.
#include <osteon/kernel/elasticity/gauss_points.hpp>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

/// Edges and weights of a voxel, and the layout of vectors.
struct voxel_points {
  std::int64_t stride = 0;
  double per_mm[3], weight_per_edge[3], weight = 0;  ///< weight of a Gauss point [mm3]
  float single_per_mm[3], single_weight_per_edge[3];

  voxel_points(const vector3& spacing_mm, std::int64_t stride_of_vectors)
      : stride(stride_of_vectors), weight(spacing_mm.z * spacing_mm.y * spacing_mm.x / 8) {
    for (int d = 0; d < 3; ++d) {
      per_mm[d] = 1 / spacing_mm[d];
      weight_per_edge[d] = weight / spacing_mm[d];
      single_per_mm[d] = static_cast<float>(per_mm[d]);
      single_weight_per_edge[d] = static_cast<float>(weight_per_edge[d]);
    }
  }

  /// Displacements of the corners of the voxel whose rows of nodes begin at `node`.
  [[gnu::always_inline]] void gather(const double* u, const std::int32_t (&node)[4],
                                     kernel::vector_at_corners<double>& to) const {
    for (int c = 0; c < 3; ++c)
      for (int row = 0; row < 4; ++row) {
        const double* at = u + c * stride + node[row];
        to.value[c][2 * row] = at[0];
        to.value[c][2 * row + 1] = at[1];
      }
  }
  /// Same less those of the first corner: a rigid translation must not reduce the accuracy of single precision.
  [[gnu::always_inline]] void gather(const double* u, const std::int32_t (&node)[4],
                                     kernel::vector_at_corners<float>& to) const {
    kernel::vector_at_corners<double> exact;
    gather(u, node, exact);
    for (int c = 0; c < 3; ++c)
      to.value[c] = __builtin_convertvector(exact.value[c] - exact.value[c][0], kernel::eight_of<float>::vector);
  }

  [[gnu::always_inline]] void strains(const double* u, const std::int32_t (&node)[4],
                                      kernel::tensor_at_points<double>& strain) const {
    kernel::vector_at_corners<double> at;
    gather(u, node, at);
    kernel::strains_at_points(at, per_mm, strain);
  }
  [[gnu::always_inline]] void strains(const double* u, const std::int32_t (&node)[4],
                                      kernel::tensor_at_points<float>& strain) const {
    kernel::vector_at_corners<float> at;
    gather(u, node, at);
    kernel::strains_at_points(at, single_per_mm, strain);
  }

  /// Subtract the forces of stresses at the points from y.
  [[gnu::always_inline]] void subtract(const kernel::tensor_at_points<double>& stress, const std::int32_t (&node)[4],
                                       double* y) const {
    kernel::vector_at_corners<double> force;
    kernel::forces_of_stresses(stress, weight_per_edge, force);
    subtract(force, node, y);
  }
  [[gnu::always_inline]] void subtract(const kernel::tensor_at_points<float>& stress, const std::int32_t (&node)[4],
                                       double* y) const {
    kernel::vector_at_corners<float> force;
    kernel::forces_of_stresses(stress, single_weight_per_edge, force);
    subtract(force, node, y);
  }

 private:
  template <class T>
  [[gnu::always_inline]] void subtract(const kernel::vector_at_corners<T>& force, const std::int32_t (&node)[4],
                                       double* y) const {
    for (int c = 0; c < 3; ++c)
      for (int row = 0; row < 4; ++row) {
        double* at = y + c * stride + node[row];
        at[0] -= static_cast<double>(force.value[c][2 * row]);
        at[1] -= static_cast<double>(force.value[c][2 * row + 1]);
      }
  }
};

template <class V>
double sum_of_points(const V& v) {
  double sum = 0;
  for (int g = 0; g < 8; ++g) sum += v[g];
  return sum;
}

/// Call body(cell, rows of nodes) for the voxels of a plane, in order.
template <class Body>
void for_each_voxel_of(const elasticity_problem& problem, std::int64_t z, Body&& body) {
  for (const voxel::run& r : problem.cells.plane(z)) {
    std::int32_t node[4];
    for (int row = 0; row < 4; ++row) node[row] = problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x);
    for (std::int32_t e = 0; e < r.length; ++e) {
      body(r.first + e, node);
      for (std::int32_t& n : node) ++n;
    }
  }
}

/// Call body(z) for all planes of voxels. Each writes two planes of nodes: voxel planes of equal parity may be processed
/// concurrently, and each node receives its two planes in the same order for any number of threads.
template <class Body>
void by_parity(std::int64_t planes, Body&& body) {
  for (std::int64_t parity = 0; parity < 2; ++parity) {
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t z = parity; z < planes; z += 2) body(z);
  }
}

}  // namespace osteon::physics
