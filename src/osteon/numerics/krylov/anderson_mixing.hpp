#pragma once
/// @file
/// Anderson's acceleration of a fixed point x = G(x).
#include <mpi.h>

#include <cstdint>
#include <vector>

namespace osteon::numerics {

/// From each x and G(x) the next x: G where a linear model of the map, through the pairs that are kept, has the smallest
/// G(x) - x. The differences of G(x) - x are kept orthonormal, as in GCR, so that nothing is inverted.
/// @cite [Anderson1965]; [WalkerNi2011]
class anderson_mixing {
 public:
  /// @param counts which values of the rank's part of x the size of G(x) - x is made of; empty: all
  /// @param depth pairs that are kept
  anderson_mixing(MPI_Comm comm, std::vector<std::uint8_t> counts, std::size_t depth);

  /// Forget all pairs: the map is another one.
  void forget();
  /// x becomes the next one. Shapes as that of `counts`. @collective on comm
  void mix(std::vector<double>& x, const std::vector<double>& g);

 private:
  double dot(const std::vector<float>& a, const std::vector<float>& b) const;

  struct direction {
    std::vector<float> residual, image;  // of length one; the change of G that goes with it
  };
  MPI_Comm comm_;
  std::vector<std::uint8_t> counts_;
  std::size_t depth_;
  std::vector<double> last_residual_, last_image_;
  std::vector<direction> kept_;
};

}  // namespace osteon::numerics
