#pragma once
/// @file
/// GridMPI's way to use a vendor's MPI, for comparison: it only carries bytes, and all matching is ours.
///
/// A message is a header of 32 bytes and its first `short_bytes`, in one transfer by MPI_Isend, and for a long one the rest
/// in a second. It is found by MPI_Iprobe (polling) or by a thread that blocks in MPI_Mprobe (threads), and goes to
/// the program's buffer if one is posted, else to memory of our own.
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

/// A message under way.
struct carried {
  std::vector<std::byte> first;  ///< of a send: header and short part
  std::vector<std::byte> spare;  ///< of a receive: the rest, if the program's buffer is too short for it
  std::span<std::byte> room;     ///< of a receive: where `spare` goes, in part
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::optional<std::uint32_t> asks;  ///< of a synchronous send: the name by which its receiver answers
};

class carrier {
 public:
  /// @param threads a thread waits for messages; else `take` looks for them
  /// @param first_rank world rank of the vendor's rank 0 @collective over the vendor's MPI_COMM_WORLD
  carrier(std::size_t short_bytes, bool threads, int first_rank);
  ~carrier();
  carrier(const carrier&) = delete;
  carrier& operator=(const carrier&) = delete;

  /// Ranks are those of the world; `bytes` must stay until it is over.
  std::unique_ptr<carried> send(int dest, const wire::envelope& what, std::span<const std::byte> bytes, bool synchronous);
  /// The next message that has arrived.
  std::optional<wire::message> take();
  /// A matched message into its buffer. It must come here before the next `take` if `m.bytes` is not all of it.
  std::unique_ptr<carried> accept(wire::message& m, std::span<std::byte> room);
  bool is_over(carried& c);
  /// Memory for all of a message that nobody has asked for.
  void keep(wire::message& m);

  bool has_thread() const { return thread_.joinable(); }
  /// Until something may have arrived; returns soon in any case, because the link has news too.
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
  std::unordered_map<std::uint64_t, std::unique_ptr<carried>> fetched_;  ///< rests on their way to kept messages
  std::deque<std::pair<MPI_Request, std::unique_ptr<header>>> controls_;
  std::mutex mutex_;  ///< of `queue_`, which the thread fills
  std::condition_variable arrived_;
  std::deque<first_part> queue_;
  std::thread thread_;
};

}  // namespace osteon::bridge
