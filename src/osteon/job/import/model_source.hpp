#pragma once
/// @file
/// Where the model of a job comes from: an image, or the files of another program, whose adapter (adapters/) is one of
/// these. It is all that the pipeline knows of other programs.
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

  /// Whether the job has an image that can be looked at, segmented and sampled.
  virtual bool is_image() const = 0;

  /// Make what the ranks will read, if it is not there. @return shape of the model @throws as import_model
  /// @collective local
  virtual index3 prepare(const spec& job, log_sink& log, const stop_query& is_to_stop) const = 0;

  /// Shape of the model, and `active_per_plane` where that is known without reading voxels. @collective on comm
  virtual voxel::model_header outline(MPI_Comm comm, const spec& job) const = 0;

  /// A rank's part of the model. @collective on comm
  virtual local_model read(MPI_Comm comm, const spec& job, io_clock& clock, log_sink& log) const = 0;

  /// Write the model file. @throws as import_model @collective local
  virtual imported_model make_model(const spec& job, const std::string& path, log_sink& log,
                                    const stop_query& is_to_stop) const = 0;

  /// Names of files that it adds to the results.
  virtual std::vector<std::string> further_results() const { return {}; }
};

/// That of a job. Lives as long as the job.
const model_source& source_of(const spec& job);

/// An array in the memory of rank 0, which segments it and deals out its planes; the arrays of other ranks count for
/// nothing. Its read() throws as make_scan_model, and a usage_error if the job names images. Borrows what `image` reads
/// from.
std::shared_ptr<const model_source> source_of_array(voxel::image_planes image);

}  // namespace osteon::job
