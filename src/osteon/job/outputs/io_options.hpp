#pragma once
/// @file
/// File access of a job: options and measured times.
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/io/file_report.hpp>
#include <osteon/io/storage.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

io::access access_of(const spec& job);
io::storage storage_of(const spec& job);

/// Set HDF5_PLUGIN_PATH to the filters of the Python package hdf5plugin, if the package is installed and the variable is not
/// set. Call this function before the first use of HDF5. @return true if the variable is set on return @collective local
bool find_filters();
/// Call find_filters() if the job requires a filter. @collective local
void find_filters(const spec& job);

/// Report on the reading of a file. The members equal those of a report on writing. @param values number of bytes of the
/// values in the file
/// @collective on comm
io::file_report report_reading(MPI_Comm comm, const std::string& path, const io::access& access, std::int64_t values,
                               double seconds);

/// Measures the total time of file access. The clock starts with the construction.
class io_clock {
 public:
  /// Record a file, and return a message such as "wrote results.nc: 3.6 MB for 16.9 MB of values (ratio 4.7) ...".
  std::string note(const std::string& verb, const std::string& path, const io::file_report& report);
  /// Return each file, and the fraction of the time since construction that file access has taken.
  nlohmann::ordered_json to_json() const;

 private:
  double share() const;
  stopwatch since_start_;
  double seconds_ = 0;
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();
};

}  // namespace osteon::job
