#pragma once
/// @file
/// Exchanges by name. The command line uses the same names.
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <osteon/plan/verify.hpp>

namespace osteon::plan {

/// Parameters of an exchange in addition to its name.
struct exchange_request {
  int ranks = 1;
  std::int64_t bytes = 1024;    ///< size of a parcel, an object, or a face of a halo
  parcel_sizes sizes = {};      ///< size of each parcel; empty: each parcel has `bytes` bytes
  std::vector<int> shape = {};  ///< shape of `shift` if the text contains no shape; empty: one dimension
  std::int64_t pixels = 512 * 512;
  std::int64_t bytes_per_pixel = 4;
};

/// All exchanges with their default parameters. make_exchange also accepts the compositing methods of composite_method.hpp.
const std::vector<method_description>& known_exchanges();

/// Create an exchange by name.
///
/// | text | exchange |
/// |---|---|
/// | `shift`, `shift:8x8x16` | all-to-all, all ranks in the same direction |
/// | `ring`, `xor`, `pairwise`, `bruck`, `hierarchical:R` | other all-to-alls; R ranks per host |
/// | `transposition`, `transposition:x-first` | as printed, and corrected for routing by the first dimension first |
/// | `transposition:column-major` | as printed, on ranks numbered along columns; its traffic equals that of x-first |
/// | `butterfly`, `prefix`, `prefix:doubling`, `broadcast`, `broadcast:ROOT` | |
/// | `halo:ZxYxX`, `halo:ZxYxX:periodic` | faces of blocks |
/// | anything else | a compositing method, ranks in visibility order |
/// @throws usage_error with the known texts and a suggestion
plan make_exchange(const std::string& text, const exchange_request& request);

/// Goal of an exchange that make_exchange has created. The goal consists of the pairs of ranks with parcels, or of the final
/// contents of objects. The goal of a compositing method also requires the visibility order, and is therefore not created
/// here.
goal goal_of_exchange(const plan& plan);

/// Parse a shape such as "8x8x16". @throws usage_error with `name`
std::vector<int> parse_shape(const std::string& text, const std::string& name);

}  // namespace osteon::plan
