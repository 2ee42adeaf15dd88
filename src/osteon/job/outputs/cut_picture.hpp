#pragma once
/// @file
/// A cut through a vector field of a results file. Line integral convolution draws the cut, and colours represent the
/// magnitude.
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

/// A request for a picture of a cut. The picture uses only the file, lines_of, map, colour range, size, background, title
/// and output of the request. By default, the colour range ends at 0 and at the 99th percentile of the magnitude in the cut.
struct cut_request : render_request {
  int normal = 1;               ///< axis normal to the cut: 0 (z), 1 (y), 2 (x)
  std::optional<double> at_mm;  ///< distance between the cut and the low face; absent: the cut is in the middle
};

/// Source of a cut: a vector field in a file or in memory.
struct cut_source {
  /// shape, spacing and title; if the list contains the field velocity, voxels without a velocity are solid
  io::field_list list;
  io::field_info vector;  ///< a field of three components
  std::optional<io::image_axes> axes{};
  /// Return the values in a layer of the domain. The layer has a thickness of one voxel. @param component x, y or z as in
  /// files; -1: the magnitude
  std::function<std::vector<float>(const box3& part, int component)> read;
};

/// Draw a cut of a field in memory. The function does not read request.file. @throws, @return, @collective see the overload
/// below
nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, const cut_source& of, log_sink& log);

/// A layer of a vector field in the voxels of a job, on all ranks. @param values components (z, y, x), shape (cells, 3)
/// @param list metadata of the source, with the shape and the spacing of the model
/// @param vector description of the field; an element of the list @param layer index of the layer along the normal of the
/// request
/// @collective on part.where.comm
cut_source cut_source_of(const local_model& part, const cell_values& values, const io::field_list& list,
                         const io::field_info& vector, int normal, std::int64_t layer);

/// A layer of the velocity. @collective on part.where.comm
cut_source cut_source_of(const local_model& part, const cell_values& velocity, int normal, std::int64_t layer);

/// Draw a cut of a field in a file. The picture is independent of the number of ranks.
/// @param request request; the function checks its values, but the caller must check the file with io::check_whole()
/// @throws usage_error (no vector field, position outside of the image, or zero field in the cut), data_error, machine_error
/// @return description of the output for --json @collective on comm
/// @cost each rank reads those rows of the cut that its rows of the picture need
nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, log_sink& log);

/// Draw the cut of a job. The cut is in the middle, along the axis with the largest flow. The function reads no file,
/// because in a job on several clusters, each cluster has only a part of the results.
/// @param vectors components of the field, shape (cells, 3) @param written title and fields of the results
/// @return false if the results do not contain the vectors, or if the field is zero in the cut; the log contains the reason
/// @throws machine_error @collective on part.where.comm
bool draw_cut_of(const spec& job, const output_paths& paths, const local_model& part, const cell_values& vectors,
                 const io::field_list& written, log_sink& log);

}  // namespace osteon::job
