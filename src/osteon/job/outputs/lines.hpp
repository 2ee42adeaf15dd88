#pragma once
/// @file
/// Streamlines of a vector field of a result. The lines are drawn in pictures or written to a file.
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
  double low = 0, high = 1;  ///< ends of the colour range; default: 0 and the 99th percentile of the magnitude of the field
  double longest_mm = 0;
  std::int64_t through = 0;  ///< number of lines that connect two ends of the domain
  double median_time_s = 0;  ///< median time along these lines if the field is a velocity
};

inline constexpr std::int64_t most_lines = 1'000'000;
inline constexpr std::int64_t usual_lines = 300;  ///< default number of lines in the picture of a job

/// Return the lines through `count` voxels. The probability of a voxel is proportional to the speed in the voxel.
/// @throws data_error if the field is zero in all voxels @collective on where.comm
field_lines lines_along(const grid::block& where, const vector3& spacing_mm, const render::vector_values& field,
                        std::int64_t count);

/// Convert lines to tubes. @param radius_mm 0: a third of a voxel, but at least 1/650 and at most 1/200 of the diagonal of
/// the domain. Lines are then visible in any picture. @param map colours of the speed; empty: uniform light grey
render::tubes tubes_of(const field_lines& lines, index3 domain, const vector3& spacing_mm, double radius_mm,
                       const std::string& map);

/// Return the vector field of a file for lines. @param wanted name of the field; empty: velocity, or heat_flux_density if
/// there is no velocity
/// @throws usage_error that lists the available vector fields
const io::field_info& find_vector(const io::field_list& list, const std::string& wanted);
/// Read the components of a field in the block. @collective local
render::vector_values read_vector(const std::string& path, const io::field_info& field, const box3& part);
/// Return true if the voxels of a file are a fluid. In this case, the solid is the complement of the voxels.
bool is_fluid(const io::field_list& list);

/// Opacity of the interior of the solid in pictures with lines, relative to the opacity of the surface.
inline constexpr float clear_inside = 0.03F;

/// Average a solid (1 and 0) over neighbouring voxels. Surfaces around lines then appear smooth.
/// @param solid shape of where.owned @return field with a ghost layer @collective on where.comm
grid::ghosted_field<float> smooth_solid(const grid::block& where, const std::vector<float>& solid, int depth);

/// Description of lines for --json.
nlohmann::ordered_json describe(const field_lines& lines);

/// Write the lines of a results file as VTK XML PolyData. Positions are in mm (x, y, z); each vertex has a speed and a time.
/// @param field name as in find_vector() @throws usage_error, data_error, machine_error
/// @return description of the output for --json @collective on comm
nlohmann::ordered_json export_lines(MPI_Comm comm, const std::string& results, const std::string& field, std::int64_t count,
                                    const std::string& path, log_sink& log);

}  // namespace osteon::job
