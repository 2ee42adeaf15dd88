#pragma once
/// @file
/// A job on an image in memory, in the calling processes: its answers and fields stay in memory, too.
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

/// Why a job cannot be solved in memory: what it asks for lies in files, or is written to some. Empty: it can.
std::string why_not_in_memory(const spec& job);

/// A job that has been solved, on one rank or several.
class solution_in_memory {
 public:
  solution_in_memory(solution_in_memory&&) noexcept;
  ~solution_in_memory();

  /// As summary.json has it, without files. The same on all ranks.
  const nlohmann::ordered_json& summary() const;
  /// The fields of the job, in the order of its results file.
  const std::vector<io::field_info>& fields() const;
  /// Shape (z, y, x) of a field: that of the image, and one more along each axis for a field on nodes.
  index3 shape_of(std::size_t field) const;
  /// Make the values of a field, shape (shape_of(field), components), NaN where there is no solid.
  /// @param values on rank 0; elsewhere empty @collective
  void values_of(std::size_t field, std::span<float> values) const;
  /// Shape (z, y, x) of the image.
  index3 shape() const;
  /// The numbers of the voxels' materials, 0 where there is none, shape().
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
/// @param comm borrowed as long as the solution lives
/// @param image that of rank 0 counts; read while this runs, and when the solution is written: what it reads from is
/// borrowed until then
/// @param is_to_stop asked between the iterations; all ranks stop if one is asked to
/// @throws usage_error, data_error, solve_error (the tolerance was missed), interrupted_error @collective on comm
/// @cost rank 0 has the image and its materials whole
solution_in_memory solve_in_memory(MPI_Comm comm, spec job, voxel::image_planes image, log_sink& log,
                                   const stop_query& is_to_stop = {});

}  // namespace osteon::job
