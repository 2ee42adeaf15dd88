#pragma once
/// @file
/// The vendor's MPI as a transport of bytes, as in GridMPI, for comparison: all matching is done in the bridge.
///
/// A message consists of a header of 32 bytes with its first `short_bytes`, in one transfer by MPI_Isend, and, if it is
/// long, the rest in a second one. It is received by MPI_Iprobe (polling) or by a thread that blocks in MPI_Mprobe
/// (threads), into the program's buffer if one is posted, otherwise into memory of the bridge.
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
  std::vector<std::byte> first;  ///< header and short part of a send
  std::vector<std::byte> spare;  ///< remainder of a receive, if the program's buffer is too short
  std::span<std::byte> room;     ///< destination of a part of `spare` of a receive
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::optional<std::uint32_t> asks;  ///< number in the receiver's answer to a synchronous send
};

class carrier {
 public:
  /// @param threads a thread waits for messages; otherwise `take` polls
  /// @param first_rank world rank of the vendor's rank 0 @collective over the vendor's MPI_COMM_WORLD
  carrier(std::size_t short_bytes, bool threads, int first_rank);
  ~carrier();
  carrier(const carrier&) = delete;
  carrier& operator=(const carrier&) = delete;

  /// Ranks are those of the world; `bytes` must not change until completion.
  std::unique_ptr<carried> send(int dest, const wire::envelope& fields, std::span<const std::byte> bytes, bool synchronous);
  /// The next message that has arrived.
  std::optional<wire::message> take();
  /// Receive a matched message. Call it before the next `take` if `m.bytes` is incomplete.
  std::unique_ptr<carried> accept(wire::message& m, std::span<std::byte> room);
  bool is_over(carried& c);
  /// Memory for a complete unexpected message.
  void keep(wire::message& m);

  bool has_thread() const { return thread_.joinable(); }
  /// Wait until a message may have arrived; returns soon in any case, because the link may also have events.
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
  std::unordered_set<std::uint32_t> unanswered_;                         ///< synchronous sends
  std::unordered_map<std::uint64_t, std::unique_ptr<carried>> fetched_;  ///< rests in transfer to stored messages
  std::deque<std::pair<MPI_Request, std::unique_ptr<header>>> controls_;
  std::mutex mutex_;  ///< protects `queue_`, which the thread fills
  std::condition_variable arrived_;
  std::deque<first_part> queue_;
  std::thread thread_;
};

}  // namespace osteon::bridge
