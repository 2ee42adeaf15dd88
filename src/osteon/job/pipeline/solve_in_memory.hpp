#pragma once
/// @file
/// Solution of a job on an image in memory, in the calling processes. Answers and fields also stay in memory.
#include <mpi.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

/// Reason why a job cannot be solved in memory: an input or output requires files. Empty: the job can be solved in memory.
std::string reason_for_files(const spec& job);

/// A solved job, on one or several ranks.
class solution_in_memory {
 public:
  solution_in_memory(solution_in_memory&&) noexcept;
  ~solution_in_memory();

  /// The content of summary.json without files. The same on all ranks.
  const nlohmann::ordered_json& summary() const;
  /// The fields of the job, in the order of its results file.
  const std::vector<io::field_info>& fields() const;
  /// Shape (z, y, x) of a field: the shape of the image, plus one along each axis for a node field.
  index3 shape_of(std::size_t field) const;
  /// Compute the values of a field, shape (shape_of(field), components), NaN outside the solid.
  /// @param values on rank 0; elsewhere empty @collective
  void values_of(std::size_t field, std::span<float> values) const;
  /// Shape (z, y, x) of the image.
  index3 shape() const;
  /// Material numbers of the voxels, 0 in empty voxels, shape().
  /// @param numbers on rank 0; elsewhere empty @collective
  void materials(std::span<material_number> numbers) const;
  /// Low corner [mm] and spacing [mm] of the image, in the order z, y, x.
  vector3 origin_mm() const;
  vector3 spacing_mm() const;
  /// Write results.nc, results.xdmf, summary.json and manifest.json into a folder, as `osteon run` does.
  /// @param command for the history of the file @throws machine_error @collective
  void write(const std::string& directory, const std::string& command) const;

 private:
  friend solution_in_memory solve_in_memory(MPI_Comm, spec, voxel::image_planes, log_sink&, const stop_query&);
  struct state;
  explicit solution_in_memory(std::unique_ptr<state>);
  std::unique_ptr<state> state_;
};

/// Segment the image and solve the job on it.
/// @param comm borrowed for the lifetime of the solution
/// @param image image on rank 0; ignored elsewhere. This function and write() read the data, so the data must exist until
/// the last call of write()
/// @param is_to_stop called between iterations; all ranks stop if the result is true on one rank
/// @throws usage_error, data_error, solve_error (the tolerance was missed), interrupted_error @collective on comm
/// @cost rank 0 stores the complete image and its materials
solution_in_memory solve_in_memory(MPI_Comm comm, spec job, voxel::image_planes image, log_sink& log,
                                   const stop_query& is_to_stop = {});

}  // namespace osteon::job
