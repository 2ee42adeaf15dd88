#pragma once
/// @file
/// Exchange of values with the two ranks whose planes lie below and above.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace osteon::solve {

/// What one neighbour gets from me, and where I keep what it sends.
struct halo_side {
  int rank = MPI_PROC_NULL;
  std::vector<std::int32_t> send;  ///< numbers of the values that the neighbour needs, in the order of its ghosts
  std::int32_t ghost_begin = 0;    ///< number of my first ghost of that neighbour
  std::int32_t ghost_count = 0;
};

/// The halo of a vector that holds owned values and ghosts.
struct plane_halo {
  MPI_Comm comm = MPI_COMM_NULL;   ///< borrowed
  std::array<halo_side, 2> sides;  ///< below, above

  /// Give each neighbour one value per entry of its `send` list; the answer holds one value per ghost. T is trivially
  /// copyable. @param out per side @collective on comm (with the two neighbours only)
  template <class T>
  std::array<std::vector<T>, 2> swap(const std::array<std::vector<T>, 2>& out) const {
    std::array<std::vector<T>, 2> in;
    std::array<MPI_Request, 4> requests;
    int count = 0;
    constexpr int tag = 31;  // and the next: in a ring of two, both neighbours are the same rank
    MPI_Datatype element;    // counting elements, not bytes, keeps the count of a wide plane an int
    MPI_Type_contiguous(static_cast<int>(sizeof(T)), MPI_BYTE, &element);
    MPI_Type_commit(&element);
    const auto size = [](const std::vector<T>& values) { return static_cast<int>(values.size()); };
    for (std::size_t s = 0; s < 2; ++s) in[s].resize(static_cast<std::size_t>(sides[s].ghost_count));
    for (std::size_t s = 0; s < 2; ++s) {
      if (!in[s].empty())
        MPI_Irecv(in[s].data(), size(in[s]), element, sides[s].rank, tag + 1 - static_cast<int>(s), comm,
                  &requests[static_cast<std::size_t>(count++)]);
      if (!out[s].empty())
        MPI_Isend(out[s].data(), size(out[s]), element, sides[s].rank, tag + static_cast<int>(s), comm,
                  &requests[static_cast<std::size_t>(count++)]);
    }
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Type_free(&element);
    return in;
  }

  /// Fill the ghosts of `values` from their owners. @collective on comm (with the two neighbours only)
  template <class T>
  void exchange(T* values) const {
    std::array<std::vector<T>, 2> out;
    for (std::size_t s = 0; s < 2; ++s) {
      out[s].reserve(sides[s].send.size());
      for (const std::int32_t i : sides[s].send) out[s].push_back(values[i]);
    }
    const auto in = swap(out);
    for (std::size_t s = 0; s < 2; ++s) std::copy(in[s].begin(), in[s].end(), values + sides[s].ghost_begin);
  }
};

}  // namespace osteon::solve
