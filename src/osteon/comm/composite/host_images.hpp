#pragma once
/// @file
/// Partial images of the ranks of one host in shared memory.
#include <osteon/comm/composite/compositor_backend.hpp>

namespace osteon::comm {

/// Two alternating images of each rank, and one picture of all ranks.
///
/// A rank renders its image of frame f + 1 while other ranks read its image of frame f. The image of frame f + 2 overwrites
/// the image of frame f. A rank begins this image after `await_images` of frame f + 1, when all ranks have announced frame f
/// + 1 and have therefore completed frame f.
class host_images {
 public:
  /// @param holder rank with the memory segment that contains the picture
  /// @throws machine_error if shared memory is insufficient
  /// @collective on host, a borrowed communicator of ranks on one host
  host_images(MPI_Comm host, const composite_options& options, int holder);

  /// Buffer of this rank's next image.
  std::byte* next_image() const { return image(rank_, frame_ + 1); }
  std::byte* picture() const { return picture_; }

  /// Begin a frame, and announce that the image of this rank is complete. @param bad_pixel invalid pixel of the image, or -1
  void announce(const pixel_rectangle& active, std::int64_t bad_pixel);
  /// Wait for all images. @throws data_error if any image has an invalid pixel
  void await_images(const composite_options& options);
  /// Image of a rank in this frame.
  host_layer layer(int rank) const { return {image(rank, frame_), state(rank).active[frame_ % 2]}; }
  /// Announce that this rank has read all images and stored its part of the picture.
  void finish() { common().finished.add(of_all(frame_), crowded_); }
  /// Wait until all ranks have finished.
  void await_picture() const { common().finished.wait(of_all(frame_), crowded_); }

  /// Begin a frame in which ranks claim blocks of the picture dynamically. Each rank first claims the blocks of its own
  /// stripe, then the blocks of other stripes. If a host has fewer cores than ranks, running ranks also process the blocks
  /// of ranks that wait for a core.
  void begin_blocks(std::int64_t of_all_stripes) { last_block_ = ++turn_ * static_cast<std::uint32_t>(of_all_stripes); }
  /// Claim a free block of stripe r, which has `blocks` blocks. If no block is free, the result is -1.
  std::int64_t claim(int r, std::int64_t blocks);
  void finish_block() { common().blended.add(last_block_, crowded_); }
  void await_blocks() const { common().blended.wait(last_block_, crowded_); }

 private:
  struct alignas(64) rank_state {
    pixel_rectangle active[2];
    std::int64_t bad_pixel[2];
    /// number of claimed blocks of the rank's stripe, summed over all frames
    alignas(64) std::atomic<std::uint32_t> claimed;
  };
  struct common_state {
    alignas(64) shared_counter arrived;   ///< number of announced images, summed over all frames
    alignas(64) shared_counter finished;  ///< number of calls of `finish`
    alignas(64) shared_counter blended;   ///< number of blended blocks
  };
  rank_state& state(int r) const { return *reinterpret_cast<rank_state*>(window_.of(r)); }
  common_state& common() const { return *reinterpret_cast<common_state*>(window_.of(0) + sizeof(rank_state)); }
  std::uint32_t of_all(std::uint64_t frames) const {
    return static_cast<std::uint32_t>(frames) * static_cast<std::uint32_t>(ranks_);
  }
  std::byte* image(int r, std::uint64_t frame) const;

  shared_window window_;
  std::byte* picture_ = nullptr;
  std::size_t image_bytes_ = 0;
  int ranks_ = 1, rank_ = 0;
  bool crowded_ = false;
  std::uint64_t frame_ = 0;
  std::uint32_t turn_ = 0, last_block_ = 0;
};

}  // namespace osteon::comm
