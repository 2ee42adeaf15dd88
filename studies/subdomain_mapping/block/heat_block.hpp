#pragma once
/// @file
/// Heat conduction by Jacobi sweeps on the box of a rank.
#include <cstdint>
#include <studies/subdomain_mapping/block/face_halo.hpp>
#include <studies/subdomain_mapping/block/ghosted_block.hpp>
#include <studies/subdomain_mapping/block/jacobi.hpp>

namespace osteon::studies {

/// Options of a step of heat conduction. The options do not change the bits of the result.
struct heat_way {
  bool overlap = false;  ///< true: exchange while the inner cells are computed
  jacobi_walk walk;
};

/// The box of a rank in a uniform grid, and steps of heat conduction. The temperature outside the grid is 0.
///
/// The initial state is a Fourier mode. Each step multiplies this mode by one number (`mode_factor`). The exact value of
/// every cell is therefore known after every step.
template <class T>
class heat_block {
 public:
  /// @throws machine_error on all ranks if the memory of a rank is not sufficient
  /// Set the temperatures to the initial state. @collective local
  heat_block(MPI_Comm comm, const cartesian& where);

  /// Set the initial state again. @collective local
  void set_mode();
  /// Compute one step, which consists of an exchange of ghosts and a sweep. @collective on comm
  void step(const heat_way& way);
  /// The following functions are single parts of a step, so that the time of each part can be measured. A sweep without an
  /// exchange uses the previous ghosts; the temperatures are invalid until the next call of `set_mode`.
  void exchange_alone();
  void sweep_alone(const jacobi_walk& walk);  ///< @collective local
  /// Compute several sweeps in one pass through the memory. @collective local
  void sweeps_at_once(int sweeps);

  std::int64_t cells() const { return now_.view().shape().volume(); }
  std::int64_t bytes_sent() const { return halo_.bytes(); }
  /// Largest difference from the exact solution on this rank, relative to the current amplitude of the mode.
  double error() const;
  /// A checksum of a field: the sum over cells of a hash of position and bits. The sum over ranks is the checksum of the
  /// grid.
  std::uint64_t digest() const;
  /// Time in s for packing, waiting and unpacking in the last step.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  void start();
  void finish();
  void sweep(const box3& region, const jacobi_walk& walk);

  cartesian where_;
  box3 box_;
  ghosted_block<T> now_, next_;
  face_halo<T> halo_;
  std::int64_t steps_ = 0;
  double exchange_seconds_ = 0;
};

/// Factor of the mode per step, which is the eigenvalue of the discrete operator. The factor is exact except for rounding.
double mode_factor(index3 cells);

extern template class heat_block<float>;
extern template class heat_block<double>;

}  // namespace osteon::studies
