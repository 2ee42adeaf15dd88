#pragma once
/// @file
/// Three-dimensional discrete Fourier transforms of arrays that are distributed over ranks.
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <osteon/base/box.hpp>
#include <osteon/comm/communicator.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::studies {

/// Distribution of the array over ranks.
enum class fourier_method {
  automatic,      ///< `shared` on one host with enough shared memory, otherwise `transposition`
  transposition,  ///< each line of a transform is complete on one rank; between dimensions, blocks are sent by messages
  /// like `transposition`, but the points are in shared memory of a single host, and each transposition is a barrier
  shared,
  butterfly,  ///< boxes are not redistributed; a rank exchanges all its data with a partner log2(ranks) times
};

/// The virtual plane of ranks of a transposition. The rank in row m and column n is rank m * columns + n. y and then x are
/// distributed over `rows` groups m. z and then y are distributed over `columns` groups n. With one row, the parts are
/// slabs, and a transform has one transposition. With several rows, a transform has two transpositions.
struct fourier_folding {
  int rows = 0, columns = 0;
  friend bool operator==(const fourier_folding&, const fourier_folding&) = default;
};

struct fourier_options {
  fourier_method method = fourier_method::automatic;
  fourier_folding folding = {};   ///< folding of `transposition`, with rows * columns = ranks; 0 x 0: automatic choice
  std::string schedule = "ring";  ///< schedule of the exchanges in a row or column; the names are the names of all_to_all
};

/// Factors of the modes along (z, y, x). The order of the factors is the order of fourier_3d::modes. Empty lists mean no
/// factors.
using mode_weights = std::array<std::span<const double>, 3>;

/// Communication of this rank with other ranks.
struct exchange_account {
  double seconds = 0;          ///< time of the exchanges, which consists of sending, receiving and waiting
  std::int64_t exchanges = 0;  ///< number of transpositions, or number of stages of butterflies
  std::int64_t messages = 0;   ///< number of sent messages
  std::int64_t bytes = 0;      ///< number of sent bytes
};

/// A distributed array of complex points in space, a distributed array of modes, and the transforms between both arrays.
///
/// Both directions are unscaled. A forward and a backward transform together multiply the points by the number of points.
class fourier_3d {
 public:
  /// @param shape number of points along (z, y, x); each number is 2^a 3^b 5^c
  /// @throws usage_error if the shape cannot be distributed over the ranks; machine_error before allocation if the memory is
  /// not sufficient
  /// @collective on comm, which is duplicated
  static std::unique_ptr<fourier_3d> make(MPI_Comm comm, index3 shape, const fourier_options& options);

  /// The folding with the least data to send. The folding has one row if there are enough planes and lines of y for all
  /// ranks. Otherwise the folding is as square as possible. @throws usage_error if there is no folding; the message suggests
  /// numbers of ranks
  static fourier_folding choose_folding(index3 shape, int ranks);

  /// The folding with nearly equal numbers of rows and columns, as in [Itakura]. @throws usage_error if there is no folding
  static fourier_folding squarest_folding(index3 shape, int ranks);

  /// Memory of all ranks together in bytes, for the method of the options (not `automatic`).
  static double bytes(index3 shape, int ranks, const fourier_options& options);

  virtual ~fourier_3d() = default;
  fourier_3d(const fourier_3d&) = delete;
  fourier_3d& operator=(const fourier_3d&) = delete;

  index3 shape() const { return shape_; }
  /// The selected method and folding.
  const fourier_options& options() const { return options_; }
  /// The points of this rank. The points form complete lines along x, except for the method `butterfly`.
  const box3& points() const { return points_; }
  /// The line of points along x at (z, y). The indices z and y are counted from points().begin.
  std::complex<double>* point_line(std::int64_t z, std::int64_t y) { return points_at_ + z * plane_ + y * row_; }
  /// The numbers of the modes of this rank along an axis, 0 <= k < shape[axis].
  std::span<const std::int64_t> modes(int axis) const { return modes_[static_cast<std::size_t>(axis)]; }
  /// The modes along x at the places (z, y) of modes(0) and modes(1).
  std::complex<double>* mode_line(std::int64_t z, std::int64_t y) { return modes_at_ + z * mode_plane_ + y * mode_row_; }

  /// Transform points to modes. A mode is the sum of u exp(-2 pi i k j / n). The points are overwritten. @collective on comm
  virtual void forward() = 0;
  /// Transform the product of modes and weights to points, with the factor exp(+2 pi i k j / n). The modes are preserved.
  /// @collective on comm
  virtual void backward(const mode_weights& weights = {}) = 0;

  const exchange_account& account() const { return account_; }

 protected:
  fourier_3d(MPI_Comm comm, index3 shape, const fourier_options& options)
      : comm_(comm::communicator::duplicate(comm)), options_(options), shape_(shape) {}

  comm::communicator comm_;
  fourier_options options_;
  index3 shape_;
  box3 points_;
  std::array<std::vector<std::int64_t>, 3> modes_;
  std::complex<double>* points_at_ = nullptr;
  std::complex<double>* modes_at_ = nullptr;
  std::ptrdiff_t row_ = 0, plane_ = 0, mode_row_ = 0, mode_plane_ = 0;
  exchange_account account_;
};

}  // namespace osteon::studies
