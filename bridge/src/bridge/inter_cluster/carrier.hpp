#pragma once
/// @file
/// The MPI library of the vendor as a transport of bytes, as in GridMPI. This transport is for comparison. The bridge
/// performs all matching.
///
/// One transfer by MPI_Isend contains a header of 32 bytes, and the first `short_bytes` of a message. A second transfer
/// sends the rest of a long message. Messages are received after MPI_Iprobe (polling), or by a thread that blocks in
/// MPI_Mprobe (threads). If a receive has been posted, the data are received into the buffer of the program. Otherwise, the
/// data are received into memory of the bridge.
/// @cite [Okazaki], sections 2.1 to 2.3
#include <bridge/wire/link.hpp>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mpi.h"

namespace osteon::bridge {

/// A message in transfer.
struct carried {
  std::vector<std::byte> first;  ///< header and short part of a sent message
  std::vector<std::byte> spare;  ///< rest of a received message if the buffer of the program is too short
  std::span<std::byte> room;     ///< destination in `spare` for a part of a received message
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::optional<std::uint32_t> asks;  ///< number that the receiver returns in the answer to a synchronous send
};

class carrier {
 public:
  /// @param threads true: a thread waits for messages; false: the function `take` polls
  /// @param first_rank world rank of the vendor's rank 0 @collective over the vendor's MPI_COMM_WORLD
  carrier(std::size_t short_bytes, bool threads, int first_rank);
  ~carrier();
  carrier(const carrier&) = delete;
  carrier& operator=(const carrier&) = delete;

  /// Ranks are world ranks. `bytes` must not change until the send is complete.
  std::unique_ptr<carried> send(int dest, const wire::envelope& fields, std::span<const std::byte> bytes, bool synchronous);
  /// The next message that has arrived.
  std::optional<wire::message> take();
  /// Receive a message that has been matched. If `m.bytes` is incomplete, call this function before the next call of `take`.
  std::unique_ptr<carried> accept(wire::message& m, std::span<std::byte> room);
  bool is_over(carried& c);
  /// Provide memory for a complete unexpected message.
  void keep(wire::message& m);

  bool has_thread() const { return thread_.joinable(); }
  /// Wait until a message may have arrived. The function always returns soon, because the link may also have events.
  void wait();

 private:
  struct header;
  struct first_part {
    int source;
    std::vector<std::byte> bytes;
  };
  std::optional<first_part> next();
  void serve();
  void send_control(int dest, int kind, std::uint32_t id);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t short_bytes_;
  int first_rank_;
  std::uint32_t next_id_ = 0;
  std::unordered_set<std::uint32_t> unanswered_;  ///< synchronous sends without an answer
  std::unordered_map<std::uint64_t, std::unique_ptr<carried>>
      fetched_;  ///< remaining parts of stored messages that are still in transfer
  std::deque<std::pair<MPI_Request, std::unique_ptr<header>>> controls_;
  std::mutex mutex_;  ///< protects `queue_`; the thread appends to this queue
  std::condition_variable arrived_;
  std::deque<first_part> queue_;
  std::thread thread_;
};

}  // namespace osteon::bridge
