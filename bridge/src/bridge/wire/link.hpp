#pragma once
/// @file
/// The link between the processes of joined clusters. Each process has one endpoint. The link does not use MPI.
///
/// The layer above the link (matching, communicators, collectives) uses messages. `send` never blocks. `take` returns
/// arrived messages. Messages of one source have the order in which they were sent. If a message is longer than
/// `settings::short_bytes`, or exceeds the eager credit, only its first part is sent immediately. After the match, `accept`
/// assigns a buffer, and requests the rest of the message. The memory of unmatched messages is therefore limited, and the
/// progress rule of MPI is satisfied.
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

/// Envelope of a message. The wire does not interpret the envelope.
struct envelope {
  std::uint64_t cid = 0;    ///< context of the communicator
  std::int32_t tag = 0;     ///< tag; negative for collectives
  std::int32_t lsrank = 0;  ///< rank of the source in the communicator
  std::uint64_t kind = 0;   ///< available for the layer above (IMPI: dtype)
  std::int64_t count = 0;   ///< available for the layer above (IMPI: count)
};

/// A process of the joined world.
struct process_info {
  int cluster = 0;
  int local_rank = 0;
  std::int64_t pid = 0;
  std::string host;
  std::string facts;  ///< argument of the process to `join`, unchanged
  /// byte order and sizes of int, long, pointer and long double; if the representations are equal, no conversion is needed
  std::string representation;
};

struct cluster_info {
  std::string name;
  int first_rank = 0;  ///< world rank of local rank 0 in the MPI of this process
  int size = 0;
};

/// World ranks are ordered by cluster, and then by local rank.
struct world_info {
  std::vector<cluster_info> clusters;
  std::vector<process_info> processes;
  int rank = 0;     ///< world rank of this process
  int cluster = 0;  ///< cluster of this process
  int size() const { return static_cast<int>(processes.size()); }
};

/// The link is broken permanently. `what()` contains the process, the place and the reason. Every later call throws the same
/// text.
struct link_error : machine_error {
  explicit link_error(const std::string& text) : machine_error(text) {}
};

/// State of a send, or state of an accepted message. All copies have the same state. A default-constructed ticket is
/// complete.
class ticket {
 public:
  enum class cancelling { no, requested, cancelled, refused };
  struct state {
    std::atomic<bool> done{false};
    std::atomic<cancelling> cancel{cancelling::no};
  };
  ticket() = default;
  ticket(std::uint64_t id, int peer, std::shared_ptr<state> s) : id_(id), peer_(peer), state_(std::move(s)) {}
  /// Return true if the operation is complete. The cost is one atomic load. If the link is broken, a ticket is not complete;
  /// endpoint::test and wait then throw an error.
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

/// A message that has arrived completely or partially. When the message is accepted or destroyed, its eager credit returns
/// to the sender. Keep the object while the message is unmatched, and do not copy its bytes to other memory. Otherwise, the
/// memory is not limited. The object must be destroyed before its endpoint.
class message {
 public:
  enum class what_kind {
    data,             ///< the object is a message
    cancel_requested  ///< the source requests that its message `id` be cancelled; endpoint::answer_cancel answers the
                      ///< request
  };
  what_kind type = what_kind::data;
  int source = 0;  ///< world rank of the source
  envelope fields;
  std::uint64_t total = 0;       ///< number of bytes of the complete message
  std::uint64_t id = 0;          ///< number of the sender's request, unique for each source
  bool wants_reply = false;      ///< true for a synchronous or incomplete message; `accept` then sends an answer
  std::vector<std::byte> bytes;  ///< bytes that have been received so far, at most `total`

  message() = default;
  message(message&& other) noexcept;
  message& operator=(message&& other) noexcept;
  ~message();

 private:
  friend class endpoint;
  friend class endpoint_core;
  class endpoint_core* owner_ = nullptr;  ///< owner of the credit; null after the credit has returned
};

/// The end of the link in one process. The class is thread-safe.
///
/// With `progress::thread`, a side thread waits in epoll, and executes all socket operations that `send` cannot complete
/// immediately. With `progress::polling`, data are transferred only in calls of `progress`, `test`, `wait` and `send`.
class endpoint {
 public:
  /// Join the job. This process authenticates itself at the start-up server, registers, and receives the list of processes.
  /// The process then connects to every process of the other clusters, or to the relay.
  /// @collective over all processes of all clusters
  /// @throws link_error after `settings::join_seconds`, or if the server reports a fault such as a wrong key, singletons or
  /// different versions. The text is equal in every process.
  static std::unique_ptr<endpoint> join(const settings& options, const std::string& facts);
  ~endpoint();
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  const world_info& world() const noexcept;

  /// Start a send to a world rank of another cluster. For each destination, the order of sends is preserved. `bytes` must
  /// not change until the ticket is complete. Sends of short messages are usually complete immediately.
  /// @param synchronous true: the send is complete only after the receiver has accepted the message
  ticket send(int dest, const envelope& fields, std::span<const std::byte> bytes, bool synchronous = false);

  /// True if a message has arrived. The cost is one atomic load without a lock.
  bool anything_new() const noexcept { return waiting_.load(std::memory_order_acquire) != 0; }
  /// The next message in the order of arrival.
  std::optional<message> take();

  /// Receive a matched message into `buffer`. Bytes beyond the end of the buffer are dropped. The caller must compare the
  /// size of the buffer with `total`. `buffer` must remain valid until the ticket is complete. After the call, `m.bytes` is
  /// empty.
  ticket accept(message& m, std::span<std::byte> buffer);

  /// Ask the receiver to return an unmatched message (ticket::cancel_state). If the message is returned, the ticket is
  /// complete.
  void cancel(ticket& sent);
  /// Answer a message of type cancel_requested. `found` is true if the message with this id was unmatched and has been
  /// dropped.
  void answer_cancel(const message& request, bool found);

  /// @throws link_error if the link is broken, and if the ticket cannot become complete
  bool test(const ticket& t);
  void wait(const ticket& t);

  /// Number of events. Events are arrivals, completed tickets, and a failure. The cost is one atomic load.
  std::uint32_t events() const noexcept { return events_.load(std::memory_order_acquire); }
  /// Wait until `events() != seen`, or until the time limit. With a thread, the function sleeps; with polling, the function
  /// makes progress. @throws link_error
  void wait_event(std::uint32_t seen, double seconds);

  /// Read and write without waiting. With polling, calls of this function are necessary. With a thread, calls are optional,
  /// and reduce the latency.
  /// @throws link_error
  void progress();

  /// @throws link_error if the link is broken
  void check() const;
  bool broken() const noexcept { return broken_.load(std::memory_order_acquire); }

  /// Stop all processes of the job. The processes receive `text` and the name of this process.
  /// @return true if the call has notified the server for the first time
  bool abort(const std::string& text) noexcept;

  /// Deliver all messages, and then close the link. The function returns when all other processes have also called close.
  /// @collective over all processes @throws link_error
  void close();

  /// Number of bytes that this process stores. The bytes belong to unmatched messages and unacknowledged packets.
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
