#pragma once
/// @file
/// Solution of a job on an image in memory. The calling processes solve the job. The answers and the fields also remain in
/// memory.
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

/// Reason why a job cannot be solved in memory, because an input or an output requires files. If the job can be solved in
/// memory, the text is empty.
std::string reason_for_files(const spec& job);

/// A job that one or several ranks have solved.
class solution_in_memory {
 public:
  solution_in_memory(solution_in_memory&&) noexcept;
  ~solution_in_memory();

  /// The content of summary.json without the names of files. The summary is equal on all ranks.
  const nlohmann::ordered_json& summary() const;
  /// The fields of the job, in the order of its results file.
  const std::vector<io::field_info>& fields() const;
  /// Shape (z, y, x) of a field. For a cell field, the result is the shape of the image. For a node field, each size is
  /// larger by one.
  index3 shape_of(std::size_t field) const;
  /// Compute the values of a field, with shape (shape_of(field), components). Outside of the solid, the values are NaN.
  /// @param values memory for the values on rank 0; empty on other ranks @collective
  void values_of(std::size_t field, std::span<float> values) const;
  /// Shape (z, y, x) of the image.
  index3 shape() const;
  /// Material numbers of the voxels, with shape(). In empty voxels, the number is 0.
  /// @param numbers memory for the numbers on rank 0; empty on other ranks @collective
  void materials(std::span<material_number> numbers) const;
  /// Position of the low corner and spacing of the image [mm], in the order z, y, x.
  vector3 origin_mm() const;
  vector3 spacing_mm() const;
  /// Write results.nc, results.xdmf, summary.json and manifest.json into a folder. The files equal those of `osteon run`.
  /// @param command command for the history of the file @throws machine_error @collective
  void write(const std::string& directory, const std::string& command) const;

 private:
  friend solution_in_memory solve_in_memory(MPI_Comm, spec, voxel::image_planes, log_sink&, const stop_query&);
  struct state;
  explicit solution_in_memory(std::unique_ptr<state>);
  std::unique_ptr<state> state_;
};

/// Segment the image, and solve the job on the segmented image.
/// @param comm communicator; borrowed for the lifetime of the solution
/// @param image image on rank 0; ignored on other ranks. This function and write() read the data. The data must therefore
/// exist until the last call of write()
/// @param is_to_stop function that is called between iterations; if the result is true on one rank, all ranks stop
/// @throws usage_error, data_error, solve_error (the tolerance is missed), interrupted_error @collective on comm
/// @cost rank 0 stores the complete image and the material numbers
solution_in_memory solve_in_memory(MPI_Comm comm, spec job, voxel::image_planes image, log_sink& log,
                                   const stop_query& is_to_stop = {});

}  // namespace osteon::job
