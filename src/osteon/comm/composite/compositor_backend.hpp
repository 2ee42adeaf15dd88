#pragma once
/// @file
/// Transports of the compositor.
#include <osteon/comm/composite/compositor.hpp>
#include <osteon/comm/exchange/plan_exchange.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/shared_window.hpp>
#include <string>

namespace osteon::comm {

/// Direct send with one blend if the n (n - 1) messages of n ranks are few; otherwise binary swap.
plan::plan default_method(int ranks, std::int64_t elements, std::span<const int> order, int root);

struct compositor::backend {
  backend(const composite_options& o, MPI_Comm c) : options(o), comm(communicator::duplicate(c)) {
    if (!options.method) options.method = default_method;
  }
  virtual ~backend() = default;
  virtual std::byte* buffer() = 0;
  virtual frame_report run(std::span<const int> order, const pixel_rectangle& active) = 0;
  virtual const std::byte* picture() const = 0;
  /// The value must be equal on all ranks. The value therefore depends only on transport, root and number of ranks.
  virtual bool all_have_all() const { return comm.size() == 1; }

  composite_options options;
  communicator comm;
  std::vector<plan::span> parts;
  double error_bound = 0;
  std::string description;

  std::int64_t pixels() const { return std::int64_t{options.width} * options.height; }
  std::int64_t pixel_bytes() const { return static_cast<std::int64_t>(options.format.bytes()); }
  pixel_rectangle whole() const { return {0, 0, options.width, options.height}; }
};

std::unique_ptr<compositor::backend> composite_by_messages(const composite_options& options, MPI_Comm comm);
std::unique_ptr<compositor::backend> composite_in_shared_memory(const composite_options& options, MPI_Comm comm);
std::unique_ptr<compositor::backend> composite_hybrid(const composite_options& options, MPI_Comm comm);

/// Messages of a rank in a frame of dense images.
message_ledger::shape shape_of(const exchange_schedule& schedule, const exchange_pixels& pixels);
/// Record a frame in the ledger attached to `comm`, if any.
/// @param between communicator of the messages; ranks of `between` are translated to ranks of `comm`
void count_frame(MPI_Comm comm, MPI_Comm between, const std::string& name, message_ledger::shape frame,
                 const frame_report& report);

/// True if each rank of this host has a separate core. @collective on comm
bool cores_for_all(const composite_options& options, MPI_Comm comm);
/// @throws usage_error unless `order` is a permutation of the ranks
void check_order(std::span<const int> order, int ranks);
/// @throws usage_error if `sparse` images are too large for messages
void check_sparse(const composite_options& options);
/// First pixel in `active` that is not premultiplied. If all pixels are premultiplied, the result is -1.
std::int64_t first_bad_pixel(const composite_options& options, const std::byte* image, const pixel_rectangle& active);
/// @throws data_error with the rank, the pixel and its channels
[[noreturn]] void throw_not_premultiplied(const composite_options& options, int rank, std::int64_t pixel,
                                          const std::byte* image);
/// Intersection of `active` with the image.
pixel_rectangle clipped(const composite_options& options, const pixel_rectangle& active);

/// Image that a rank of this host has rendered. Only the active rectangle of the image is blended.
struct host_layer {
  const std::byte* image;
  pixel_rectangle active;
};
/// @param out pixel `at.begin` of the result
void blend_stretch(const composite_options& options, kernel::pixel_format out_format, std::byte* out,
                   std::span<const host_layer> layers, plan::span at);
/// Runs of a stripe in which at least one layer is active. Positions are relative to the beginning of the stripe.
std::vector<plan::span> drawn_runs(const composite_options& options, std::span<const host_layer> layers, plan::span stripe);
/// Blend a stripe with OpenMP threads.
void blend_stripe(const composite_options& options, kernel::pixel_format out_format, std::byte* out,
                  std::span<const host_layer> layers, plan::span stripe);

}  // namespace osteon::comm
