#pragma once
/// @file
/// Run a compositing plan among the threads of a process, without MPI.
#include <atomic>
#include <deque>
#include <osteon/compositing/exchange_pixels.hpp>
#include <osteon/compositing/frame_report.hpp>
#include <osteon/kernel/blend/blend.hpp>

namespace osteon::compositing {

/// Composites the images of threads by any plan, for successive frames; a rank of the plan is a thread.
///
/// Messages are not copied: the receiver blends from the sender's image and signals completion. Threads store finished parts
/// in the image of the collector. A thread waits only for the messages of its next step, never for all threads.
class among_threads {
 public:
  /// @param wide_between intermediate results have a wider format, so that only the final result is rounded
  /// @throws usage_error for a plan with unmatched sends or receives
  among_threads(const plan::plan& what, kernel::pixel_format format, bool wide_between = true);
  among_threads(const among_threads&) = delete;
  among_threads& operator=(const among_threads&) = delete;

  int threads() const { return static_cast<int>(members_.size()); }

  /// Image of a thread, shape (elements), premultiplied; after a frame it contains the picture at `parts`.
  std::span<std::byte> image(int thread);

  /// Composite: called once a frame by each of the threads, at the same time. When it returns, the image is free again.
  frame_report run(int thread);

  /// Pixels of the picture that are in the thread's image after a frame.
  const std::vector<plan::span>& parts(int thread) const { return members_[static_cast<std::size_t>(thread)].parts; }
  /// Error bound of a channel in units of the last place, for fixed-point formats.
  double error_bound() const { return error_bound_; }
  /// Working memory of a thread.
  std::int64_t bytes_beside_image(int thread) const { return members_[static_cast<std::size_t>(thread)].beside; }

 private:
  /// A message's state: the last frame in which each of these has happened. `uses` belongs to the thread that reads it, or
  /// if it lands in place, to the one that writes it.
  struct alignas(64) message {
    std::atomic<std::uint64_t> wanted{0};  ///< its place at the receiver may be written
    std::atomic<std::uint64_t> there{0};   ///< the sender's pixels may be read, or have been written where they belong
    std::atomic<std::uint64_t> taken{0};   ///< the sender's pixels are not needed any more
    int uses = 0, left = 0;
    bool lands = false;
  };
  struct task {
    std::vector<message*> needs;
    kernel::pixel_format format;
    std::byte* out;
    std::vector<kernel::layer> layers;
    std::int64_t count;
  };
  struct round {
    std::vector<message*> sends, lands_here;
    std::vector<task> reads;   ///< blend the images of others
    std::vector<task> writes;  ///< put parts where others collect them
    std::vector<task> last;    ///< overwrite pixels that others have read
    bool collects = false;
    std::int64_t bytes_sent = 0;
  };
  struct alignas(64) member {
    std::unique_ptr<std::byte[]> image, staging;
    std::unique_ptr<exchange_pixels> pixels;
    std::vector<round> rounds;
    std::vector<task> finish;
    std::vector<plan::span> parts;
    std::int64_t beside = 0;
    std::uint64_t frame = 0;
    std::vector<const task*> open;
  };
  struct planned;
  void prepare(const planned& all, int thread);
  void add_reads(const planned& all, int thread, std::size_t number, const exchange_schedule::blend& b, std::byte*& staging);
  void go(member& me, round& r, frame_report& report);
  void wait(const std::atomic<std::uint64_t>& what, std::uint64_t frame) const;

  kernel::pixel_format format_;
  std::int64_t elements_;
  std::deque<message> messages_;
  std::vector<member> members_;
  double error_bound_ = 0;
  bool crowded_ = false;
};

}  // namespace osteon::compositing
