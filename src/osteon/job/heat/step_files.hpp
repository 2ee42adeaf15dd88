#pragma once
/// @file
/// A result file for each recorded step in time, and the series that ParaView opens.
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/solve/heat/heat_transient.hpp>
#include <span>
#include <vector>

namespace osteon::job {

/// Writes steps/step_0000.vtkhdf ... as they come. A file each, so that a crash costs no step that was written.
class step_files {
 public:
  /// Removes the series of an earlier job; its steps are replaced one by one. @collective on part.where.comm
  step_files(const spec& job, const local_model& part);
  /// Write the last record of `history`.
  /// @param temperature_K per active cell @throws as result_writer @collective
  void write(std::span<const solve::heat_record> history, const std::vector<double>& temperature_K);
  /// Write the series of all records and tell what it took to write those of this run. @collective
  io::file_report close(std::span<const solve::heat_record> history);
  /// Of the series.
  std::string path() const;

 private:
  const spec& job_;
  const local_model& part_;
  output_paths paths_;
  io::file_report total_;
};

}  // namespace osteon::job
