#pragma once
/// @file
/// Selection of the fastest compositor: the model ranks the candidates, the best few composite some frames.
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <osteon/net/costs/compositing_machine.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/render/compositing/probe_machine.hpp>
#include <string>
#include <vector>

namespace osteon::render {

/// A compositing method and its predicted seconds per frame.
struct compositor_candidate {
  std::string name;
  comm::transport by = comm::transport::messages;
  std::string method;  ///< of messages, in the syntax of plan::composite_method::parse
  double predicted = 0;
};

/// Parse a method for the compositor. @throws usage_error as plan::composite_method::parse
comm::plan_maker plan_maker_of(const std::string& method);
/// The same by active pixels of ranks; null for a method that sends whole images. @throws usage_error likewise
comm::drawn_plan_maker drawn_plan_maker_of(const std::string& method);

/// Seconds of a frame in shared memory: each of `ranks` ranks waits for all others twice, and blends its part of
/// `bytes` bytes of each image.
double shared_memory_time(const net::compositing_machine& machine, int ranks, double bytes);

/// Seconds of a frame by messages: by evaluation of the plan up to `most_ranks_to_walk` ranks, beyond it by the equations
/// for the next power of two, which apply to binary swap and multi-step compositing.
/// @throws usage_error for another method beyond this number of ranks
double messages_time(const net::compositing_machine& machine, const std::string& method, int ranks, std::int64_t pixels,
                     double bytes_per_pixel);
constexpr int most_ranks_to_walk = 1024;

/// Candidates for this number of ranks, cheapest first.
/// @param active fraction of the image in messages; below 1 for sparse images
/// @cost direct send, with a quadratic number of messages, is considered up to 64 ranks only
std::vector<compositor_candidate> rank_compositors(const net::compositing_machine& machine, const host_layout& layout,
                                                   int ranks, const comm::composite_options& options, double active = 1);

struct chosen_compositor {
  comm::compositor compositor;
  std::string name;
  std::string log;  ///< one line: candidates, predictions and measurements; equal on all ranks
};

/// Rank the candidates, measure the best three for two frames each, select the fastest.
/// @param options options whose `by` and `method` are selected here
/// @param order, active, image a representative frame for the measurement
/// @param machine machine of the model; none: `probe_machine`
/// @throws as comm::compositor::make and comm::compositor::run
/// @collective on comm
chosen_compositor choose_compositor(MPI_Comm comm, const comm::composite_options& options, std::span<const int> order,
                                    const comm::pixel_rectangle& active, std::span<const std::byte> image,
                                    const std::optional<net::compositing_machine>& machine = {});

}  // namespace osteon::render
