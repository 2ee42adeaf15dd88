#pragma once
/// @file
/// Run a compositing plan over MPI messages for successive frames.
#include <mpi.h>

#include <memory>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/compositing/exchange_pixels.hpp>
#include <osteon/compositing/exchange_schedule.hpp>
#include <osteon/compositing/frame_report.hpp>
#include <osteon/kernel/blend/blend.hpp>
#include <span>
#include <vector>

namespace osteon::comm {

using compositing::exchange_object;
using compositing::exchange_schedule;
using compositing::pixel_piece;

/// Compute the schedule of a plan. Ranks exchange the layouts of their messages.
/// @throws usage_error if a rank expects a message that no rank sends
/// @collective on comm
exchange_schedule make_schedule(MPI_Comm comm, const plan::rank_plan& mine, std::int64_t elements,
                                const exchange_object& object);

using compositing::exchange_pixels;
using compositing::frame_report;

/// Blend layers with OpenMP threads.
void blend_by_threads(kernel::pixel_format format, std::byte* out, std::span<const kernel::layer> layers,
                      std::int64_t count);

/// Convert the pixels of the result from the wide format to the final format. A plan that skips empty images cannot
/// determine the last blend of a pixel. Such a plan may therefore end in the wide format.
void finish_wide(const exchange_schedule& schedule, exchange_pixels& pixels);

/// Convert the result like finish_wide, and clear the pixels outside of the runs `active`.
void finish_sparse(const exchange_schedule& schedule, exchange_pixels& pixels, std::span<const plan::span> active);

/// One rank's part of a plan for dense images. Each frame starts the same persistent messages.
///
/// Long messages are split into chunks. An interval of pixels is blended when all layers of the interval have arrived. Other
/// chunks may still be in flight. While chunks are in flight, layers at the back may be joined into one sum. A joined sum
/// preserves the order of a single blend. Results therefore do not depend on the order of arrival.
class dense_exchange {
 public:
  /// @param comm must outlive this object
  /// @param join_while_waiting join layers while waiting; joining requires memory for one sum per blended pixel
  dense_exchange(MPI_Comm comm, const exchange_schedule& schedule, exchange_pixels& pixels, bool join_while_waiting);
  ~dense_exchange();
  dense_exchange(const dense_exchange&) = delete;
  dense_exchange& operator=(const dense_exchange&) = delete;

  /// @collective on comm
  frame_report run();

 private:
  struct work {  ///< layers that the rank blends after the arrival of `awaited` chunks
    kernel::pixel_format format;
    std::byte* out;
    std::vector<kernel::layer> layers;
    std::int64_t count;
    int awaited;
    bool after_sends;
    std::vector<int> arrival_of;  ///< index of the arrival of each layer; -1 for pixels of this rank
    kernel::layer sum;            ///< sum of joined layers at the back; null if there are fewer than three layers
  };
  struct round {
    std::vector<MPI_Request> sends, arrivals;
    /// for each arrival: indices of each `work` that depends on the arrival
    std::vector<std::vector<std::size_t>> wanted_by;
    std::vector<work> works;
    bool collects = false;
    std::int64_t bytes_sent = 0;
  };
  /// State of a `work` in the current frame.
  struct progress {
    int awaited = 0;
    std::size_t joined = 0;  ///< number of layers at the back that the sum contains
  };
  void prepare(MPI_Comm comm, const exchange_schedule::round& from, exchange_pixels& pixels, std::byte* staging);
  std::int64_t give_sums(round& r, std::byte* memory) const;
  bool join_some(const round& r, std::vector<progress>& works, const std::vector<bool>& received) const;
  static void finish(const work& w, const progress& p);

  kernel::pixel_format sum_format_;
  std::unique_ptr<std::byte[]> staging_, sums_;
  std::vector<round> rounds_;
};

/// One rank's part of a plan for partially empty images. Messages contain only the runs of non-empty pixels.
class sparse_exchange {
 public:
  /// @param comm, schedule, pixels must outlive this object
  sparse_exchange(MPI_Comm comm, const exchange_schedule& schedule, exchange_pixels& pixels)
      : comm_(comm), schedule_(schedule), pixels_(pixels) {}

  /// @param active ascending runs of non-empty pixels. On entry, the runs are those of the object. On return, the runs are
  /// those of the result.
  /// @param counted ledger of the messages, or null
  /// @collective on comm
  frame_report run(std::vector<plan::span>& active, message_ledger::shape* counted = nullptr);

 private:
  struct arrival {
    std::vector<std::byte> bytes;
    std::vector<plan::span> runs;
    std::vector<const std::byte*> pixels;  ///< pixels of each run
  };
  std::vector<std::byte> packed(const exchange_schedule::message& m, std::span<const plan::span> active);
  arrival unpacked(const exchange_schedule::message& m, std::vector<std::byte> bytes) const;
  void blend(const exchange_schedule::blend& planned, std::span<const arrival> received, std::span<const plan::span> active,
             std::vector<plan::span>& result);

  MPI_Comm comm_;
  const exchange_schedule& schedule_;
  exchange_pixels& pixels_;
};

}  // namespace osteon::comm
