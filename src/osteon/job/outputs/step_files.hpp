#pragma once
/// @file
/// Fields of a transient job, one file per record.
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osteon::job {

/// Writes steps/step_0000.vtkhdf ... during the run. Separate files protect written steps from a crash.
class step_files {
 public:
  using cell_field = std::pair<io::field_info, io::plane_source<float>>;

  /// Removes the series of an earlier job. write() replaces the step files individually. @collective on part.where.comm
  step_files(const spec& job, const local_model& part);
  /// @param record from 0 @throws as result_writer @collective
  void write(std::size_t record, double time_s, const std::vector<cell_field>& fields);
  /// Write the series of all records and return the report of the files written in this run. @collective
  io::file_report close(std::span<const double> times_s);
  /// Path of the series.
  std::string path() const;

 private:
  const spec& job_;
  const local_model& part_;
  output_paths paths_;
  io::file_report total_;
};

}  // namespace osteon::job
