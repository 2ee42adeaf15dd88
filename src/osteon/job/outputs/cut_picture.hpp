#pragma once
/// @file
/// A cut through a vector field of a results file, drawn by line integral convolution in the colours of its magnitude.
#include <mpi.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/image_axes.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/outputs/render_file.hpp>
#include <string>

namespace osteon::job {

/// A picture of a cut. Of the request it takes file, lines_of, map, ends of the colours, size, background, title and output;
/// colours end at 0 and the 99th percentile in the cut, where the request leaves that open.
struct cut_request : render_request {
  int normal = 1;               ///< axis across the cut: 0 (z), 1 (y), 2 (x)
  std::optional<double> at_mm;  ///< from the low face; absent: the middle
};

/// What a cut is through: a vector field of a file, or one in memory.
struct cut_source {
  io::field_list list;    ///< shape, spacing, title; with a field velocity what it leaves empty is solid
  io::field_info vector;  ///< of three components
  std::optional<io::image_axes> axes{};
  /// Values in a part of the domain that is one voxel thick. @param component x, y, z as in files; -1: the magnitude
  std::function<std::vector<float>(const box3& part, int component)> read;
};

/// Draw it, of a field that is there already; request.file is not read. @throws, @return, @collective as the other one
nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, const cut_source& of, log_sink& log);

/// A layer of a vector field of a job's voxels, on all ranks. @param values shape (cells, 3), axes (z, y, x)
/// @param list what the source states of itself; its shape and spacing are those of the model
/// @param vector the field's description, one of the list @param layer along the normal of the request
/// @collective on part.where.comm
cut_source cut_source_of(const local_model& part, const cell_values& values, const io::field_list& list,
                         const io::field_info& vector, int normal, std::int64_t layer);

/// The same of velocities. @collective on part.where.comm
cut_source cut_source_of(const local_model& part, const cell_values& velocity, int normal, std::int64_t layer);

/// Draw it. The picture does not depend on the number of ranks.
/// @param request its values are checked; the file is not: call io::check_whole() first
/// @throws usage_error (no vector field, no such place, nothing flows in the cut), data_error, machine_error
/// @return what was written, for --json @collective on comm
/// @cost a rank reads the rows of the cut that its rows of the picture need
nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, log_sink& log);

/// The cut of a job: through the middle, along the axis that most of the flow takes. No file is read, as in a job over
/// several clusters each of them has a part of the results.
/// @param vectors the field, shape (cells, 3) @param written title and fields of the results
/// @return whether there is one: not if the results leave out the vectors, or nothing flows in that cut, which the log
/// states
/// @throws machine_error @collective on part.where.comm
bool draw_cut_of(const spec& job, const output_paths& paths, const local_model& part, const cell_values& vectors,
                 const io::field_list& written, log_sink& log);

}  // namespace osteon::job
