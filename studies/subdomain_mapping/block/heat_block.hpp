#pragma once
/// @file
/// Heat conduction by Jacobi sweeps on the box of a rank.
#include <cstdint>
#include <studies/subdomain_mapping/block/face_halo.hpp>
#include <studies/subdomain_mapping/block/ghosted_block.hpp>
#include <studies/subdomain_mapping/block/jacobi.hpp>

namespace osteon::studies {

/// Options of a step; the result is the same, bit for bit.
struct heat_way {
  bool overlap = false;  ///< exchange while the inner cells are computed
  jacobi_walk walk;
};

/// A rank's box of a uniform grid whose surroundings have temperature 0, and its steps of heat conduction.
///
/// The initial state is a Fourier mode, which each step multiplies by one number (`mode_factor`). The exact value of every
/// cell is therefore available after every step.
template <class T>
class heat_block {
 public:
  /// @throws machine_error on all ranks if one does not have enough memory
  /// @collective on comm
  heat_block(MPI_Comm comm, const cartesian& where);

  /// Restart. @collective local
  void set_mode();
  /// One step: exchange of ghosts, sweep. @collective on comm
  void step(const heat_way& way);
  /// The parts of a step alone, to measure their times. A sweep without an exchange uses the previous ghosts; temperatures
  /// are en invalid until `set_mode`.
  void exchange_alone();
  void sweep_alone(const jacobi_walk& walk);  ///< @collective local
  /// Several sweeps in one pass through the memory. @collective local
  void sweeps_at_once(int sweeps);

  std::int64_t cells() const { return now_.view().shape().volume(); }
  std::int64_t bytes_sent() const { return halo_.bytes(); }
  /// Largest difference from the exact solution on this rank, relative to the mode's present amplitude.
  double error() const;
  /// A checksum of a field: a sum over cells of positions and bits. The sum over ranks is the checksum of the grid.
  std::uint64_t digest() const;
  /// Seconds that the last step spent in packing, waiting and unpacking.
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

/// Factor of the mode per step: the eigenvalue of the discrete operator, exact except for rounding.
double mode_factor(index3 cells);

extern template class heat_block<float>;
extern template class heat_block<double>;

}  // namespace osteon::studies
