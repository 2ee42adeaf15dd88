#pragma once
/// @file
/// Run a compositing plan among the threads of a process, without MPI.
#include <atomic>
#include <deque>
#include <osteon/compositing/exchange_pixels.hpp>
#include <osteon/compositing/frame_report.hpp>
#include <osteon/kernel/blend/blend.hpp>

namespace osteon::compositing {

/// Composites the images of threads by any plan. The object can composite many frames. Each rank of the plan is a thread.
///
/// Messages are not copied. The receiver reads and blends pixels of the sender's image, and then signals completion. Threads
/// store final parts in the image of the collecting thread. A thread waits only for the messages of its next step. The frame
/// has no barrier.
class among_threads {
 public:
  /// @param wide_between intermediate results have a wider format; only the final result is rounded
  /// @throws usage_error for a plan with unmatched sends or receives
  among_threads(const plan::plan& plan, kernel::pixel_format format, bool wide_between = true);
  among_threads(const among_threads&) = delete;
  among_threads& operator=(const among_threads&) = delete;

  int threads() const { return static_cast<int>(members_.size()); }

  /// Image of a thread, shape (elements). The pixels are premultiplied. After a frame, the spans of `parts` contain the
  /// picture.
  std::span<std::byte> image(int thread);

  /// Composite a frame. Every thread calls this function once per frame, concurrently. On return, the thread may overwrite
  /// its image.
  frame_report run(int thread);

  /// Spans of the picture that the image of the thread contains after a frame.
  const std::vector<plan::span>& parts(int thread) const { return members_[static_cast<std::size_t>(thread)].parts; }
  /// Bound of the error of a channel for fixed-point formats, in units of the last place.
  double error_bound() const { return error_bound_; }
  /// Working memory of a thread.
  std::int64_t working_memory(int thread) const { return members_[static_cast<std::size_t>(thread)].working_bytes; }
  [[deprecated("working_memory")]] std::int64_t bytes_beside_image(int thread) const { return working_memory(thread); }

 private:
  /// State of a message. For each event, the state contains the last frame in which the event occurred. `uses` belongs to
  /// the thread that reads the message, or to the thread that writes the message in place.
  struct alignas(64) message {
    std::atomic<std::uint64_t> writable{0};  ///< the sender may write the message to its final place
    std::atomic<std::uint64_t> ready{
        0};  ///< the receiver may read the pixels of the sender, or the sender has written the message to its final place
    std::atomic<std::uint64_t> released{0};  ///< the receiver has read the pixels of the sender
    int uses = 0, left = 0;
    bool in_place = false;
  };
  struct task {
    std::vector<message*> inputs;
    kernel::pixel_format format;
    std::byte* out;
    std::vector<kernel::layer> layers;
    std::int64_t count;
  };
  struct round {
    std::vector<message*> sends, in_place_arrivals;
    std::vector<task> reads;   ///< tasks that blend images of other threads
    std::vector<task> writes;  ///< tasks that write parts to the image of the collecting thread
    std::vector<task> last;    ///< tasks that overwrite pixels after other threads have read the pixels
    bool collects = false;
    std::int64_t bytes_sent = 0;
  };
  struct alignas(64) member {
    std::unique_ptr<std::byte[]> image, staging;
    std::unique_ptr<exchange_pixels> pixels;
    std::vector<round> rounds;
    std::vector<task> finish;
    std::vector<plan::span> parts;
    std::int64_t working_bytes = 0;
    std::uint64_t frame = 0;
    std::vector<const task*> open;
  };
  struct planned;
  void prepare(const planned& all, int thread);
  void add_reads(const planned& all, int thread, std::size_t number, const exchange_schedule::blend& b, std::byte*& staging);
  void run_round(member& me, round& r, frame_report& report);
  void wait(const std::atomic<std::uint64_t>& event, std::uint64_t frame) const;

  kernel::pixel_format format_;
  std::int64_t elements_;
  std::deque<message> messages_;
  std::vector<member> members_;
  double error_bound_ = 0;
  bool crowded_ = false;
};

}  // namespace osteon::compositing
