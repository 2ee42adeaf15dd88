#pragma once
/// @file
/// Ghost cells of a seven-point stencil. The faces of neighbours are exchanged repeatedly.
#include <mpi.h>

#include <osteon/comm/communicator.hpp>
#include <studies/subdomain_mapping/block/ghosted_view.hpp>
#include <studies/subdomain_mapping/ranks/cartesian.hpp>
#include <vector>

namespace osteon::studies {

/// The messages between one rank and its face neighbours. The messages are prepared once as persistent requests. Each
/// exchange starts these requests. The threads of the rank pack the faces. A block may therefore change after the start of
/// the exchange. Edges and corners are not exchanged.
template <class T>
class face_halo {
 public:
  /// @param where grid with one box for each rank of comm; the block of this rank is box_of(rank)
  /// @throws usage_error on all ranks if the number of boxes differs from the number of ranks, or if a face has more than
  /// 2^31 - 1 cells
  /// @collective on comm, which is duplicated
  face_halo(MPI_Comm comm, const cartesian& where);
  ~face_halo();
  face_halo(const face_halo&) = delete;
  face_halo& operator=(const face_halo&) = delete;

  /// Send the outermost cells of `block`. `block` may change after the call returns. @collective on comm
  void start(ghosted_view<const T> block);
  /// Receive the faces of neighbours into the ghost cells of `block`. @collective on comm
  void finish(ghosted_view<T> block);

  /// Bytes that this rank sends in an exchange.
  std::int64_t bytes() const { return bytes_; }
  /// True if there is a neighbour at this face.
  bool has(face side) const { return !buffers_[static_cast<std::size_t>(side.number())].sent.empty(); }

 private:
  struct buffers {
    std::vector<T> sent, received;
  };
  comm::communicator comm_;
  std::array<buffers, 6> buffers_;
  std::vector<MPI_Request> requests_;  ///< the receive requests, followed by the send requests
  std::int64_t bytes_ = 0;
};

extern template class face_halo<float>;
extern template class face_halo<double>;

}  // namespace osteon::studies
