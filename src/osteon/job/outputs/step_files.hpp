#pragma once
/// @file
/// Fields of a transient job. Each record is a file.
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osteon::job {

/// Writes the files steps/step_0000.vtkhdf, steps/step_0001.vtkhdf, ... during the run. With separate files, a crash does
/// not damage earlier steps.
class step_files {
 public:
  using cell_field = std::pair<io::field_info, io::plane_source<float>>;

  /// Removes the series file of an earlier job. write() replaces the files of single steps. @collective on part.where.comm
  step_files(const spec& job, const local_model& part);
  /// @param record number of the record, from 0 @throws errors of result_writer @collective
  void write(std::size_t record, double time_s, const std::vector<cell_field>& fields);
  /// Write the series file with all records, and return the report of the files that this run has written. @collective
  io::file_report close(std::span<const double> times_s);
  /// Path of the series file.
  std::string path() const;

 private:
  const spec& job_;
  const local_model& part_;
  output_paths paths_;
  io::file_report total_;
};

}  // namespace osteon::job
