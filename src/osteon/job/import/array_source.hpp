#pragma once
/// @file
/// The model of a job whose image is an array in the memory of one process: nothing is read or written.
#include <osteon/job/import/model_source.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <string>

namespace osteon::job {

class array_source final : public model_source {
 public:
  /// Borrows what `image` reads from, as long as this lives.
  explicit array_source(voxel::image_planes image) : image_(std::move(image)) {}

  bool is_image() const override { return true; }
  /// There is nothing to prepare. @return shape of the array
  index3 prepare(const spec& job, log_sink& log, const stop_query& is_to_stop) const override;
  voxel::model_header outline(MPI_Comm comm, const spec& job) const override;
  /// Segment the array, on rank 0, and deal out its planes; the arrays of other ranks count for nothing.
  /// @throws as make_scan_model; usage_error if the job names images @collective on comm
  local_model read(MPI_Comm comm, const spec& job, io_clock& clock, log_sink& log) const override;
  /// Write the model of the array as a file.
  imported_model make_model(const spec& job, const std::string& path, log_sink& log,
                            const stop_query& is_to_stop) const override;

 private:
  voxel::image_planes image_;
};

}  // namespace osteon::job
