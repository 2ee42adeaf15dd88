#pragma once
/// @file
/// Fourier transforms by transposition. Each line is complete on one rank, and blocks are sent between ranks.
#include <optional>
#include <osteon/comm/exchange/exchange.hpp>
#include <osteon/comm/shared_window.hpp>
#include <studies/hyper_crossbar/fourier/fourier.hpp>
#include <studies/hyper_crossbar/fourier/fourier_3d.hpp>
#include <studies/hyper_crossbar/fourier/fourier_parts.hpp>

namespace osteon::studies {

/// Lines along x become lines along y within a group m = 0 .. rows - 1. Lines along y become lines along z within a group n
/// = 0 .. columns - 1. In the backward transform, all arrows are reversed.
///
///     points --x--> (x side) ==rows==> (y side) --y--> (y far side) ==columns==> (z side) --z--> modes
///
/// A group of one rank exchanges no data. In a group of one rank, both sides of the double arrow are one array. With one
/// row, the transforms along x and y are computed plane by plane, so that each plane remains in the cache. In shared memory,
/// the z side consists of the points of all ranks.
class fourier_transposition : public fourier_3d {
 public:
  /// @collective on comm
  fourier_transposition(MPI_Comm comm, index3 shape, const fourier_options& options);

  void forward() override;
  void backward(const mode_weights& weights) override;

 private:
  // Layout of an array of lines along one axis. Element e of line l of layer i is at base[i * layer + offset[e] + l * line].
  struct side {
    complex* base = nullptr;
    std::ptrdiff_t layer = 0, line = 1;
    std::vector<std::ptrdiff_t> offset;
    bool stream = false;  ///< stores bypass the caches
  };
  // The blocks of an exchange within a group. All blocks have equal sizes.
  struct blocks {
    std::ptrdiff_t row = 0, plane = 0, size = 0;
  };
  // If `own` is false, the parcel of a rank for itself is written to its destination directly. If `own` is true, the
  // exchange copies this parcel.
  struct group_exchange {
    comm::all_to_all exchange;
    comm::parcels each;
    void run(const complex* from, complex* to, exchange_account& account);
  };

  void lay_out_points(bool shared);
  void lay_out_rows();
  void lay_out_columns();
  void lay_out_shared();
  static blocks blocks_of(std::int64_t z, std::int64_t y, std::int64_t x);
  static side side_of(const axis_parts& parts, complex* base, std::ptrdiff_t block, std::ptrdiff_t within);
  std::optional<group_exchange> exchange_of(MPI_Comm group, std::ptrdiff_t block, bool own);
  void exchange_columns(const side& from, const side& to);
  void wait_for_all();

  fourier_folding folding_;
  std::optional<group_exchange> row_exchange_, column_exchange_;
  axis_parts x_parts_, y_parts_, y_far_parts_, z_parts_;
  int m_ = 0, n_ = 0;
  fourier_plan x_plan_, y_plan_, z_plan_;
  blocks row_blocks_, column_blocks_;
  side points_line_, x_, y_, y_far_, z_, modes_line_;
  complex_array points_memory_, modes_memory_, send_, receive_;
  comm::shared_window window_;
  std::uint64_t epoch_ = 0;
  bool shared_ = false, crowded_ = false;
};

}  // namespace osteon::studies
