#pragma once
/// @file
/// Ownership of communicators. Functions of the library borrow an MPI_Comm; classes that store a communicator duplicate the
/// communicator.
#include <mpi.h>

#include <utility>

namespace osteon::comm {

/// Number of a virtual rank (comm/virtual_ranks.hpp) in its communicator. For communicators of MPI, the function returns
/// `otherwise`.
int virtual_rank(MPI_Comm comm, int otherwise);
int virtual_size(MPI_Comm comm, int otherwise);

inline int rank(MPI_Comm comm) {
  int value = 0;
  MPI_Comm_rank(comm, &value);
  return virtual_rank(comm, value);
}
inline int size(MPI_Comm comm) {
  int value = 1;
  MPI_Comm_size(comm, &value);
  return virtual_size(comm, value);
}

/// An owned communicator. The class is move-only, because a copy would be a hidden collective.
class communicator {
 public:
  communicator() = default;
  communicator(communicator&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  communicator& operator=(communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  ~communicator() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (handle_ != MPI_COMM_NULL && !finalized) MPI_Comm_free(&handle_);
  }

  /// @collective on comm
  static communicator duplicate(MPI_Comm comm) {
    communicator result;
    MPI_Comm_dup(comm, &result.handle_);
    return result;
  }
  /// Take ownership of a new communicator, for example of the result of MPI_Comm_split. MPI_COMM_NULL is also allowed.
  /// @collective local
  static communicator take(MPI_Comm made) {
    communicator result;
    result.handle_ = made;
    return result;
  }
  /// Communicator of the ranks of `comm` with equal colour. The ranks are ordered by `key`, then by rank. For the colour
  /// MPI_UNDEFINED, the result is MPI_COMM_NULL. @collective on comm
  static communicator split(MPI_Comm comm, int colour, int key = 0) {
    communicator result;
    MPI_Comm_split(comm, colour, key, &result.handle_);
    return result;
  }
  /// Communicator of the ranks of `comm` on the host of this rank, in rank order. @collective on comm
  static communicator of_host(MPI_Comm comm) {
    communicator result;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &result.handle_);
    return result;
  }
  MPI_Comm get() const { return handle_; }
  int rank() const { return comm::rank(handle_); }
  int size() const { return comm::size(handle_); }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace osteon::comm
