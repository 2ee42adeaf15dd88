#include <sched.h>

#include <algorithm>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/compositor_way.hpp>
#include <osteon/comm/together.hpp>
#include <thread>

namespace osteon::comm {

namespace {

// What a rank tells the others of a frame. Two of each, in turns: a rank renders frame f + 1 while others still read f. It
// cannot get to f + 2 before they have: its own run of f + 1 waits until all are ready for f + 1, thus done with f.
struct alignas(64) rank_state {
  std::atomic<std::uint64_t> ready, done;  // last frame that it has rendered, and whose stripe it has blended
  pixel_rectangle active[2];
  std::int64_t bad_pixel[2];
};

class in_shared_memory : public compositor::way {
 public:
  in_shared_memory(const composite_options& o, MPI_Comm c) {
    options = o;
    comm = communicator::duplicate(c);
    ranks_ = comm.size();
    rank_ = comm.rank();
    image_bytes_ = (static_cast<std::size_t>(pixels()) * o.format.bytes() + 4095) / 4096 * 4096;
    // A rank's stretch: its state, two images, and on the root the picture (on rank 0 if it stays in parts).
    const int holder = std::max(0, o.root);
    window_ = shared_window::make(comm.get(), 4096 + (rank_ == holder ? 3 : 2) * image_bytes_);
    picture_ = window_.of(holder) + 4096 + 2 * image_bytes_;
    crowded_ = static_cast<unsigned>(ranks_) > std::thread::hardware_concurrency();
    // Stripes begin at cache lines.
    const auto cut = [&](std::int64_t r) { return r == ranks_ ? pixels() : pixels() / ranks_ * r / 64 * 64; };
    stripe_ = {cut(rank_), cut(rank_ + 1)};
    if (o.root < 0)
      parts = {stripe_};
    else if (rank_ == o.root)
      parts = {{0, pixels()}};
    error_bound = o.format.depth || ranks_ == 1 ? 0 : 0.5;
    description = "shared memory, " + std::to_string(ranks_) + " stripes";
  }

  std::byte* buffer() override { return image(rank_, frame_ + 1); }
  const std::byte* picture() const override { return picture_; }

  frame_report run(std::span<const int> order, const pixel_rectangle& active) override {
    frame_report report;
    const stopwatch all;
    check_order(order, ranks_);
    const std::uint64_t frame = ++frame_;
    const std::size_t slot = frame % 2;
    rank_state& own = state(rank_);
    own.active[slot] = active;
    own.bad_pixel[slot] = options.check ? first_bad_pixel(options, image(rank_, frame), active) : -1;
    own.ready.store(frame, std::memory_order_release);
    std::vector<host_layer> layers;
    for (int r = 0; r < ranks_; ++r) wait_until(state(r).ready, frame, crowded_);
    for (int r = 0; r < ranks_; ++r)
      if (state(r).bad_pixel[slot] >= 0) {
        const std::int64_t bad = state(r).bad_pixel[slot];
        own.done.store(frame, std::memory_order_release);
        throw_not_premultiplied(options, r, bad, image(r, frame));
      }
    for (const int r : order)
      if (!state(r).active[slot].empty()) layers.push_back({image(r, frame), state(r).active[slot]});
    const stopwatch blending;
    blend_stripe(options, options.format, picture_ + stripe_.begin * static_cast<std::int64_t>(options.format.bytes()),
                 layers, stripe_);
    report.blend_seconds = blending.seconds();
    own.done.store(frame, std::memory_order_release);
    report.exchange_seconds = all.seconds() - report.blend_seconds;
    if (rank_ == options.root) {
      const stopwatch collecting;
      for (int r = 0; r < ranks_; ++r) wait_until(state(r).done, frame, crowded_);
      report.collect_seconds = collecting.seconds();
    }
    return report;
  }

 private:
  rank_state& state(int r) const { return *reinterpret_cast<rank_state*>(window_.of(r)); }
  std::byte* image(int r, std::uint64_t frame) const { return window_.of(r) + 4096 + (frame % 2) * image_bytes_; }

  shared_window window_;
  std::byte* picture_ = nullptr;
  std::size_t image_bytes_ = 0;
  int ranks_ = 1, rank_ = 0;
  bool crowded_ = false;
  plan::span stripe_;
  std::uint64_t frame_ = 0;
};

}  // namespace

std::unique_ptr<compositor::way> composite_in_shared_memory(const composite_options& options, MPI_Comm comm) {
  return std::make_unique<in_shared_memory>(options, comm);
}

}  // namespace osteon::comm
