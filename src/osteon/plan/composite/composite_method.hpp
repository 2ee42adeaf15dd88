#pragma once
/// @file
/// Compositing methods by name. The names are common in the literature; the command line also uses these names.
#include <osteon/plan/composite/collect.hpp>

namespace osteon::plan {

struct method_description {
  std::string name;     ///< text for `parse`
  std::string meaning;  ///< short description
};

/// All methods with their default parameters.
const std::vector<method_description>& known_methods();

/// True if a text begins with a known method, with valid or invalid parameters.
bool names_composite_method(const std::string& text);

/// A compositing method with its parameters and its collection method.
///
/// - `sequential`, `sequential:K`, `sequential:all`, `sequential:chain`: whole images to the root, K at a time (default 1)
/// - `direct-send`, `direct-send:scheduled`, `direct-send:scheduled:K`: all at once, or at most K messages per round
/// - `direct-send:overlap`, `slic`: for partially empty images
/// - `pipeline`, `tree`, `binary-swap`, `2-3-swap`, `2-3-4-swap`
/// - `radix-k`, `radix-k:8,4`: factors in the order of rounds; the last factor is repeated (default 8)
/// - `multi-step:P`, `multi-step:P:INNER:OUTER`: groups of P (default: binary swap, then a tree of leaders)
/// - `multi-step:P:INNER:spans:OUTER`: the same groups, without an intermediate collection
/// - `hybrid`, `hybrid:R`: direct send inside hosts (of R consecutive ranks), binary swap between hosts
///
/// A suffix `+gather` (default), `+fan-in:K`, `+leaders`, `+leaders:R` or `+none` selects the collection of parts.
struct composite_method {
  std::string text;
  composite_maker by_index;
  collect_options collect;                ///< `host_of` is filled by `make`
  int ranks_per_host = 0;                 ///< 0: unknown; `hybrid` and `+leaders` then require `host_of`
  std::vector<int> host_of;               ///< host of each rank; replaces ranks_per_host
  std::vector<std::vector<span>> active;  ///< by rank, as `goal::active`; used by `direct-send:overlap` and `slic`
  bool uses_active = false;               ///< true for methods that use `active`

  /// @throws usage_error with the known methods and a suggestion
  static composite_method parse(const std::string& text);

  /// Create the plan.
  /// @param elements number of pixels; may be smaller than `ranks`
  /// @param order rank at each visibility index, front to back
  /// @param root rank that receives the picture; -1: do not collect parts, as with `+none`
  /// @throws usage_error if `order` is not a permutation, `root` not a rank, or required hosts are unknown
  /// @cost O(ranks) for the names of ranks, and the cost of the generators
  plan make(int ranks, std::int64_t elements, std::span<const int> order, int root = 0) const;
};

}  // namespace osteon::plan
