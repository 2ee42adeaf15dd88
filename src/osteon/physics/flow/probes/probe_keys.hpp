#pragma once
/// @file
/// The keys of a [[probe]].

#include <cstdint>
#include <optional>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>
#include <vector>

namespace osteon::job {
class key_table;
}

namespace osteon::physics {

/// Location at which a flow is recorded during the solve. The location is a point, a line, a box or a ball. Lists have the
/// order z, y, x.
struct probe_spec {
  std::string name;
  std::optional<std::vector<double>> at_mm, from_mm, to_mm, low_mm, high_mm, centre_mm;
  std::optional<double> radius_mm;
  std::int64_t points = 50;                        ///< number of points on a line
  std::optional<std::vector<std::string>> fields;  ///< absent: all available fields
  /// number of steps between records; 0: transient.output_every_s determines the records
  std::int64_t every = 0;
};

struct probe_keys {
  std::vector<probe_spec> probes;
};

/// Register the keys.
void register_probe_keys(key_table& job);

}  // namespace osteon::physics
