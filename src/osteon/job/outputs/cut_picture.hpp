#pragma once
/// @file
/// A cut through a vector field of a results file, drawn by line integral convolution and coloured by magnitude.
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

/// A request for a picture of a cut. The picture uses only file, lines_of, map, colour range, size, background, title and
/// output of the request. The default colour range is from 0 to the 99th percentile in the cut.
struct cut_request : render_request {
  int normal = 1;               ///< axis normal to the cut: 0 (z), 1 (y), 2 (x)
  std::optional<double> at_mm;  ///< distance from the low face; absent: the middle
};

/// Source of a cut: a vector field in a file or in memory.
struct cut_source {
  io::field_list list;    ///< shape, spacing, title; if the list has a field velocity, voxels without velocity are solid
  io::field_info vector;  ///< a field of three components
  std::optional<io::image_axes> axes{};
  /// Return the values in a layer of the domain with a thickness of one voxel. @param component x, y, z as in files; -1: the
  /// magnitude
  std::function<std::vector<float>(const box3& part, int component)> read;
};

/// Draw a cut of a field in memory; request.file is not read. @throws, @return, @collective as the overload below
nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, const cut_source& of, log_sink& log);

/// A layer of a vector field of a job's voxels, on all ranks. @param values shape (cells, 3), axes (z, y, x)
/// @param list metadata of the source; shape and spacing are equal to the model
/// @param vector description of the field, an element of the list @param layer index of the layer along the normal of the
/// request
/// @collective on part.where.comm
cut_source cut_source_of(const local_model& part, const cell_values& values, const io::field_list& list,
                         const io::field_info& vector, int normal, std::int64_t layer);

/// A layer of the velocities. @collective on part.where.comm
cut_source cut_source_of(const local_model& part, const cell_values& velocity, int normal, std::int64_t layer);

/// Draw a cut of a file. The picture is independent of the number of ranks.
/// @param request the values of the request are checked; call io::check_whole() first to check the file
/// @throws usage_error (no vector field, no such position, zero field in the cut), data_error, machine_error
/// @return description of the output, for --json @collective on comm
/// @cost each rank reads the rows of the cut that its rows of the picture require
nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, log_sink& log);

/// Draw the cut of a job: through the middle, along the axis of the largest flow. The function reads no file, because each
/// cluster of a job on several clusters has only a part of the results.
/// @param vectors the field, shape (cells, 3) @param written title and fields of the results
/// @return false, with the reason in the log, if the results omit the vectors or the field is zero in the cut
/// @throws machine_error @collective on part.where.comm
bool draw_cut_of(const spec& job, const output_paths& paths, const local_model& part, const cell_values& vectors,
                 const io::field_list& written, log_sink& log);

}  // namespace osteon::job
