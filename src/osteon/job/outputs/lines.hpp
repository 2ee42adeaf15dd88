#pragma once
/// @file
/// Streamlines of a vector field of a result, for pictures and as a file.
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/render/picture.hpp>
#include <osteon/render/rays/streamlines.hpp>
#include <string>

namespace osteon::job {

/// Lines and the range of their colours.
struct field_lines {
  std::shared_ptr<const render::streamlines> lines;
  double low = 0, high = 1;  ///< ends of the colour range: 0 and the 99th percentile of the field's magnitudes
  double longest_mm = 0;
  std::int64_t through = 0;  ///< lines that connect two ends of the domain
  double median_time_s = 0;  ///< median time along these lines, if the field is a velocity
};

inline constexpr std::int64_t most_lines = 1'000'000;
inline constexpr std::int64_t usual_lines = 300;  ///< default number of lines in the picture of a job

/// Return lines through `count` voxels. The probability of choosing a voxel is proportional to its speed.
/// @throws data_error if the field is zero everywhere @collective on where.comm
field_lines lines_along(const grid::block& where, const vector3& spacing_mm, const render::vector_values& field,
                        std::int64_t count);

/// Convert lines to tubes. @param radius_mm 0: a third of a voxel, but at least 1/650 and at most 1/200 of the domain's
/// diagonal, so that lines are visible in any picture @param map colours of the speed; empty: uniform light grey
render::tubes tubes_of(const field_lines& lines, index3 domain, const vector3& spacing_mm, double radius_mm,
                       const std::string& map);

/// Return the vector field of a file from which lines are drawn. @param wanted name of the field; empty: velocity, else
/// heat_flux_density
/// @throws usage_error that lists the available vectors
const io::field_info& find_vector(const io::field_list& list, const std::string& wanted);
/// Read the components of a field in the block. @collective local
render::vector_values read_vector(const std::string& path, const io::field_info& field, const box3& part);
/// Return true if the voxels of a file are a fluid. In this case the solid is the complement of the voxels.
bool is_fluid(const io::field_list& list);

/// Opacity of the interior of the solid in pictures with lines, relative to its surface.
inline constexpr float clear_inside = 0.03F;

/// Average a solid (1 and 0) over neighbouring voxels, so that surfaces around lines appear smooth.
/// @param solid shape of where.owned @return with a ghost layer @collective on where.comm
grid::ghosted_field<float> smooth_solid(const grid::block& where, const std::vector<float>& solid, int depth);

/// Description of lines for --json.
nlohmann::ordered_json describe(const field_lines& lines);

/// Write the lines of a results file as VTK XML PolyData, positions in mm (x, y, z), with speed and time.
/// @param field as for find_vector() @throws usage_error, data_error, machine_error
/// @return description of the output, for --json @collective on comm
nlohmann::ordered_json export_lines(MPI_Comm comm, const std::string& results, const std::string& field, std::int64_t count,
                                    const std::string& path, log_sink& log);

}  // namespace osteon::job
