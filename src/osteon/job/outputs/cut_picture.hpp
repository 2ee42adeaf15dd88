#pragma once
/// @file
/// A cut through a vector field of a results file, drawn by line integral convolution in the colours of its magnitude.
#include <mpi.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <string>

namespace osteon::job {

struct cut_request {
  std::string file;             ///< results.nc
  std::string vector;           ///< empty: velocity, else heat_flux_density
  int normal = 1;               ///< axis across the cut: 0 (z), 1 (y), 2 (x)
  std::optional<double> at_mm;  ///< from the low face; absent: the middle
  std::string map = "inferno";
  std::optional<double> low, high;  ///< ends of the colours; absent: 0 and the 99th percentile in the cut
  int width = 1024, height = 1024;  ///< the picture gets the specimen's proportions within them
  bool light = false;               ///< a light background
  bool annotated = true;
  std::string title;   ///< empty: the file's
  std::string output;  ///< .png
};

/// What a cut is through: a vector field of a file, or one in memory.
struct cut_source {
  io::field_list list;    ///< shape, spacing, title; with a field velocity what it leaves empty is solid
  io::field_info vector;  ///< of three components
  /// Values in a part of the domain that is one voxel thick. @param component x, y, z as in files; -1: the magnitude
  std::function<std::vector<float>(const box3& part, int component)> read;
};

/// Draw it, of a field that is there already; request.file is not read. @throws, @return, @collective as the other one
nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, const cut_source& of, log_sink& log);

/// A layer of the velocities of a job's voxels, on all ranks. @param velocity shape (cells, 3)
/// @param layer along the normal of the request @collective on part.where.comm
cut_source cut_source_of(const local_model& part, const cell_values& velocity, int normal, std::int64_t layer);

/// Draw it. The picture does not depend on the number of ranks.
/// @param request its values are checked; the file is not: call io::check_whole() first
/// @throws usage_error (no vector field, no such place, nothing flows in the cut), data_error, machine_error
/// @return what was written, for --json @collective on comm
/// @cost a rank reads the rows of the cut that its rows of the picture need
nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, log_sink& log);

/// The cut of a job whose results are written: through the middle, along the axis that most of the flow takes.
/// @return whether there is one: not if the results leave out the vectors, or nothing flows in that cut, which is told
/// @throws data_error, machine_error @collective on comm
bool draw_cut_of(const spec& job, const output_paths& paths, MPI_Comm comm, log_sink& log);

}  // namespace osteon::job
