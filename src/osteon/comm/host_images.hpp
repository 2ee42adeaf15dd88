#pragma once
/// @file
/// The partial images of the ranks of one host, in memory that they share.
#include <osteon/comm/compositor_way.hpp>

namespace osteon::comm {

/// Two images of each rank, in turns, and one picture.
///
/// A rank renders frame f + 1 while others still read its image of f. It cannot get to f + 2 before they have: its own
/// `await_images` of f + 1 waits until all have announced f + 1, and they do so when they are done with f.
class host_images {
 public:
  /// @param holder rank whose stretch of memory holds the picture
  /// @throws machine_error if the host has not so much shared memory
  /// @collective on host, which is borrowed, of ranks on one host
  host_images(MPI_Comm host, const composite_options& options, int holder);

  /// Where this rank's next image goes.
  std::byte* next_image() const { return image(rank_, frame_ + 1); }
  std::byte* picture() const { return picture_; }

  /// Begin a frame: tell the others that the image is rendered. @param bad_pixel of it, or -1
  void announce(const pixel_rectangle& active, std::int64_t bad_pixel);
  /// Wait until all images are there. @throws data_error for a bad pixel of any
  void await_images(const composite_options& options);
  /// The image of a rank in this frame.
  host_layer layer(int rank) const { return {image(rank, frame_), state(rank).active[frame_ % 2]}; }
  /// Tell the others that this rank reads no image any more, and has put its part of the picture in its place.
  void finish() { state(rank_).done.store(frame_, std::memory_order_release); }
  /// Wait until all have finished the frame.
  void await_picture() const;

 private:
  struct alignas(64) rank_state {
    std::atomic<std::uint64_t> ready, done;  ///< last frame that is rendered, and finished
    pixel_rectangle active[2];
    std::int64_t bad_pixel[2];
  };
  rank_state& state(int r) const { return *reinterpret_cast<rank_state*>(window_.of(r)); }
  std::byte* image(int r, std::uint64_t frame) const;

  shared_window window_;
  std::byte* picture_ = nullptr;
  std::size_t image_bytes_ = 0;
  int ranks_ = 1, rank_ = 0;
  bool crowded_ = false;
  std::uint64_t frame_ = 0;
};

}  // namespace osteon::comm
