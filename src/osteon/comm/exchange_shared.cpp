#include <algorithm>
#include <cstring>
#include <osteon/comm/exchange_ways.hpp>
#include <osteon/comm/shared_window.hpp>
#include <thread>

namespace osteon::comm {

namespace {

/// A ring of slots from one rank to another, in the memory of the receiver. Both count slots from its making on.
struct box {
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> read;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class shared_boxes final : public all_to_all::way {
 public:
  explicit shared_boxes(MPI_Comm host) : rank_(rank(host)), ranks_(size(host)) {
    // What all boxes of a rank hold together stays in a second-level cache of usual size.
    constexpr std::int64_t all_slots = 512 * 1024;
    slot_bytes_ = std::clamp<std::int64_t>(all_slots / (slots * ranks_) / 4096 * 4096, 4096, 32 * 1024);
    const std::int64_t stride = static_cast<std::int64_t>(sizeof(box)) + slots * slot_bytes_;
    window_ = shared_window::make(host, static_cast<std::size_t>(stride * ranks_));
    crowded_ = static_cast<unsigned>(ranks_) > std::thread::hardware_concurrency();
    for (int step = 1; step < ranks_; ++step) {  // nearest first in one direction, as in a ring of messages
      const int to = (rank_ + step) % ranks_, from = (rank_ - step + ranks_) % ranks_;
      sending_.push_back({to, window_.of(to) + stride * rank_, 0, nullptr, 0});
      receiving_.push_back({from, window_.of(rank_) + stride * from, 0, nullptr, 0});
    }
  }

  void run(const std::byte* out, const parcels& to, std::byte* in, const parcels& from, std::int64_t unit) override {
    int open = 0;
    for (end& e : sending_) {
      const auto p = static_cast<std::size_t>(e.peer);
      e.at = const_cast<std::byte*>(out) + to.offsets[p] * unit;
      e.left = to.counts[p] * unit;
      open += e.left > 0;
    }
    for (end& e : receiving_) {
      const auto p = static_cast<std::size_t>(e.peer);
      e.at = in + from.offsets[p] * unit;
      e.left = from.counts[p] * unit;
      open += e.left > 0;
    }
    for (int idle = 0; open > 0;) {
      bool moved = false;
      for (std::size_t i = 0; i < sending_.size(); ++i) {
        for (const bool sends : {true, false}) {
          end& e = sends ? sending_[i] : receiving_[i];
          if (e.left == 0 || !(sends ? send_slot(e) : receive_slot(e))) continue;
          moved = true;
          open -= e.left == 0;
        }
      }
      idle = moved ? 0 : idle + 1;
      if (idle > (crowded_ ? 20 : 2000)) std::this_thread::yield();
    }
  }

 private:
  static constexpr std::int64_t slots = 4;

  struct end {
    int peer;
    std::byte* memory;    ///< the box, then its slots
    std::uint64_t count;  ///< slots that this end is done with
    std::byte* at;        ///< next byte of the parcel
    std::int64_t left;    ///< bytes

    box& state() const { return *reinterpret_cast<box*>(memory); }
  };
  std::byte* slot(const end& e) const {
    return e.memory + sizeof(box) + static_cast<std::int64_t>(e.count % slots) * slot_bytes_;
  }
  std::int64_t take(end& e) {
    const std::int64_t bytes = std::min(e.left, slot_bytes_);
    e.at += bytes;
    e.left -= bytes;
    ++e.count;
    return bytes;
  }
  bool send_slot(end& e) {
    if (e.count - e.state().read.load(std::memory_order_acquire) == slots) return false;
    std::memcpy(slot(e), e.at, static_cast<std::size_t>(std::min(e.left, slot_bytes_)));
    take(e);
    e.state().written.store(e.count, std::memory_order_release);
    return true;
  }
  bool receive_slot(end& e) {
    if (e.state().written.load(std::memory_order_acquire) == e.count) return false;
    std::memcpy(e.at, slot(e), static_cast<std::size_t>(std::min(e.left, slot_bytes_)));
    take(e);
    e.state().read.store(e.count, std::memory_order_release);
    return true;
  }

  int rank_, ranks_;
  bool crowded_ = false;
  std::int64_t slot_bytes_ = 0;
  shared_window window_;
  std::vector<end> sending_, receiving_;
};

}  // namespace

std::unique_ptr<all_to_all::way> exchange_in_shared_memory(MPI_Comm host) { return std::make_unique<shared_boxes>(host); }

}  // namespace osteon::comm
