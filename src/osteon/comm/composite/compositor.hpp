#pragma once
/// @file
/// Compositing of the partial images of ranks.
#include <functional>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/exchange/plan_exchange.hpp>
#include <osteon/compositing/pixel_rectangle.hpp>
#include <span>
#include <string>

namespace osteon::comm {

using compositing::pixel_rectangle;

enum class transport {
  automatic,  ///< `shared` if all ranks are on one host; `hybrid` if hosts have several ranks; otherwise `messages`
  messages,   ///< one plan between all ranks
  shared,     ///< shared memory of one host: ranks render into this memory, and each rank blends one stripe of all images
  hybrid,     ///< shared memory inside hosts, and one plan per stripe between hosts
};

/// Makes a compositing plan, such as binary swap or direct send. `order[i]` is the rank at visibility index i. `root` may be
/// -1.
using plan_maker = std::function<plan::plan(int ranks, std::int64_t elements, std::span<const int> order, int root)>;

/// Makes a compositing plan that skips empty pixels. @param drawn non-empty pixels of each rank as ascending runs
using drawn_plan_maker = std::function<plan::plan(int ranks, std::int64_t elements, std::span<const int> order, int root,
                                                  const std::vector<std::vector<plan::span>>& drawn)>;

struct composite_options {
  int width = 0, height = 0;
  kernel::pixel_format format;
  transport by = transport::automatic;
  /// plan for `messages`; default: direct send up to 16 ranks, binary swap for more ranks
  plan_maker method;
  /// plan for `messages` of `sparse` images; replaces `method` The messages contain the pixels that the plan sends from the
  /// active rectangles, without run lengths
  drawn_plan_maker method_of_drawn;
  int root = 0;              ///< rank that receives the picture; -1: each rank stores its final part of the picture
  bool sparse = false;       ///< for partially empty images: ranks send and blend only non-empty pixels
  bool wide_between = true;  ///< for `messages`: ranks send partly blended pixels in a wider format
  bool check = true;         ///< check that every pixel is premultiplied
  int ranks_per_host = 0;    ///< number of consecutive ranks that are treated as one host; 0: detect the hosts
  /// for `messages`: number of cores of this rank's host; 0: all cores Ranks blend while they wait, unless ranks outnumber
  /// cores
  int cores = 0;
};

/// Composites successive frames. Render into `buffer()`, call `run`, then read `picture()`. Destruction is collective.
class compositor {
 public:
  /// @throws usage_error for an invalid size or root, or for shared transport on several hosts
  /// @throws machine_error if there is not enough shared memory
  /// @collective on comm, which is duplicated
  static compositor make(MPI_Comm comm, const composite_options& options);
  compositor(compositor&&) noexcept;
  compositor& operator=(compositor&&) noexcept;
  ~compositor();

  /// Buffer of the next image, shape (height, width). The pixels are premultiplied, and the top row is first. The address of
  /// the buffer may change between frames. The initial content of the buffer is undefined.
  std::span<std::byte> buffer();

  /// Composite the images in the buffers.
  /// @param order rank at each visibility index, front to back; the order is equal on all ranks
  /// @param active rectangle with all non-empty pixels; empty for a rank without data. Pixels outside of the rectangle are
  /// treated as empty. With messages, only `sparse` images use the rectangle.
  /// @throws usage_error unless `order` is a permutation of the ranks
  /// @throws data_error if a pixel is not premultiplied
  /// @collective on comm
  frame_report run(std::span<const int> order, const pixel_rectangle& active);
  frame_report run(std::span<const int> order);

  /// The picture, shape (height, width). The picture is valid until the next `run`. On the root, all pixels are final. On
  /// other ranks, the pixels in the spans of `parts` are final.
  std::span<const std::byte> picture() const;
  /// Spans of the final pixels of `picture` on this rank. If there is a root, the root has all pixels and the other ranks
  /// have no pixels.
  const std::vector<plan::span>& parts() const;
  /// True if every rank can read the whole `picture`, including the parts of other ranks. The value is equal on all ranks.
  /// Collective calls may therefore depend on the value.
  bool all_have_all() const;
  /// Upper bound of the error of a channel for fixed-point formats, in units of the last place.
  double error_bound() const;
  /// Description of the method.
  std::string description() const;

  struct backend;  ///< implementation by a transport
 private:
  explicit compositor(std::unique_ptr<backend> w);
  std::unique_ptr<backend> backend_;
};

}  // namespace osteon::comm
