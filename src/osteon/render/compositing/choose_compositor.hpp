#pragma once
/// @file
/// Selection of the fastest compositor. The cost model sorts the candidates by predicted time. The best candidates are then
/// measured.
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <osteon/net/costs/compositing_machine.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/render/compositing/probe_machine.hpp>
#include <string>
#include <vector>

namespace osteon::render {

/// A compositing method and the predicted time of a frame in seconds.
struct compositor_candidate {
  std::string name;
  comm::transport by = comm::transport::messages;
  std::string method;  ///< method for messages, in the syntax of plan::composite_method::parse
  double predicted = 0;
};

/// Parse a method for the compositor. @throws usage_error in the cases of plan::composite_method::parse
comm::plan_maker plan_maker_of(const std::string& method);
/// Parse a method with plans that depend on the active pixels of the ranks. For a method that sends whole images, the result
/// is null.
/// @throws usage_error in the cases of plan::composite_method::parse
comm::drawn_plan_maker drawn_plan_maker_of(const std::string& method);

/// Time of a frame in shared memory [s]. Each of the `ranks` ranks waits twice for all other ranks, and blends its part of
/// all images. Each image has `bytes` bytes.
double shared_memory_time(const net::compositing_machine& machine, int ranks, double bytes);

/// Time of a frame by messages [s]. For at most `most_ranks_to_walk` ranks, the function evaluates the plan. For more ranks,
/// the function uses the equations of binary swap and multi-step compositing. The equations are evaluated for the next power
/// of two.
/// @throws usage_error if there are more than `most_ranks_to_walk` ranks and no equations for the method
double messages_time(const net::compositing_machine& machine, const std::string& method, int ranks, std::int64_t pixels,
                     double bytes_per_pixel);
constexpr int most_ranks_to_walk = 1024;

/// Candidates for this number of ranks in the order of predicted times. Direct send is a candidate for at most 64 ranks,
/// because its number of messages grows quadratically with the number of ranks.
/// @param active fraction of the pixels that messages contain; less than 1 for sparse images
std::vector<compositor_candidate> rank_compositors(const net::compositing_machine& machine, const host_layout& layout,
                                                   int ranks, const comm::composite_options& options, double active = 1);

struct chosen_compositor {
  comm::compositor compositor;
  std::string name;
  std::string log;  ///< one line with candidates, predictions and measurements; equal on all ranks
};

/// Sort the candidates by predicted time, measure two frames with each of the best three candidates, and select the fastest
/// candidate.
/// @param options options of compositing; the function sets `by` and `method`
/// @param order, active, image representative frame for the measurement
/// @param machine machine of the cost model; default: result of `probe_machine`
/// @throws errors of comm::compositor::make and comm::compositor::run
/// @collective on comm
chosen_compositor choose_compositor(MPI_Comm comm, const comm::composite_options& options, std::span<const int> order,
                                    const comm::pixel_rectangle& active, std::span<const std::byte> image,
                                    const std::optional<net::compositing_machine>& machine = {});

}  // namespace osteon::render
