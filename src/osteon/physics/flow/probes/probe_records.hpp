#pragma once
/// @file
/// Probe records of a job, and results derived from these records.
#include <array>
#include <nlohmann/json.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Values of a point or a mean; NaN: undefined.
struct probe_value {
  std::array<double, 3> velocity_mm_per_s{};  ///< z, y, x
  double speed_mm_per_s = 0, pressure_Pa = 0, temperature_K = 0;
};

/// Values of all probes at one time, or for one flow.
struct probe_record {
  double multiple = 1, time_s = 0;
  std::int64_t steps = 0;
  std::vector<char> is_due;         ///< by probe: true if it is recorded at this time
  std::vector<probe_value> values;  ///< by place, see probe_places
};

/// Convert records to finite numbers for a checkpoint, and back. @param probes, places their counts
std::vector<double> numbers_of(const std::vector<probe_record>& records);
std::vector<probe_record> records_from(const std::vector<double>& numbers, std::size_t probes, std::size_t places);

/// Frequency of an oscillation about its mean [1/s]: from the mean time between upward crossings of the mean in the second
/// half of the time, with linear interpolation. A crossing counts after the value has been a quarter of its standard
/// deviation below the mean and then above it, so that ripples are ignored. NaN: fewer than three complete periods, or
/// periods whose standard deviation exceeds a tenth of their mean.
double frequency_of(const std::vector<double>& time_s, const std::vector<double>& values);

/// Records of the probes as lists by key: time_s and steps, or multiple, then an object for each probe; for a line an object
/// for each of its points, numbered from 0.
/// @param first index of each probe in probe_record::values, and one past the end
nlohmann::ordered_json table_of(const spec& job, bool has_temperature, const std::vector<std::size_t>& first,
                                const std::vector<probe_record>& records);

/// `probes` of summary.json: by name the location, the last values and, for transient flow, their mean (trapezoidal rule),
/// minimum, maximum and frequency; for a line the last values and the means by point.
/// @param voxels number for each probe that is a mean, else 0
nlohmann::ordered_json summary_of(const spec& job, bool has_temperature, const std::vector<std::size_t>& first,
                                  const std::vector<std::int64_t>& voxels, const std::vector<probe_record>& records);

}  // namespace osteon::physics
