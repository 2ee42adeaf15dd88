#pragma once
/// @file
/// Source of the model of a job: an image, or files of another program that an adapter reads (adapters/). The pipeline
/// accesses files of other programs only through this interface.
#include <mpi.h>

#include <memory>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/voxel/image_planes.hpp>

namespace osteon::job {

class model_source {
 public:
  virtual ~model_source() = default;

  /// Return true if the job has an image that can be inspected, segmented and sampled.
  virtual bool is_image() const = 0;

  /// Prepare the input of the ranks if it is missing. @return shape of the model @throws as import_model
  /// @collective local
  virtual index3 prepare(const spec& job, log_sink& log, const stop_query& is_to_stop) const = 0;

  /// Shape of the model, and `active_per_plane` if it is known without reading voxels. @collective on comm
  virtual voxel::model_header outline(MPI_Comm comm, const spec& job) const = 0;

  /// Read the part of the model of this rank. @collective on comm
  virtual local_model read(MPI_Comm comm, const spec& job, io_clock& clock, log_sink& log) const = 0;

  /// Write the model file. @throws as import_model @collective local
  virtual imported_model make_model(const spec& job, const std::string& path, log_sink& log,
                                    const stop_query& is_to_stop) const = 0;

  /// Names of the files that this source adds to the results.
  virtual std::vector<std::string> further_results() const { return {}; }
};

/// The source of a job, with the lifetime of the job.
const model_source& source_of(const spec& job);

/// Return the source of an array in the memory of rank 0. Rank 0 segments the array and distributes the planes; arrays of
/// other ranks are ignored. read() of the source throws the exceptions of make_scan_model, and a usage_error if the job
/// names images. The source borrows the data that `image` reads.
std::shared_ptr<const model_source> source_of_array(voxel::image_planes image);

}  // namespace osteon::job
