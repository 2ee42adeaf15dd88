#pragma once
/// @file
/// Records of the probes of a job, and results that are computed from these records.
#include <array>
#include <nlohmann/json.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Values at a point, or mean values. NaN: the value is undefined.
struct probe_value {
  std::array<double, 3> velocity_mm_per_s{};  ///< z, y, x
  double speed_mm_per_s = 0, pressure_Pa = 0, temperature_K = 0;
};

/// Values of all probes at one time, or for one flow.
struct probe_record {
  double multiple = 1, time_s = 0;
  std::int64_t steps = 0;
  std::vector<char> is_due;         ///< for each probe: true if the probe is recorded at this time
  std::vector<probe_value> values;  ///< values at each place (probe_places)
};

/// Convert records to finite numbers for a checkpoint, and convert such numbers to records. @param probes number of probes
/// @param places number of places
std::vector<double> numbers_of(const std::vector<probe_record>& records);
std::vector<probe_record> records_from(const std::vector<double>& numbers, std::size_t probes, std::size_t places);

/// Frequency of an oscillation about the mean value [1/s]. The frequency is the inverse of the mean time between upward
/// crossings of the mean value. Only the second half of the time is used. Times of crossings are interpolated linearly. A
/// crossing counts only if the value was previously below the mean by a quarter of the standard deviation. This condition
/// excludes ripples. The result is NaN for fewer than three complete periods. The result is also NaN if the standard
/// deviation of the periods exceeds a tenth of the mean period.
double frequency_of(const std::vector<double>& time_s, const std::vector<double>& values);

/// Convert the records of the probes to lists for each key. The first keys are time_s and steps, or multiple. An object for
/// each probe follows these keys. For a line, this object contains an object for each point. Points are numbered from 0.
/// @param first index of each probe in probe_record::values, followed by the number of values
nlohmann::ordered_json table_of(const spec& job, bool has_temperature, const std::vector<std::size_t>& first,
                                const std::vector<probe_record>& records);

/// Create the object `probes` of summary.json. Each probe has a location and its last values. For transient flow, each value
/// of a probe also has a mean (trapezoidal rule), a minimum, a maximum and a frequency. A line has the last values and the
/// means of each point.
/// @param voxels number of voxels of each probe with a mean; 0 for other probes
nlohmann::ordered_json summary_of(const spec& job, bool has_temperature, const std::vector<std::size_t>& first,
                                  const std::vector<std::int64_t>& voxels, const std::vector<probe_record>& records);

}  // namespace osteon::physics
