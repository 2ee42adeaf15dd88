#pragma once
/// @file
/// A multigrid cycle for what friction and a known flow do to one component of the velocity.
#include <array>
#include <cstdint>
#include <osteon/solve/flow/convection.hpp>
#include <vector>

namespace osteon::solve {

/// An approximate inverse of F = A + C(u), convection of first order upwind where a voxel's Reynolds number exceeds 2: an
/// M-matrix, smoothed by Gauss-Seidel sweeps in both orders, which follow the flow where it goes their way. Coarse levels
/// are aggregates of 2 x 2 x 2 faces that are connected; there flows add up, friction falls with the distance of the
/// centres, and what is upwind is decided anew. Each rank takes its own faces, as if those of others stood still.
class transport_cycle {
 public:
  /// @param flow that was linearised @param held more on the diagonal of each unknown
  transport_cycle(const flow_cells& cells, const flow_convection& flow, std::size_t component, float held = 0);

  /// z = F^-1 r, nearly. Shapes (stride); z is set at owned cells, zero where there is no unknown.
  void apply(const float* r, float* z);

 private:
  struct entry {
    std::int32_t column;
    float value;  // of minus the row's entry: >= 0
  };
  struct level {
    std::vector<std::int32_t> begin{0};
    std::vector<entry> entries;
    std::vector<float> inverse;        // of the diagonal
    std::vector<std::int32_t> parent;  // in the next level
    std::vector<float> right, x;
  };
  struct graph;
  static level rows_of(const graph& g);
  static graph coarsened(const graph& fine, std::vector<std::int32_t>& parent);
  static void sweep(level& l, bool forth);
  void cycle(std::size_t n);

  std::int32_t owned_;
  std::vector<std::int32_t> cell_;  // of each unknown of level 0
  std::vector<level> levels_;
};

}  // namespace osteon::solve
