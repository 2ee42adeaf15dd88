#pragma once
/// @file
/// The link between the processes of joined clusters. There is one endpoint per process. The link does not use MPI.
///
/// The layer above the link (matching, communicators, collectives) uses messages. `send` never blocks. `take` returns
/// arrived messages; messages of one source have the order in which they were sent. Only the first part of a message is sent
/// at once if the message is longer than `settings::short_bytes` or exceeds the eager credit. After the match, `accept`
/// assigns a buffer and requests the rest. Therefore the memory of unmatched messages is bounded, and the progress rule of
/// MPI is satisfied.
///
///     auto link = endpoint::join(settings_from_environment(), facts);
///     auto sent = link->send(dest, {.cid = 0, .tag = 7}, bytes);
///     while (!link->anything_new()) ...;            // one atomic load
///     auto m = link->take();                        // match m->fields, m->source
///     auto got = link->accept(*m, buffer);          // short message: done at once
///     link->wait(got); link->wait(sent);
///     link->close();
#include <atomic>
#include <bridge/error.hpp>
#include <bridge/wire/settings.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace osteon::bridge::wire {

/// Envelope of a message, opaque to the wire.
struct envelope {
  std::uint64_t cid = 0;    ///< context of the communicator
  std::int32_t tag = 0;     ///< negative for collectives
  std::int32_t lsrank = 0;  ///< rank of the source in the communicator
  std::uint64_t kind = 0;   ///< free for the layer above (IMPI: dtype)
  std::int64_t count = 0;   ///< free for the layer above (IMPI: count)
};

/// A process of the joined world.
struct process_info {
  int cluster = 0;
  int local_rank = 0;
  std::int64_t pid = 0;
  std::string host;
  std::string facts;           ///< the process's argument to `join`, unchanged
  std::string representation;  ///< byte order and sizes of int, long, pointer, long double; if the representations are
                               ///< equal, no conversion is required
};

struct cluster_info {
  std::string name;
  int first_rank = 0;  ///< world rank of local rank 0 of the MPI of this process
  int size = 0;
};

/// World ranks are ordered by cluster, then by local rank.
struct world_info {
  std::vector<cluster_info> clusters;
  std::vector<process_info> processes;
  int rank = 0;     ///< this process
  int cluster = 0;  ///< its cluster
  int size() const { return static_cast<int>(processes.size()); }
};

/// The link is broken permanently. `what()` contains process, place and reason. Every later call throws the same text.
struct link_error : machine_error {
  explicit link_error(const std::string& text) : machine_error(text) {}
};

/// State of a send or of an accepted message. Copies share the state. A default-constructed ticket is complete.
class ticket {
 public:
  enum class cancelling { no, requested, cancelled, refused };
  struct state {
    std::atomic<bool> done{false};
    std::atomic<cancelling> cancel{cancelling::no};
  };
  ticket() = default;
  ticket(std::uint64_t id, int peer, std::shared_ptr<state> s) : id_(id), peer_(peer), state_(std::move(s)) {}
  /// Return true if the operation is complete. The cost is one atomic load. A broken link does not complete a ticket;
  /// endpoint::test and wait throw in this case.
  bool done() const noexcept { return !state_ || state_->done.load(std::memory_order_acquire); }
  cancelling cancel_state() const noexcept {
    return state_ ? state_->cancel.load(std::memory_order_acquire) : cancelling::no;
  }
  std::uint64_t id() const noexcept { return id_; }
  int peer() const noexcept { return peer_; }

 private:
  friend class endpoint_core;
  std::uint64_t id_ = 0;
  int peer_ = 0;
  std::shared_ptr<state> state_;
};

class endpoint;

/// A message that has arrived, completely or partially. When the message is accepted or destroyed, its eager credit returns
/// to the sender. Keep the object while the message is unmatched, and do not copy its bytes elsewhere; otherwise memory is
/// not bounded. The object must not outlive its endpoint.
class message {
 public:
  enum class what_kind {
    data,             ///< a message
    cancel_requested  ///< the source requests cancellation of its message `id`: answer by endpoint::answer_cancel
  };
  what_kind type = what_kind::data;
  int source = 0;  ///< world rank
  envelope fields;
  std::uint64_t total = 0;       ///< bytes of the complete message
  std::uint64_t id = 0;          ///< number of the sender's request; unique per source
  bool wants_reply = false;      ///< synchronous, or incomplete: `accept` sends the answer
  std::vector<std::byte> bytes;  ///< bytes received so far, at most `total`

  message() = default;
  message(message&& other) noexcept;
  message& operator=(message&& other) noexcept;
  ~message();

 private:
  friend class endpoint;
  friend class endpoint_core;
  class endpoint_core* owner_ = nullptr;  ///< owner of the credit; null after its return
};

/// The end of the link in one process. The class is thread-safe.
///
/// With `progress::thread`, a side thread waits in epoll and performs all socket operations that `send` cannot complete at
/// once. With `progress::polling`, data are transferred only in calls of `progress`, `test`, `wait` and `send`.
class endpoint {
 public:
  /// Join the job. This process authenticates at the start-up server, registers, receives the list of processes, and
  /// connects to every process of the other clusters (or to the relay).
  /// @collective over all processes of all clusters
  /// @throws link_error after `settings::join_seconds`, or when the server reports a mismatch: wrong key, singletons,
  /// different versions; the text is equal in every process
  static std::unique_ptr<endpoint> join(const settings& options, const std::string& facts);
  ~endpoint();
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  const world_info& world() const noexcept;

  /// Start to send to a world rank of another cluster. Order per destination is preserved.
  /// `bytes` must not change until the ticket is complete; short messages usually complete at once.
  /// @param synchronous complete only after the receiver has accepted it
  ticket send(int dest, const envelope& fields, std::span<const std::byte> bytes, bool synchronous = false);

  /// True if a message has arrived. The cost is one atomic load without a lock.
  bool anything_new() const noexcept { return waiting_.load(std::memory_order_acquire) != 0; }
  /// The next arrived message, in order of arrival.
  std::optional<message> take();

  /// Receive a matched message into `buffer`. Bytes beyond the end of the buffer are dropped; the caller must compare the
  /// size of the buffer with `total`. `buffer` must remain valid until the ticket is complete. After the call, `m.bytes` is
  /// empty.
  ticket accept(message& m, std::span<std::byte> buffer);

  /// Ask the receiver to return an unmatched message (ticket::cancel_state). The ticket of a returned message is complete.
  void cancel(ticket& sent);
  /// Answer a message of type cancel_requested. `found` is true if the message with this id was unmatched and has been
  /// dropped.
  void answer_cancel(const message& request, bool found);

  /// @throws link_error if the link is broken and the ticket cannot complete
  bool test(const ticket& t);
  void wait(const ticket& t);

  /// Number of events: arrivals, completed tickets, failure. The cost is one atomic load.
  std::uint32_t events() const noexcept { return events_.load(std::memory_order_acquire); }
  /// Sleep (thread) or make progress (polling) until `events() != seen` or the time limit. @throws link_error
  void wait_event(std::uint32_t seen, double seconds);

  /// Read and write without waiting. Calls are required with polling. With the thread, calls are optional and reduce the
  /// latency.
  /// @throws link_error
  void progress();

  /// @throws link_error if the link is broken
  void check() const;
  bool broken() const noexcept { return broken_.load(std::memory_order_acquire); }

  /// Stop every process of the job with `text` and the name of this process.
  /// @return true if the server was notified, for the first time
  bool abort(const std::string& text) noexcept;

  /// Deliver all messages, and then close the link. The function returns when every other process has called close.
  /// @collective over all processes @throws link_error
  void close();

  /// Number of bytes stored in this process: unmatched messages and unacknowledged packets.
  std::size_t memory_in_use() const;

 private:
  friend class endpoint_core;
  endpoint();
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<std::uint32_t> events_{0};
  std::atomic<bool> broken_{false};
  std::unique_ptr<class endpoint_core> core_;
};

}  // namespace osteon::bridge::wire
