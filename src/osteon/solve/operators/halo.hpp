#pragma once
/// @file
/// Exchange of values with the ranks whose blocks share a face with that of this rank.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace osteon::solve {

/// The ghosts beyond a face of the block that one rank owns: the values it is sent, and where its values are stored here.
struct halo_link {
  int rank = MPI_PROC_NULL;        ///< perhaps this rank itself, where the image repeats
  int side = 0;                    ///< of this rank's block: 2 axis + (1 on the high face)
  std::vector<std::int32_t> send;  ///< numbers of the values that the rank needs, in the order of its ghosts
  std::int32_t ghost_begin = 0;    ///< number of the first ghost
  std::int32_t ghost_count = 0;
};

/// The halo of a vector that holds owned values and ghosts.
struct halo {
  MPI_Comm comm = MPI_COMM_NULL;  ///< borrowed
  std::vector<halo_link> links;   ///< by side, and by rank

  /// Send each link its values; the answer holds what came by each. T is trivially copyable.
  /// @param count values that come by a link @collective on comm (with the linked ranks only)
  template <class T, class Count>
  std::vector<std::vector<T>> swap(const std::vector<std::vector<T>>& out, Count count) const {
    std::vector<std::vector<T>> in(links.size());
    if (links.empty()) return in;
    std::vector<MPI_Request> requests;
    requests.reserve(2 * links.size());
    constexpr int tag = 31;  // and the side of the receiver: two ranks may share several faces
    MPI_Datatype element;    // counting elements, not bytes, keeps the count of a wide plane an int
    MPI_Type_contiguous(static_cast<int>(sizeof(T)), MPI_BYTE, &element);
    MPI_Type_commit(&element);
    for (std::size_t n = 0; n < links.size(); ++n) {
      in[n].resize(static_cast<std::size_t>(count(n)));
      if (!in[n].empty())
        MPI_Irecv(in[n].data(), static_cast<int>(in[n].size()), element, links[n].rank, tag + links[n].side, comm,
                  &requests.emplace_back());
    }
    for (std::size_t n = 0; n < links.size(); ++n)
      if (!out[n].empty())
        MPI_Isend(out[n].data(), static_cast<int>(out[n].size()), element, links[n].rank, tag + (links[n].side ^ 1), comm,
                  &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    MPI_Type_free(&element);
    return in;
  }

  /// Give each link one value per entry of its `send` list; the answer holds one value per ghost.
  /// @collective on comm (with the linked ranks only)
  template <class T>
  std::vector<std::vector<T>> swap(const std::vector<std::vector<T>>& out) const {
    return swap(out, [&](std::size_t n) { return links[n].ghost_count; });
  }

  /// Fill the ghosts of `values` from their owners. @collective on comm (with the linked ranks only)
  template <class T>
  void exchange(T* values) const {
    if (links.empty()) return;
    std::vector<std::vector<T>> out(links.size());
    for (std::size_t n = 0; n < links.size(); ++n) {
      out[n].reserve(links[n].send.size());
      for (const std::int32_t i : links[n].send) out[n].push_back(values[i]);
    }
    const auto in = swap(out);
    for (std::size_t n = 0; n < links.size(); ++n) std::copy(in[n].begin(), in[n].end(), values + links[n].ghost_begin);
  }
};

}  // namespace osteon::solve
