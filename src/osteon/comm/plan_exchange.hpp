#pragma once
/// @file
/// Run a compositing plan over MPI messages, frame after frame.
#include <memory>
#include <osteon/comm/exchange_schedule.hpp>
#include <osteon/compositing/exchange_pixels.hpp>
#include <osteon/compositing/frame_report.hpp>
#include <osteon/kernel/blend.hpp>
#include <span>
#include <vector>

namespace osteon::comm {

using compositing::exchange_pixels;
using compositing::frame_report;

/// Blend layers with the threads that OpenMP gives.
void blend_by_threads(kernel::pixel_format format, std::byte* out, std::span<const kernel::layer> layers,
                      std::int64_t count);

/// Round what is still wide in the result: a plan that leaves out images that it takes for empty does not tell when a pixel
/// is finished.
void finish_wide(const exchange_schedule& schedule, exchange_pixels& pixels);

/// One rank's part of a plan for dense images, with its messages prepared: planned once, started for each frame.
///
/// Long messages are cut into chunks, and a stretch of pixels is blended as soon as all its layers have come, while others
/// travel.
class dense_exchange {
 public:
  /// @param comm is used until the object goes
  dense_exchange(MPI_Comm comm, const exchange_schedule& schedule, exchange_pixels& pixels);
  ~dense_exchange();
  dense_exchange(const dense_exchange&) = delete;
  dense_exchange& operator=(const dense_exchange&) = delete;

  /// @collective on comm
  frame_report run();

 private:
  struct work {  ///< layers that become one, once `awaited` chunks have come
    kernel::pixel_format format;
    std::byte* out;
    std::vector<kernel::layer> layers;
    std::int64_t count;
    int awaited;
    bool after_sends;
  };
  struct round {
    std::vector<MPI_Request> sends, arrivals;
    std::vector<std::vector<std::size_t>> wanted_by;  ///< by arrival: the works that need it
    std::vector<work> works;
    bool collects = false;
    std::int64_t bytes_sent = 0;
  };
  void prepare(MPI_Comm comm, const exchange_schedule::round& from, exchange_pixels& pixels, std::byte* staging);

  std::unique_ptr<std::byte[]> staging_;
  std::vector<round> rounds_;
};

/// The same for images that are empty in places: what travels are the runs of pixels that are not.
class sparse_exchange {
 public:
  /// @param comm, schedule, pixels are used until the object goes
  sparse_exchange(MPI_Comm comm, const exchange_schedule& schedule, exchange_pixels& pixels)
      : comm_(comm), schedule_(schedule), pixels_(pixels) {}

  /// @param active ascending runs of pixels outside which the object is empty; afterwards, those of the result
  /// @collective on comm
  frame_report run(std::vector<plan::span>& active);

 private:
  struct arrival {
    std::vector<std::byte> bytes;
    std::vector<plan::span> runs;
    std::vector<const std::byte*> pixels;  ///< of each run
  };
  std::vector<std::byte> packed(const exchange_schedule::message& m, std::span<const plan::span> active);
  arrival unpacked(const exchange_schedule::message& m, std::vector<std::byte> bytes) const;
  void blend(const exchange_schedule::blend& what, std::span<const arrival> came, std::span<const plan::span> active,
             std::vector<plan::span>& result);

  MPI_Comm comm_;
  const exchange_schedule& schedule_;
  exchange_pixels& pixels_;
};

}  // namespace osteon::comm
