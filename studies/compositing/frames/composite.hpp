#pragma once
/// @file
/// The experiments of [Ono] with methods, hybrid modes and bindings. Frames of all methods are measured alternately.
#include <functional>
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <string>
#include <studies/compositing/frames/composite_scene.hpp>
#include <vector>

namespace osteon::studies {

/// A method to composite one frame repeatedly.
struct composite_way {
  std::string name;
  std::function<void()> prepare;                        ///< copies the rendered image to its buffer; not timed
  std::function<comm::frame_report()> frame;            ///< @collective
  std::function<std::span<const std::byte>()> picture;  ///< returns the picture of the last frame on rank 0
  bool in_parts = false;                                ///< true: there is no picture on rank 0
  double error_bound = 0.5;                             ///< error limit in units of the last place; larger errors are faults
  std::string log;                                      ///< reason of an automatic choice
  bool has_display = false;                             ///< a rank receives the finished picture of each frame
  std::function<double()> display_seconds = {};         ///< time until the display node received the last picture; local
  /// Throws a data_error if the received picture differs from the picture of rank 0. @collective
  std::function<void()> check_display = {};
};

/// Measured cost of a method.
struct composite_cost {
  std::string name;
  double best_fps = 0, median_fps = 0;
  double cpu_ms = 0;                                     ///< CPU time per frame of all ranks, in the best batch
  std::vector<double> bytes;                             ///< sent by each rank
  double bytes_max = 0, bytes_sum = 0;                   ///< bytes sent by the rank that sends most, and by all ranks
  double blend_ms = 0, exchange_ms = 0, collect_ms = 0;  ///< median over frames of the maximum over ranks
  std::optional<double> display_ms;                      ///< time of the transfer to the display node
  double error = 0;  ///< largest difference from the exact picture, in units of the last place
};

/// Create the method of the given name. `auto` is the fastest measured method of the methods ranked best by the model.
/// `shared` uses shared memory for all ranks. `shared:R` uses shared memory within groups of R consecutive ranks, and binary
/// swap between groups. A method of plan::composite_method uses messages. `fragments` sorts each pixel by depth. Options may
/// follow the name. `+sparse` is for partly empty images. With `+parts` (or `+none`), finished parts remain with their
/// owners. With `+narrow`, partly blended pixels are sent in the format of the picture. `+checked` detects pixels that are
/// not premultiplied. With `+display`, the finished picture is sent to the last rank, which represents a display node.
/// `binary-swap:rectangles` is binary swap by two-dimensional cuts (swap_2d.hpp).
/// @throws usage_error for another name
/// @collective on comm
composite_way make_way(MPI_Comm comm, const composite_case& scene, const std::string& name);

/// Run all methods alternately, each for some frames between two barriers, and compare their pictures with the exact
/// picture.
/// @throws data_error if the error of a picture exceeds the bound of its method
/// @collective on comm
std::vector<composite_cost> measure(MPI_Comm comm, const composite_case& scene, std::span<const composite_way> ways);

/// Measure methods in one process without MPI. Each of `ranks` threads has an image, and the threads composite by methods of
/// plan::composite_method. The options `+parts` and `+narrow` of make_way are allowed; other options are rejected.
/// @throws usage_error for another method, data_error as measure
std::vector<composite_cost> measure_among_threads(const composite_case& scene, int ranks,
                                                  std::span<const std::string> methods);

/// Blend rate in millions of result pixels per CPU second of one thread, for `layers` layers of `pixels` pixels.
double blend_rate(kernel::pixel_format format, int layers, std::int64_t pixels, double seconds);

/// Bind the threads and the memory of this rank to a part of the machine. The parts are NUMA nodes if there are several;
/// otherwise packages, last-level caches or cores. The first kind with at least two objects is used.
///
/// @param binding `none`; `numa_1`: `ranks_per_domain` consecutive ranks on each domain; `numa_2`: ranks are assigned to
/// domains in round robin
/// @return description of the binding
/// @throws usage_error for another word, machine_error if osteon was built without hwloc
std::string bind(int rank, const std::string& binding, int ranks_per_domain);

}  // namespace osteon::studies
