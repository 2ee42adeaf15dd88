#pragma once
/// @file
/// A result file for each recorded step in time, and the series that ParaView opens.
#include <osteon/job/compute.hpp>
#include <osteon/job/physics.hpp>
#include <utility>
#include <vector>

namespace osteon::job {

/// The series file of a job's steps.
std::string step_series(const output_paths& paths);

/// Writes steps/step_0000.vtkhdf ... as they come. A file each, so that a crash costs no step that was written.
class step_files {
 public:
  /// Removes the series of an earlier job; its steps are replaced one by one. @collective on part.where.comm
  step_files(const spec& job, const specimen& part);
  /// @param temperature_K per active cell @throws as result_writer @collective
  void write(double time_s, const std::vector<double>& temperature_K);
  /// Write the series and tell what all of it took. @collective
  io::file_report close();

 private:
  const spec& job_;
  const specimen& part_;
  output_paths paths_;
  std::vector<std::pair<std::string, double>> steps_;  ///< file, relative to the series, and time
  io::file_report total_;
};

}  // namespace osteon::job
