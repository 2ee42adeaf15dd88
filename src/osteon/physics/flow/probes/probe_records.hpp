#pragma once
/// @file
/// What the probes of a job have told so far, and what is told of it at the end.
#include <array>
#include <nlohmann/json.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Of a point or a mean; NaN: there is none.
struct probe_value {
  std::array<double, 3> velocity_mm_per_s{};  ///< z, y, x
  double speed_mm_per_s = 0, pressure_Pa = 0, temperature_K = 0;
};

/// Of all probes at one time, or of one flow.
struct probe_record {
  double multiple = 1, time_s = 0;
  std::int64_t steps = 0;
  std::vector<char> is_due;         ///< by probe: whether it tells something here
  std::vector<probe_value> values;  ///< by place, see probe_places
};

/// Records as finite numbers, for a checkpoint, and back. @param probes, places their counts
std::vector<double> numbers_of(const std::vector<probe_record>& records);
std::vector<probe_record> records_from(const std::vector<double>& numbers, std::size_t probes, std::size_t places);

/// The frequency of what swings about its mean [1/s]: the mean time between upward crossings of the mean over the second
/// half of the time, linear between the values. A crossing counts once the value has been a quarter of its standard
/// deviation below the mean and then above it, so that ripples do not. NaN: fewer than three whole swings, or swings whose
/// lengths differ from their mean by more than a tenth (standard deviation).
double frequency_of(const std::vector<double>& time_s, const std::vector<double>& values);

/// Records of the probes as lists by key: time_s and steps, or multiple, then an object for each probe; of a line one for
/// each of its points, by number from 0.
/// @param first of each probe in probe_record::values, and one more
nlohmann::ordered_json table_of(const spec& job, bool has_temperature, const std::vector<std::size_t>& first,
                                const std::vector<probe_record>& records);

/// `probes` of summary.json: by name the place, the last values and, in time, their mean (by the trapezoidal rule), lowest,
/// highest and frequency; of a line the last values and the means by point.
/// @param voxels of each probe that is a mean, else 0
nlohmann::ordered_json summary_of(const spec& job, bool has_temperature, const std::vector<std::size_t>& first,
                                  const std::vector<std::int64_t>& voxels, const std::vector<probe_record>& records);

}  // namespace osteon::physics
