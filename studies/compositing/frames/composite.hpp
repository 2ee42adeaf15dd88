#pragma once
/// @file
/// The experiments of [Ono]: methods, hybrid modes and bindings, frame by frame beside each other.
#include <functional>
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <string>
#include <studies/compositing/frames/composite_scene.hpp>
#include <vector>

namespace osteon::studies {

/// A way to composite one frame again and again.
struct composite_way {
  std::string name;
  std::function<void()> prepare;                        ///< put the rendered image where it is composited; not timed
  std::function<comm::frame_report()> frame;            ///< @collective
  std::function<std::span<const std::byte>()> picture;  ///< on rank 0, of the last frame
  bool in_parts = false;                                ///< there is no picture on rank 0
  double error_bound = 0.5;                             ///< units of the last place; what is more is a fault
  std::string log;                                      ///< how it was chosen, if it was
  bool has_display = false;                             ///< a rank gets the finished picture of each frame
  std::function<double()> display_seconds = {};         ///< with one: until it had the last frame's picture; local
  std::function<void()> check_display = {};  ///< throw a data_error if that is not the picture of rank 0 @collective
};

/// What a way took.
struct composite_cost {
  std::string name;
  double best_fps = 0, median_fps = 0;
  double cpu_ms = 0;                                     ///< of a frame, all ranks; the best batch
  std::vector<double> bytes;                             ///< sent by each rank
  double bytes_max = 0, bytes_sum = 0;                   ///< sent by the rank that sends most, by all
  double blend_ms = 0, exchange_ms = 0, collect_ms = 0;  ///< median over frames of the largest of the ranks
  std::optional<double> display_ms;                      ///< the same of the picture's way to the display node
  double error = 0;  ///< largest difference from the exact picture, units of the last place
};

/// osteon's way of this name: `auto`, what the model ranks best and is fastest here; `shared`, all ranks in shared memory;
/// `shared:R`, R consecutive ranks in shared memory and binary swap between such groups; or a method of
/// plan::composite_method, over messages; `fragments`, each pixel put in order of depth by itself. Behind it `+sparse` for
/// images that are empty in places, `+parts` (or
/// `+none`) to leave finished parts where they are, `+narrow` to send what is half blended in the picture's own format,
/// `+checked` to look for pixels that are not premultiplied, `+display` to send the finished picture on to the last rank, as
/// to a display node. `binary-swap:rectangles` is binary swap by two-dimensional cuts (swap_2d.hpp).
/// @throws usage_error for another name
/// @collective on comm
composite_way make_way(MPI_Comm comm, const composite_case& what, const std::string& name);

/// Run all ways in turn, each some frames at a time between two barriers, and compare their pictures with the exact one.
/// @throws data_error if a picture is further from it than the way promises
/// @collective on comm
std::vector<composite_cost> measure(MPI_Comm comm, const composite_case& what, std::span<const composite_way> ways);

/// The same in one process without MPI: `ranks` threads that each have drawn an image composite by these methods of
/// plan::composite_method, with `+parts` and `+narrow` as in make_way; other words are refused.
/// @throws usage_error for another method, data_error as measure
std::vector<composite_cost> measure_among_threads(const composite_case& what, int ranks,
                                                  std::span<const std::string> methods);

/// Millions of pixels of the result a CPU second of one thread, for `layers` layers of `pixels` pixels.
double blend_rate(kernel::pixel_format format, int layers, std::int64_t pixels, double seconds);

/// Bind this rank's threads and memory to a part of the machine: the memory domains (NUMA) if there are several, else
/// packages, last-level caches, cores; whatever there are at least two of.
///
/// @param how `none`; `numa_1`: `ranks_per_domain` consecutive ranks on a domain, then the next; `numa_2`: ranks dealt out
/// in turn
/// @return what was done, in words
/// @throws usage_error for another word, machine_error if osteon was built without hwloc
std::string bind(int rank, const std::string& how, int ranks_per_domain);

}  // namespace osteon::studies
