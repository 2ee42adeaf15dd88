#pragma once
/// @file
/// Ghost cells of a seven-point stencil: repeated exchange of the faces of neighbours.
#include <mpi.h>

#include <osteon/comm/communicator.hpp>
#include <studies/subdomain_mapping/block/ghosted_view.hpp>
#include <studies/subdomain_mapping/ranks/cartesian.hpp>
#include <vector>

namespace osteon::studies {

/// The messages of one rank with its face neighbours. The messages are prepared once (persistent requests) and started for
/// each exchange. The threads of the rank pack the faces. Therefore a block may change after the start of the exchange.
/// Edges and corners are not exchanged.
template <class T>
class face_halo {
 public:
  /// @param where grid with as many boxes as comm has ranks; the block of this rank is box_of(rank)
  /// @throws usage_error on all ranks if their numbers differ, or a face has more than 2^31 - 1 cells
  /// @collective on comm, which is duplicated
  face_halo(MPI_Comm comm, const cartesian& where);
  ~face_halo();
  face_halo(const face_halo&) = delete;
  face_halo& operator=(const face_halo&) = delete;

  /// Send the outermost cells of `block`. `block` may change after the call returns. @collective on comm
  void start(ghosted_view<const T> block);
  /// Receive the faces of neighbours in the ghost cells of `block`. @collective on comm
  void finish(ghosted_view<T> block);

  /// Bytes that this rank sends in an exchange.
  std::int64_t bytes() const { return bytes_; }
  /// True if a face has a neighbour.
  bool has(face side) const { return !buffers_[static_cast<std::size_t>(side.number())].sent.empty(); }

 private:
  struct buffers {
    std::vector<T> sent, received;
  };
  comm::communicator comm_;
  std::array<buffers, 6> buffers_;
  std::vector<MPI_Request> requests_;  ///< receive requests, followed by send requests
  std::int64_t bytes_ = 0;
};

extern template class face_halo<float>;
extern template class face_halo<double>;

}  // namespace osteon::studies
