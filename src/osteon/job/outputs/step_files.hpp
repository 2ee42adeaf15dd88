#pragma once
/// @file
/// Fields of a transient job, a file for each record.
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osteon::job {

/// Writes steps/step_0000.vtkhdf ... as they come. A file each, so that a crash costs no step that was written.
class step_files {
 public:
  using cell_field = std::pair<io::field_info, io::plane_source<float>>;

  /// Removes the series of an earlier job; its steps are replaced one by one. @collective on part.where.comm
  step_files(const spec& job, const local_model& part);
  /// @param record from 0 @throws as result_writer @collective
  void write(std::size_t record, double time_s, const std::vector<cell_field>& fields);
  /// Write the series of all records and tell what it took to write those of this run. @collective
  io::file_report close(std::span<const double> times_s);
  /// Of the series.
  std::string path() const;

 private:
  const spec& job_;
  const local_model& part_;
  output_paths paths_;
  io::file_report total_;
};

}  // namespace osteon::job
