#include <osteon/base/container_limits.hpp>
#include <osteon/comm/composite/host_images.hpp>

namespace osteon::comm {

namespace {
constexpr std::size_t state_bytes = 4096;  // size of a page
}

host_images::host_images(MPI_Comm host, const composite_options& o, int holder)
    : ranks_(size(host)), rank_(comm::rank(host)) {
  const std::size_t pixels = static_cast<std::size_t>(o.width) * static_cast<std::size_t>(o.height);
  image_bytes_ = (pixels * o.format.bytes() + 4095) / 4096 * 4096;
  window_ = shared_window::make(host, state_bytes + (rank_ == holder ? 3 : 2) * image_bytes_);
  picture_ = window_.of(holder) + state_bytes + 2 * image_bytes_;
  static_assert(sizeof(rank_state) + sizeof(common_state) <= state_bytes);
  // The value must be equal on all ranks, although some ranks may be bound to fewer cores.
  int crowded = ranks_ > cores_of_host();
  MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MAX, host);
  crowded_ = crowded != 0;
}

std::byte* host_images::image(int r, std::uint64_t frame) const {
  return window_.of(r) + state_bytes + frame % 2 * image_bytes_;
}

void host_images::announce(const pixel_rectangle& active, std::int64_t bad_pixel) {
  ++frame_;
  rank_state& own = state(rank_);
  own.active[frame_ % 2] = active;
  own.bad_pixel[frame_ % 2] = bad_pixel;
  common().arrived.add(of_all(frame_), crowded_);
}

void host_images::await_images(const composite_options& options) {
  common().arrived.wait(of_all(frame_), crowded_);
  for (int r = 0; r < ranks_; ++r) {
    const std::int64_t bad = state(r).bad_pixel[frame_ % 2];
    if (bad < 0) continue;
    finish();
    throw_not_premultiplied(options, r, bad, image(r, frame_));
  }
}

std::int64_t host_images::claim(int r, std::int64_t blocks) {
  std::atomic<std::uint32_t>& claimed = state(r).claimed;
  const std::uint32_t end = turn_ * static_cast<std::uint32_t>(blocks);
  std::uint32_t next = claimed.load(std::memory_order_relaxed);
  while (next != end)
    if (claimed.compare_exchange_weak(next, next + 1, std::memory_order_relaxed)) return blocks - std::int64_t{end - next};
  return -1;
}

}  // namespace osteon::comm
