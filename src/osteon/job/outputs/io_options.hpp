#pragma once
/// @file
/// How a job reads and writes its files, and what that takes.
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

/// Unless HDF5_PLUGIN_PATH is set, set it to the filters of the Python package hdf5plugin, if there is one; HDF5 looks at
/// it when it is first used. @return whether it is set now @collective local
bool find_filters();
/// The same, if the job needs one. @collective local
void find_filters(const spec& job);

/// What reading a file took, as writing reports it. @param values bytes of the values in it @collective on comm
io::file_report report_reading(MPI_Comm comm, const std::string& path, const io::access& how, std::int64_t values,
                               double seconds);

/// Adds up the time spent on files; runs from when it is made.
class io_clock {
 public:
  /// Count a file and tell about it: "wrote results.nc: 3.6 MB, 4.7 times smaller than its values, 152 MB/s ...".
  std::string note(const std::string& verb, const std::string& path, const io::file_report& report);
  /// Each file, and the share of the time since this clock was made.
  nlohmann::ordered_json to_json() const;

 private:
  double share() const;
  stopwatch since_start_;
  double seconds_ = 0;
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();
};

}  // namespace osteon::job
