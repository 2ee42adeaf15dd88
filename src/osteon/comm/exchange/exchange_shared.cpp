#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <osteon/base/container_limits.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/exchange/exchange_backends.hpp>
#include <osteon/comm/shared_window.hpp>
#include <thread>

namespace osteon::comm {

namespace {

/// Channel between two ranks in the memory of the receiver. The channel consists of a ring of slots and of an address. From
/// this address, the receiver fetches a parcel directly. Sender and receiver count the slots that have been used since the
/// creation of the channel. A fetched parcel counts as one slot.
struct box {
  alignas(64) std::atomic<std::uint64_t> written;
  const std::byte* address;
  alignas(64) std::atomic<std::uint64_t> read;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Copy from the memory of another process, if Linux permits such copies. @return true if the copy is complete
bool fetch(pid_t process, const std::byte* from, std::byte* into, std::int64_t bytes) {
  while (bytes > 0) {
    const iovec here{into, static_cast<std::size_t>(bytes)};
    const iovec there{const_cast<std::byte*>(from), static_cast<std::size_t>(bytes)};
    const ssize_t received = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (received <= 0) return false;
    from += received;
    into += received;
    bytes -= received;
  }
  return true;
}

/// Process ids of the ranks of a host. If a process may not read the memory of all other processes, the list is empty.
/// @collective on host
std::vector<pid_t> readable_processes(MPI_Comm host) {
  struct card {
    std::int64_t process, address, word;
  };
  std::int64_t word = 0x05137 + rank(host);
  const card own{getpid(), reinterpret_cast<std::intptr_t>(&word), word};
  std::vector<card> cards(static_cast<std::size_t>(size(host)));
  MPI_Allgather(&own, 3, MPI_INT64_T, cards.data(), 3, MPI_INT64_T, host);
  int readable = 1;
  std::vector<pid_t> processes;
  for (const card& c : cards) {
    std::int64_t read = 0;
    processes.push_back(static_cast<pid_t>(c.process));
    if (!fetch(processes.back(), reinterpret_cast<const std::byte*>(c.address), reinterpret_cast<std::byte*>(&read), 8) ||
        read != c.word)
      readable = 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &readable, 1, MPI_INT, MPI_MIN, host);  // `word` must exist until all ranks have read `word`
  if (!readable) processes.clear();
  return processes;
}

class shared_boxes final : public all_to_all::backend {
 public:
  shared_boxes(MPI_Comm host, const plan::plan& plan) : rank_(rank(host)), ranks_(size(host)) {
    // All boxes of a rank together fit into a typical second-level cache.
    constexpr std::int64_t all_slots = 512 * 1024;
    slot_bytes_ = std::clamp<std::int64_t>(all_slots / (slots * ranks_) / 4096 * 4096, 4096, 32 * 1024);
    const std::int64_t stride = static_cast<std::int64_t>(sizeof(box)) + slots * slot_bytes_;
    window_ = shared_window::make(host, static_cast<std::size_t>(stride * ranks_));
    crowded_ = ranks_ > cores_of_host();
    const std::vector<pid_t> processes = readable_processes(host);
    can_fetch_ = !processes.empty();
    for (const plan::round& round : plan.part(rank_).rounds) {
      for (const plan::message& m : round.sends)
        ends_.push_back({.sends = true, .peer = m.peer, .memory = window_.of(m.peer) + stride * rank_});
      for (const plan::message& m : round.receives) {
        ends_.push_back({.sends = false, .peer = m.peer, .memory = window_.of(rank_) + stride * m.peer});
        if (can_fetch_) ends_.back().process = processes[static_cast<std::size_t>(m.peer)];
      }
    }
  }

  void run(const std::byte* out, const parcels& to, std::byte* in, const parcels& from, std::int64_t unit) override {
    int open = 0;
    for (end& e : ends_) {
      const auto p = static_cast<std::size_t>(e.peer);
      e.left = (e.sends ? to : from).counts[p] * unit;
      if (e.sends)
        e.source = out + to.offsets[p] * unit;
      else
        e.target = in + from.offsets[p] * unit;
      e.fetched = can_fetch_ && e.left >= least_fetched;
      e.offered = false;
      open += e.left > 0;
    }
    for (int idle = 0; open > 0;) {
      bool moved = false;
      for (end& e : ends_) {
        if (e.left == 0 || !move(e)) continue;
        moved = true;
        open -= e.left == 0;
      }
      idle = moved ? 0 : idle + 1;
      if (idle > (crowded_ ? 20 : 500)) std::this_thread::yield();
    }
  }

 private:
  static constexpr std::int64_t slots = 4;
  /// Minimum size of a parcel for direct fetching. For larger parcels, one copy by a system call takes less time than two
  /// copies through a slot.
  static constexpr std::int64_t least_fetched = 32 * 1024;

  struct end {
    bool sends;
    int peer;
    std::byte* memory;  ///< the box, followed by its slots
    pid_t process = 0;
    std::uint64_t count = 0;  ///< number of slots that this end has completed
    const std::byte* source = nullptr;
    std::byte* target = nullptr;
    std::int64_t left = 0;  ///< number of remaining bytes
    bool fetched = false;   ///< true if the receiver fetches the parcel in one piece
    bool offered = false;   ///< true if the receiver has received the address of the parcel

    box& state() const { return *reinterpret_cast<box*>(memory); }
  };

  // Execute the next copy if the data and the memory for this copy are ready. @return true if a copy was executed
  bool move(end& e) {
    if (e.sends) return e.fetched ? offer(e) : fill_slot(e);
    if (e.state().written.load(std::memory_order_acquire) == e.count) return false;
    if (e.fetched)
      fetch_parcel(e);
    else
      empty_slot(e);
    e.state().read.store(e.count, std::memory_order_release);
    return true;
  }

  std::byte* slot(const end& e) const {
    return e.memory + sizeof(box) + static_cast<std::int64_t>(e.count % slots) * slot_bytes_;
  }
  void advance(end& e, std::int64_t bytes) {
    e.left -= bytes;
    ++e.count;
  }

  bool fill_slot(end& e) {
    if (e.count - e.state().read.load(std::memory_order_acquire) == slots) return false;
    const std::int64_t bytes = std::min(e.left, slot_bytes_);
    std::memcpy(slot(e), e.source, static_cast<std::size_t>(bytes));
    e.source += bytes;
    advance(e, bytes);
    e.state().written.store(e.count, std::memory_order_release);
    return true;
  }
  void empty_slot(end& e) {
    const std::int64_t bytes = std::min(e.left, slot_bytes_);
    std::memcpy(e.target, slot(e), static_cast<std::size_t>(bytes));
    e.target += bytes;
    advance(e, bytes);
  }

  // The sender waits until the receiver has read the parcel.
  bool offer(end& e) {
    if (!e.offered) {
      e.state().address = e.source;
      e.state().written.store(e.count + 1, std::memory_order_release);
      return e.offered = true;
    }
    if (e.state().read.load(std::memory_order_acquire) != e.count + 1) return false;
    advance(e, e.left);
    return true;
  }
  void fetch_parcel(end& e) {
    if (!fetch(e.process, e.state().address, e.target, e.left)) {
      try {
        throw machine_error(
            fmt::format("cannot read {} bytes from the memory of rank {}: {}", e.left, e.peer, std::strerror(errno)));
      } catch (...) {
        // other ranks wait for this rank; as in comm::throw_first_error, the terminate handler prints the error and aborts
        // all ranks
        std::terminate();
      }
    }
    advance(e, e.left);
  }

  int rank_, ranks_;
  bool crowded_ = false, can_fetch_ = false;
  std::int64_t slot_bytes_ = 0;
  shared_window window_;
  std::vector<end> ends_;
};

}  // namespace

std::unique_ptr<all_to_all::backend> exchange_in_shared_memory(MPI_Comm host, const plan::plan& plan) {
  return std::make_unique<shared_boxes>(host, plan);
}

}  // namespace osteon::comm
