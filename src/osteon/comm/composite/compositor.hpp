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
  automatic,  ///< `shared` on one host, `hybrid` if hosts have several ranks, otherwise `messages`
  messages,   ///< a plan between all ranks
  shared,     ///< for ranks on one host, which render into shared memory; each rank blends one stripe of all images
  hybrid,     ///< shared memory inside hosts, and one plan per stripe between hosts
};

/// Makes a compositing plan, such as binary swap or direct send. `order[i]` is the rank at visibility index i; `root` may be
/// -1.
using plan_maker = std::function<plan::plan(int ranks, std::int64_t elements, std::span<const int> order, int root)>;

/// Makes a compositing plan that skips empty pixels. @param drawn non-empty pixels of each rank as ascending runs
using drawn_plan_maker = std::function<plan::plan(int ranks, std::int64_t elements, std::span<const int> order, int root,
                                                  const std::vector<std::vector<plan::span>>& drawn)>;

struct composite_options {
  int width = 0, height = 0;
  kernel::pixel_format format;
  transport by = transport::automatic;
  plan_maker method;                 ///< method of messages; default: direct send up to 16 ranks, then binary swap
  drawn_plan_maker method_of_drawn;  ///< replaces `method` for messages of `sparse` images. The messages contain the pixels
                                     ///< that the plan sends from the active rectangles, without run lengths
  int root = 0;                      ///< rank that receives the picture; -1: each rank keeps its finished part
  bool sparse = false;               ///< for partially empty images: only non-empty pixels are sent and blended
  bool wide_between = true;          ///< messages: send partly blended pixels in a wider format
  bool check = true;                 ///< check that every pixel is premultiplied
  int ranks_per_host = 0;            ///< number of consecutive ranks that are treated as one host; 0: detect the hosts
  int cores = 0;  ///< messages: number of cores of this rank's host; 0: all cores. Ranks blend while they wait, unless ranks
                  ///< outnumber cores
};

/// Composites successive frames: render into `buffer()`, call `run`, read `picture()`. Destruction is collective.
class compositor {
 public:
  /// @throws usage_error for an invalid size or root, or for shared transport on several hosts
  /// @throws machine_error if there is not enough shared memory
  /// @collective on comm, which is duplicated
  static compositor make(MPI_Comm comm, const composite_options& options);
  compositor(compositor&&) noexcept;
  compositor& operator=(compositor&&) noexcept;
  ~compositor();

  /// Buffer of the next image, shape (height, width): premultiplied pixels, top row first. The buffer may change between
  /// frames; its initial content is undefined.
  std::span<std::byte> buffer();

  /// Composite the images in the buffers.
  /// @param order rank at each visibility index, front to back; the order is equal on all ranks
  /// @param active pixels outside this rectangle are treated as empty; empty for a rank without data. Messages use the
  /// rectangle only for `sparse` images
  /// @throws usage_error unless `order` is a permutation of the ranks
  /// @throws data_error if a pixel is not premultiplied
  /// @collective on comm
  frame_report run(std::span<const int> order, const pixel_rectangle& active);
  frame_report run(std::span<const int> order);

  /// The picture, shape (height, width), valid until the next `run`. Pixels in the spans of `parts` are final; on the root,
  /// all pixels are final.
  std::span<const std::byte> picture() const;
  /// Final pixels of `picture` on this rank. If there is a root, the root has all pixels and the other ranks have no pixels.
  const std::vector<plan::span>& parts() const;
  /// True if every rank can read the whole `picture`, including the parts of other ranks. The value is equal on all ranks;
  /// collective calls may therefore depend on it.
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
