#pragma once
/// @file
/// Compositing methods by name. The literature and the command line use the same names.
#include <osteon/plan/composite/collect.hpp>

namespace osteon::plan {

struct method_description {
  std::string name;     ///< text for `parse`
  std::string meaning;  ///< short description
};

/// All methods with their default parameters.
const std::vector<method_description>& known_methods();

/// True if a text begins with the name of a known method. The parameters may be valid or invalid.
bool names_composite_method(const std::string& text);

/// A compositing method, with its parameters and its method of collection.
///
/// - `sequential`, `sequential:K`, `sequential:all`, `sequential:chain`: members send whole images to the root, K images at
///   a time (default 1)
/// - `direct-send`, `direct-send:scheduled`, `direct-send:scheduled:K`: all messages at once, or at most K messages per
///   round
/// - `direct-send:overlap`, `slic`: for partially empty images
/// - `pipeline`, `tree`, `binary-swap`, `2-3-swap`, `2-3-4-swap`
/// - `radix-k`, `radix-k:8,4`: factors in the order of the rounds (default 8); the last factor is repeated
/// - `multi-step:P`, `multi-step:P:INNER:OUTER`: groups of P members; INNER inside groups (default: binary swap), OUTER
///   between leaders (default: tree)
/// - `multi-step:P:INNER:spans:OUTER`: the same groups, without an intermediate collection
/// - `hybrid`, `hybrid:R`: direct send inside hosts (of R consecutive ranks), binary swap between hosts
///
/// A suffix `+gather` (default), `+fan-in:K`, `+leaders`, `+leaders:R` or `+none` selects the collection of parts.
struct composite_method {
  std::string text;
  composite_maker by_index;
  collect_options collect;   ///< `make` fills `host_of`
  int ranks_per_host = 0;    ///< 0: unknown; `hybrid` and `+leaders` then need `host_of`
  std::vector<int> host_of;  ///< host of each rank; has priority over ranks_per_host
  /// spans with drawn pixels of each rank (`goal::active`); used by `direct-send:overlap` and `slic`
  std::vector<std::vector<span>> active;
  bool uses_active = false;  ///< true for methods that use `active`

  /// @throws usage_error with the known methods and a suggestion
  static composite_method parse(const std::string& text);

  /// Create the plan.
  /// @param elements number of pixels; may be smaller than `ranks`
  /// @param order rank at each visibility index, front to back
  /// @param root rank that receives the picture; -1: parts are not collected, as with `+none`
  /// @throws usage_error if `order` is not a permutation, if `root` is not a rank, or if required hosts are unknown
  /// @cost O(ranks) for the names of ranks, in addition to the cost of the generator
  plan make(int ranks, std::int64_t elements, std::span<const int> order, int root = 0) const;
};

}  // namespace osteon::plan
