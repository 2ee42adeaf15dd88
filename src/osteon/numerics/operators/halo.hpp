#pragma once
/// @file
/// Exchange of values with ranks that have blocks with a face in common with the block of this rank.
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <osteon/comm/neighbours.hpp>
#include <string>
#include <vector>

namespace osteon::numerics {

/// The ghosts of one rank beyond a face of the block: values to send to that rank, and index of the values received from
/// that rank.
struct halo_link {
  int rank = MPI_PROC_NULL;        ///< possibly this rank itself, if the image is periodic
  int side = 0;                    ///< side of this rank's block: 2 axis + (1 on the high face)
  std::vector<std::int32_t> send;  ///< indices of the values to send, in the order of the receiver's ghosts
  std::int32_t ghost_begin = 0;    ///< number of the first ghost
  std::int32_t ghost_count = 0;
};

/// The halo of a vector of owned values and ghosts.
class halo {
 public:
  MPI_Comm comm = MPI_COMM_NULL;  ///< borrowed
  std::vector<halo_link> links;   ///< ordered by side, then by rank; must not change after the first `exchange`
  std::string name = "cells";     ///< name in message counts

  /// Send the values of each link, and return the received values of each link. T must be trivially copyable.
  /// @param count returns the number of values that a link receives @collective on comm (with the linked ranks only)
  template <class T, class Count>
  std::vector<std::vector<T>> swap(const std::vector<std::vector<T>>& out, Count count) const {
    std::vector<T> all;
    plan::neighbour_part part{name + ": set up", {}, {}, plan::arrival::keep};
    for (std::size_t n = 0; n < links.size(); ++n) {
      const std::int64_t begin = std::ssize(all);
      all.insert(all.end(), out[n].begin(), out[n].end());
      part.sends.push_back({.peer = links[n].rank, .channel = links[n].side ^ 1, .run = {begin, std::ssize(all)}});
      part.receives.push_back({.peer = links[n].rank, .channel = links[n].side, .run = {0, std::int64_t{count(n)}}});
    }
    comm::neighbours once(comm, setup_tag, std::move(part));
    once.begin(all.data(), sizeof(T));
    once.wait();
    std::vector<std::vector<T>> in;
    for (std::size_t n = 0; n < links.size(); ++n) {
      const auto came = once.template received_as<T>(n);
      in.emplace_back(came.begin(), came.end());
    }
    return in;
  }

  /// Send one value per entry of each link's `send` list, and return one value per ghost.
  /// @collective on comm (with the linked ranks only)
  template <class T>
  std::vector<std::vector<T>> swap(const std::vector<std::vector<T>>& out) const {
    return swap(out, [&](std::size_t n) { return links[n].ghost_count; });
  }

  /// Fill the ghosts of `values` from their owners. @collective on comm (with the linked ranks only)
  template <class T>
  void exchange(T* values) const {
    if (!messages_) messages_ = std::make_shared<comm::neighbours>(comm, ghosts_tag, part());
    messages_->exchange(values);
  }

 private:
  // Two ranks may share several faces. The receiver's side distinguishes the messages.
  plan::neighbour_part part() const {
    plan::neighbour_part result{name, {}, {}, plan::arrival::place};
    for (const halo_link& link : links) {
      result.sends.push_back({.peer = link.rank, .channel = link.side ^ 1, .list = link.send});
      result.receives.push_back(
          {.peer = link.rank, .channel = link.side, .run = {link.ghost_begin, link.ghost_begin + link.ghost_count}});
    }
    return result;
  }

  static constexpr int setup_tag = 400, ghosts_tag = 500;
  mutable std::shared_ptr<comm::neighbours> messages_;  // created by the first exchange; copies of the halo share this
                                                        // object
};

}  // namespace osteon::numerics
