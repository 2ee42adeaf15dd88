#pragma once
/// @file
/// The compositor that is fastest here: the model ranks what could be used, the best few composite some frames.
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <osteon/net/costs/compositing_machine.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/render/compositing/probe_machine.hpp>
#include <string>
#include <vector>

namespace osteon::render {

/// A way to composite, and the seconds of a frame that the model says.
struct compositor_candidate {
  std::string name;
  comm::transport by = comm::transport::messages;
  std::string method;  ///< of messages, as plan::composite_method::parse takes it
  double predicted = 0;
};

/// A method as the compositor takes it. @throws usage_error as plan::composite_method::parse
comm::plan_maker plan_maker_of(const std::string& method);
/// The same by what ranks have drawn; null for a method that sends whole images. @throws usage_error likewise
comm::drawn_plan_maker drawn_plan_maker_of(const std::string& method);

/// Seconds of a frame in shared memory: each of `ranks` ranks waits for all others twice, and blends its part of
/// `bytes` bytes of each image.
double shared_memory_time(const net::compositing_machine& machine, int ranks, double bytes);

/// Seconds of a frame by messages: the plan walked up to `most_ranks_to_walk` ranks, beyond it by the equations for the
/// next power of two, which cover binary swap and multi-step compositing.
/// @throws usage_error for another method of so many ranks
double messages_time(const net::compositing_machine& machine, const std::string& method, int ranks, std::int64_t pixels,
                     double bytes_per_pixel);
constexpr int most_ranks_to_walk = 1024;

/// What is worth a thought for so many ranks, cheapest first.
/// @param active share of the image that messages carry; below 1 where images are sparse
/// @cost direct send, whose messages grow with the square, is only considered up to 64 ranks
std::vector<compositor_candidate> rank_compositors(const net::compositing_machine& machine, const host_layout& layout,
                                                   int ranks, const comm::composite_options& options, double active = 1);

struct chosen_compositor {
  comm::compositor compositor;
  std::string name;
  std::string log;  ///< one line: what was tried, predicted and measured; alike on all ranks
};

/// Rank, try the best three for two frames each, keep the winner.
/// @param options whose `by` and `method` are chosen here
/// @param order, active, image a frame to try with, as it will come
/// @param machine to rank by; none: `probe_machine`
/// @throws as comm::compositor::make and comm::compositor::run
/// @collective on comm
chosen_compositor choose_compositor(MPI_Comm comm, const comm::composite_options& options, std::span<const int> order,
                                    const comm::pixel_rectangle& active, std::span<const std::byte> image,
                                    const std::optional<net::compositing_machine>& machine = {});

}  // namespace osteon::render
