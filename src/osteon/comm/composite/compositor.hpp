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
  automatic,  ///< shared memory on one host, hybrid if hosts have several ranks, otherwise messages
  messages,   ///< a plan between all ranks
  shared,     ///< one host: ranks render into shared memory, and each blends a stripe of all images
  hybrid,     ///< shared memory inside hosts, for each stripe a plan between them
};

/// Make a plan: binary swap, direct send ...; `order[i]` is the rank at visibility index i, `root` may be -1.
using plan_maker = std::function<plan::plan(int ranks, std::int64_t elements, std::span<const int> order, int root)>;

/// The same for a method that skips empty pixels. @param drawn ascending runs of pixels, by rank
using drawn_plan_maker = std::function<plan::plan(int ranks, std::int64_t elements, std::span<const int> order, int root,
                                                  const std::vector<std::vector<plan::span>>& drawn)>;

struct composite_options {
  int width = 0, height = 0;
  kernel::pixel_format format;
  transport by = transport::automatic;
  plan_maker method;                 ///< method of messages; default: direct send up to 16 ranks, then binary swap
  drawn_plan_maker method_of_drawn;  ///< takes precedence over `method` for messages of `sparse` images, which are then what
                                     ///< the plan for the active rectangles, without run lengths
  int root = 0;                      ///< rank that receives the picture; -1: finished parts are not collected
  bool sparse = false;               ///< partially empty images: only non-empty pixels are sent, and blended inside hosts
  bool wide_between = true;          ///< messages: partly blended pixels are sent in a wider format
  bool check = true;                 ///< check that every pixel is premultiplied
  int ranks_per_host = 0;            ///< treat this many consecutive ranks as a host; 0: detect
  int cores = 0;  ///< messages: cores of this rank's host; unless its ranks exceed them, they blend while waiting;
                  ///< 0: all cores of the host
};

/// Composites frame after frame: render into `buffer()`, `run`, read `picture()`. All ranks destroy it together.
class compositor {
 public:
  /// @throws usage_error for an invalid size or root, or shared transport across hosts
  /// @throws machine_error if there is not enough shared memory
  /// @collective on comm, which is duplicated
  static compositor make(MPI_Comm comm, const composite_options& options);
  compositor(compositor&&) noexcept;
  compositor& operator=(compositor&&) noexcept;
  ~compositor();

  /// Buffer of the next image, shape (height, width): premultiplied pixels, top row first. It may change between frames, and
  /// its content is undefined before.
  std::span<std::byte> buffer();

  /// Composite the images that are in the buffers.
  /// @param order the rank at each visibility index, front to back; the same on all ranks
  /// @param active pixels outside of it are treated as empty; empty for a rank without data. Messages use it only if they
  /// are `sparse`
  /// @throws usage_error unless `order` is a permutation of the ranks
  /// @throws data_error if a pixel is not premultiplied
  /// @collective on comm
  frame_report run(std::span<const int> order, const pixel_rectangle& active);
  frame_report run(std::span<const int> order);

  /// The picture, shape (height, width), until the next `run`; final in the spans of `parts`. On the root all pixels are
  /// final.
  std::span<const std::byte> picture() const;
  /// Final pixels of `picture` on this rank; with a root, all on the root and none on other ranks.
  const std::vector<plan::span>& parts() const;
  /// True if every rank can read all of `picture`, including the parts of other ranks. Equal on all ranks, so that
  /// collective calls may depend on it.
  bool all_have_all() const;
  /// Upper bound of the error of a channel of the picture in units of its last place, for fixed-point formats.
  double error_bound() const;
  /// Description of the method.
  std::string description() const;

  struct backend;  ///< one for each transport
 private:
  explicit compositor(std::unique_ptr<backend> w);
  std::unique_ptr<backend> backend_;
};

}  // namespace osteon::comm
