#pragma once
/// @file
/// Transfer between nodal values and values at the Gauss points of voxels. All material laws use this transfer.
#include <osteon/kernel/elasticity/gauss_points.hpp>
#include <osteon/numerics/operators/elasticity_problem.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <type_traits>

namespace osteon::physics {

/// Edge lengths and weights of a voxel, and the layout of vectors.
struct voxel_points {
  std::int64_t stride = 0;
  double weight = 0;  ///< weight of a Gauss point [mm3]

  voxel_points(const vector3& spacing_mm, std::int64_t stride_of_vectors)
      : stride(stride_of_vectors), weight(spacing_mm.z * spacing_mm.y * spacing_mm.x / 8) {
    for (int d = 0; d < 3; ++d) {
      exact_.per_mm[d] = 1 / spacing_mm[d];
      exact_.weight_per_edge[d] = weight / spacing_mm[d];
      single_.per_mm[d] = static_cast<float>(exact_.per_mm[d]);
      single_.weight_per_edge[d] = static_cast<float>(exact_.weight_per_edge[d]);
    }
  }

  /// Displacements of the corners of a voxel. The rows of nodes begin at `node`.
  [[gnu::always_inline]] void gather(const double* u, const std::int32_t (&node)[4],
                                     kernel::vector_at_corners<double>& to) const {
    for (int c = 0; c < 3; ++c)
      for (int row = 0; row < 4; ++row) {
        const double* at = u + c * stride + node[row];
        to.value[c][2 * row] = at[0];
        to.value[c][2 * row + 1] = at[1];
      }
  }
  /// Displacements relative to the displacement of the first corner. With relative values, a rigid translation does not
  /// reduce the accuracy in single precision.
  [[gnu::always_inline]] void gather(const double* u, const std::int32_t (&node)[4],
                                     kernel::vector_at_corners<float>& to) const {
    kernel::vector_at_corners<double> exact{};
    gather(u, node, exact);
    for (int c = 0; c < 3; ++c)
      to.value[c] = __builtin_convertvector(exact.value[c] - exact.value[c][0], kernel::eight_of<float>::vector);
  }

  template <class T>
  [[gnu::always_inline]] void strains(const double* u, const std::int32_t (&node)[4],
                                      kernel::tensor_at_points<T>& strain) const {
    kernel::vector_at_corners<T> at;
    gather(u, node, at);
    kernel::strains_at_points(at, scales<T>().per_mm, strain);
  }

  /// Subtract from y the nodal forces of the stresses at the Gauss points.
  template <class T>
  [[gnu::always_inline]] void subtract(const kernel::tensor_at_points<T>& stress, const std::int32_t (&node)[4],
                                       double* y) const {
    kernel::vector_at_corners<T> force;
    kernel::forces_of_stresses(stress, scales<T>().weight_per_edge, force);
    for (int c = 0; c < 3; ++c)
      for (int row = 0; row < 4; ++row) {
        double* at = y + c * stride + node[row];
        at[0] -= static_cast<double>(force.value[c][2 * row]);
        at[1] -= static_cast<double>(force.value[c][2 * row + 1]);
      }
  }

 private:
  template <class T>
  struct edge_scales {
    T per_mm[3], weight_per_edge[3];
  };
  template <class T>
  [[gnu::always_inline]] const edge_scales<T>& scales() const {
    if constexpr (std::is_same_v<T, double>)
      return exact_;
    else
      return single_;
  }

  edge_scales<double> exact_;
  edge_scales<float> single_;
};

template <class V>
double sum_of_points(const V& v) {
  double sum = 0;
  for (int g = 0; g < 8; ++g) sum += v[g];
  return sum;
}

/// Call body(cell, rows of nodes) for the voxels of a plane in ascending order.
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

/// Call body(z) for all planes of voxels. A plane of voxels writes two planes of nodes. Even planes are therefore processed
/// concurrently, and then odd planes are processed concurrently. The order of the contributions to a node does not depend on
/// the number of threads.
template <class Body>
void by_parity(std::int64_t planes, Body&& body) {
  for (std::int64_t parity = 0; parity < 2; ++parity) {
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t z = parity; z < planes; z += 2) body(z);
  }
}

}  // namespace osteon::physics
