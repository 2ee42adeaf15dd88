#pragma once
/// @file
/// The link between the processes of joined clusters: one endpoint per process, no MPI inside.
///
/// The part above (matching, communicators, collectives) sees messages: `send` never blocks, `take` hands out what has
/// arrived, in the order in which each source sent it. A message longer than `settings::short_bytes`, or one that finds
/// its eager credit used up, arrives as its first part only; `accept` gives it a buffer once it is matched and lets
/// the rest come. So the memory that unmatched messages take is bounded, and MPI's progress rule still holds.
///
///     auto link = endpoint::join(settings_from_environment(), facts);
///     auto sent = link->send(dest, {.cid = 0, .tag = 7}, bytes);
///     while (!link->anything_new()) ...;            // one atomic load
///     auto m = link->take();                        // match m->what, m->source
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

/// Envelope of a message by the part above; the wire carries it without reading it.
struct envelope {
  std::uint64_t cid = 0;    ///< context of the communicator
  std::int32_t tag = 0;     ///< negative for collectives
  std::int32_t lsrank = 0;  ///< rank of the source in the communicator
  std::uint64_t kind = 0;   ///< free for the part above (IMPI: dtype)
  std::int64_t count = 0;   ///< free for the part above (IMPI: count)
};

/// A process of the joined world.
struct process_info {
  int cluster = 0;
  int local_rank = 0;
  std::int64_t pid = 0;
  std::string host;
  std::string facts;           ///< the process's argument to `join`, unchanged
  std::string representation;  ///< byte order and sizes of int, long, pointer, long double: equal if data can go as they are
};

struct cluster_info {
  std::string name;
  int first_rank = 0;  ///< world rank of its local rank 0
  int size = 0;
};

/// World ranks run over clusters, then over local ranks.
struct world_info {
  std::vector<cluster_info> clusters;
  std::vector<process_info> processes;
  int rank = 0;     ///< this process
  int cluster = 0;  ///< its cluster
  int size() const { return static_cast<int>(processes.size()); }
};

/// The link is broken for good; `what()` names the process, the place and the reason. Every later call throws the same text.
struct link_error : machine_error {
  explicit link_error(const std::string& text) : machine_error(text) {}
};

/// Progress of a send or of an accepted message. Copies share it. An empty one is done.
class ticket {
 public:
  enum class cancelling { no, asked, cancelled, refused };
  struct state {
    std::atomic<bool> done{false};
    std::atomic<cancelling> cancel{cancelling::no};
  };
  ticket() = default;
  ticket(std::uint64_t id, int peer, std::shared_ptr<state> s) : id_(id), peer_(peer), state_(std::move(s)) {}
  /// One atomic load. A link that breaks does not set it: use endpoint::test or wait, which throw.
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

/// A message that has arrived, whole or its first part. Its eager credit goes back to the sender when it is accepted
/// or destroyed: keep it (do not copy its bytes elsewhere) while it is unmatched, or memory is no longer bounded.
/// It must not outlive its endpoint.
class message {
 public:
  enum class what_kind {
    data,         ///< a message
    cancel_asked  ///< the source asks to cancel its message `id`: answer with endpoint::answer_cancel
  };
  what_kind type = what_kind::data;
  int source = 0;  ///< world rank
  envelope what;
  std::uint64_t total = 0;       ///< bytes of the whole message
  std::uint64_t id = 0;          ///< of the sender's request; unique per source
  bool wants_reply = false;      ///< synchronous, or more is to come: `accept` sends the answer
  std::vector<std::byte> bytes;  ///< received so far, at most `total`

  message() = default;
  message(message&& other) noexcept;
  message& operator=(message&& other) noexcept;
  ~message();

 private:
  friend class endpoint;
  friend class endpoint_core;
  class endpoint_core* owner_ = nullptr;  ///< where the credit is returned to; null once it is
};

/// One process' end of the link. Thread-safe.
///
/// With `progress::thread` a side thread sleeps in epoll and does all socket work that `send` cannot finish at once.
/// With `progress::polling` nothing moves unless this object is called: `progress`, `test`, `wait`, `send`.
class endpoint {
 public:
  /// Join the job: authenticate at the start-up server, tell about this process, learn the world and connect to every
  /// process of the other clusters (or to the relay).
  /// @collective over all processes of all clusters
  /// @throws link_error after `settings::join_seconds`, or as soon as the server says what does not fit: wrong key,
  /// singletons, different versions; the same text in every process
  static std::unique_ptr<endpoint> join(const settings& how, const std::string& facts);
  ~endpoint();
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  const world_info& world() const noexcept;

  /// Start to send to a world rank of another cluster. Order per destination is kept.
  /// `bytes` must stay as they are until the ticket is done; short ones usually are at once.
  /// @param synchronous done only when the receiver has accepted it
  ticket send(int dest, const envelope& what, std::span<const std::byte> bytes, bool synchronous = false);

  /// Is there something to take? One atomic load, no lock.
  bool anything_new() const noexcept { return waiting_.load(std::memory_order_acquire) != 0; }
  /// The next arrived message, in order of arrival.
  std::optional<message> take();

  /// Receive a matched message into `buffer`; bytes beyond its end are dropped (the caller compares with `total`).
  /// `buffer` must stay until the ticket is done. Afterwards `m.bytes` is empty.
  ticket accept(message& m, std::span<std::byte> buffer);

  /// Ask the receiver to give back an unmatched message; see ticket::cancel_state. A message that is given back is done.
  void cancel(ticket& sent);
  /// Answer to a message of type cancel_asked; `found`: the message with that id was still unmatched and is now dropped.
  void answer_cancel(const message& request, bool found);

  /// @throws link_error if the link is broken and the ticket cannot become done any more
  bool test(const ticket& t);
  void wait(const ticket& t);

  /// Counts events: arrivals, tickets done, failure. One atomic load.
  std::uint32_t events() const noexcept { return events_.load(std::memory_order_acquire); }
  /// Sleep (thread) or make progress (polling) until `events() != seen` or the time is over. @throws link_error
  void wait_event(std::uint32_t seen, double seconds);

  /// Progress: read and write without waiting. Needed with polling, allowed (lower latency) with the thread.
  /// @throws link_error
  void progress();

  /// @throws link_error if the link is broken
  void check() const;
  bool broken() const noexcept { return broken_.load(std::memory_order_acquire); }

  /// Tell every process of the job to stop; they see `text` with the name of this process.
  /// @return whether the server was notified, for the first time
  bool abort(const std::string& text) noexcept;

  /// Deliver everything, then part: returns when every other process has called close too.
  /// @collective over all processes @throws link_error
  void close();

  /// Bytes that now wait here: unmatched messages, packets not yet acknowledged.
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
