#pragma once
/// @file
/// Neighbour exchange as a value. The value lists the elements that a rank sends and receives in one round. Applications are
/// updates of ghosts, sums of copies, redistribution of boxes, and transfer of image planes to writers.
///
/// Example: rank 0 owns elements 0, 1, 2 and stores a ghost of rank 1 at index 3. Rank 1 owns elements 0, 1 and stores a
/// ghost of rank 0 at index 2.
///
///     rank 0: sends    {.peer = 1, .list = {2}}       rank 1: sends    {.peer = 0, .list = {0}}
///             receives {.peer = 1, .run = {3, 4}}             receives {.peer = 0, .run = {2, 3}}
///     on_arrival = place: afterwards 3 on rank 0 is 0 on rank 1, and 2 on rank 1 is 2 on rank 0
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/plan/plan.hpp>
#include <string>
#include <vector>

namespace osteon::plan {

/// Description of a message at its sender or at its receiver. The elements are given by one of three members: `list`, `run`,
/// or the box `part` of an array over the box `whole`. The other members are empty. Sender and receiver must describe equal
/// numbers of elements.
struct neighbour_message {
  int peer = -1;
  /// number below 100, equal at sender and receiver; distinguishes messages of one pair of ranks
  int channel = 0;
  std::vector<std::int32_t> list{};  ///< indices of the elements
  span run{};                        ///< contiguous elements
  box3 whole{}, part{};              ///< in C order

  std::int64_t elements() const { return part.empty() ? list.empty() ? run.size() : std::ssize(list) : part.volume(); }
};

/// One rank's part of a neighbour plan, which has one round. Messages of a rank to itself are allowed but not counted.
struct neighbour_part {
  std::string name;  ///< name of the exchange in message counts
  std::vector<neighbour_message> sends, receives;
  arrival on_arrival =
      arrival::place;  ///< `place`, `add` or `keep`; with `keep`, the receiver reads elements directly from messages

  /// Messages between ranks with sizes in bytes. Messages of one pair of ranks are ordered by channel. @param rank rank of
  /// this part
  round counted(int rank, std::size_t element_bytes) const;
};

}  // namespace osteon::plan
