#pragma once
/// @file
/// Exchange of lists of unknown sizes among given ranks.
#include <mpi.h>

#include <cstdint>
#include <osteon/comm/neighbours.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osteon::comm {

/// Names of the two messages of `exchange_lists` in the message ledger.
struct list_messages {
  std::string sizes, lists;
};

/// Send a list to some ranks, and receive the lists of some ranks. A rank may be its own peer.
/// @param tag first of 100 consecutive tags reserved for this exchange
/// @param own list of this rank, of trivially copyable T
/// @return the lists of the ranks `from`, in the order of `from`
/// @collective on the sending and receiving ranks
template <class T>
std::vector<std::vector<T>> exchange_lists(MPI_Comm comm, int tag, const list_messages& names, std::span<const int> to,
                                           std::span<const int> from, const std::vector<T>& own) {
  plan::neighbour_part sizes{names.sizes, {}, {}, plan::arrival::keep}, lists{names.lists, {}, {}, plan::arrival::keep};
  const std::int64_t size = std::ssize(own);
  for (const int r : to) {
    sizes.sends.push_back({.peer = r, .run = {0, 1}});
    lists.sends.push_back({.peer = r, .run = {0, size}});
  }
  for (const int r : from) sizes.receives.push_back({.peer = r, .run = {0, 1}});
  neighbours numbers(comm, tag, std::move(sizes));
  numbers.begin(&size, sizeof size);
  numbers.wait();
  for (std::size_t i = 0; i < from.size(); ++i)
    lists.receives.push_back({.peer = from[i], .run = {0, numbers.received_as<std::int64_t>(i)[0]}});
  neighbours values(comm, tag, std::move(lists));
  values.begin(own.data(), sizeof(T));
  values.wait();
  std::vector<std::vector<T>> result;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto list = values.template received_as<T>(i);
    result.emplace_back(list.begin(), list.end());
  }
  return result;
}

}  // namespace osteon::comm
