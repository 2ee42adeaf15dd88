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

/// A method that composites one frame repeatedly.
struct composite_way {
  std::string name;
  /// copies the rendered image to the buffer of the method; not measured
  std::function<void()> prepare;
  std::function<comm::frame_report()> frame;            ///< @collective
  std::function<std::span<const std::byte>()> picture;  ///< returns the picture of the last frame on rank 0
  bool in_parts = false;                                ///< true: rank 0 has no picture
  /// limit of the error in units of the last place; larger errors are faults
  double error_bound = 0.5;
  std::string log;           ///< reason for an automatic selection
  bool has_display = false;  ///< true: one rank receives the finished picture of each frame
  /// time in s until the display node has received the last picture; local
  std::function<double()> display_seconds = {};
  /// Throws a data_error if the received picture differs from the picture on rank 0. @collective
  std::function<void()> check_display = {};
};

/// Measured cost of a method.
struct composite_cost {
  std::string name;
  double best_fps = 0, median_fps = 0;
  double cpu_ms = 0;          ///< CPU time per frame of all ranks in the fastest batch
  std::vector<double> bytes;  ///< number of bytes that each rank sends
  /// number of bytes that the rank with the most bytes sends, and number of bytes that all ranks send
  double bytes_max = 0, bytes_sum = 0;
  double blend_ms = 0, exchange_ms = 0, collect_ms = 0;  ///< maximum over ranks, median over frames
  std::optional<double> display_ms;                      ///< time of the transfer to the display node
  double error = 0;  ///< largest difference from the exact picture in units of the last place
};

/// Create the method with the given name. `auto` is the fastest measured method among the methods with the best predictions.
/// `shared` uses shared memory for all ranks. `shared:R` uses shared memory inside groups of R consecutive ranks, and binary
/// swap between groups. A method of plan::composite_method uses messages. `fragments` sorts the images by depth in each
/// pixel. Options may follow the name. `+sparse` is for partially empty images. With `+parts` (or `+none`), final parts
/// remain at their owners. With `+narrow`, partly blended pixels are sent in the format of the picture. `+checked` detects
/// pixels that are not premultiplied. With `+display`, the finished picture is sent to the last rank, which represents a
/// display node. `binary-swap:rectangles` is binary swap with two-dimensional cuts (swap_2d.hpp).
/// @throws usage_error for any other name
/// @collective on comm
composite_way make_way(MPI_Comm comm, const composite_case& scene, const std::string& name);

/// Run all methods alternately, each for some frames between two barriers. Compare their pictures with the exact picture.
/// @throws data_error if the error of a picture exceeds the bound of its method
/// @collective on comm
std::vector<composite_cost> measure(MPI_Comm comm, const composite_case& scene, std::span<const composite_way> ways);

/// Measure methods in one process without MPI. Each of the `ranks` threads has an image. The threads composite by methods of
/// plan::composite_method. The options `+parts` and `+narrow` of make_way are allowed. Other options cause an error.
/// @throws usage_error for any other method; data_error in the cases of measure
std::vector<composite_cost> measure_among_threads(const composite_case& scene, int ranks,
                                                  std::span<const std::string> methods);

/// Blend rate for `layers` layers of `pixels` pixels. The unit is a million result pixels per CPU second of one thread.
double blend_rate(kernel::pixel_format format, int layers, std::int64_t pixels, double seconds);

/// Bind the threads and the memory of this rank to a part of the machine. The parts are NUMA nodes, packages, last-level
/// caches or cores. The first of these kinds with at least two objects is used.
///
/// @param binding `none`; `numa_1`: `ranks_per_domain` consecutive ranks on each domain; `numa_2`: ranks are assigned to
/// domains cyclically
/// @return description of the binding
/// @throws usage_error for any other binding; machine_error if osteon was built without hwloc
std::string bind(int rank, const std::string& binding, int ranks_per_domain);

}  // namespace osteon::studies
