#pragma once
/// @file
/// Streamlines of a vector field of a result: in pictures, and as a file.
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/render/picture.hpp>
#include <osteon/render/rays/streamlines.hpp>
#include <string>

namespace osteon::job {

/// Lines, and what their colours mean.
struct field_lines {
  std::shared_ptr<const render::streamlines> lines;
  double low = 0, high = 1;  ///< ends of the colours: 0 and the 99th percentile of the field's magnitudes
  double longest_mm = 0;
  std::int64_t through = 0;  ///< lines that lead from an end of the domain to an end
  double median_time_s = 0;  ///< that these take, if the field is a velocity
};

inline constexpr std::int64_t most_lines = 1'000'000;
inline constexpr std::int64_t usual_lines = 300;  ///< of a job's picture

/// The lines through `count` voxels, the faster the likelier.
/// @throws data_error if the field is zero everywhere @collective on where.comm
field_lines lines_along(const grid::block& where, const vector3& spacing_mm, const render::vector_values& field,
                        std::int64_t count);

/// As tubes. @param radius_mm 0: a third of a voxel, but of the domain's diagonal between 1/650 and 1/200: it is seen in any
/// picture @param map colours of the speed; empty: all alike, a light grey
render::tubes tubes_of(const field_lines& lines, index3 domain, const vector3& spacing_mm, double radius_mm,
                       const std::string& map);

/// The field whose lines are drawn: a vector of a file.
/// @param wanted its name; empty: velocity, else heat_flux_density
/// @throws usage_error that names the vectors there are
const io::field_info& find_vector(const io::field_list& list, const std::string& wanted);
/// Its components in the block. @collective local
render::vector_values read_vector(const std::string& path, const io::field_info& field, const box3& part);
/// Whether the voxels of a file are a fluid, so that the solid is what they leave.
bool is_fluid(const io::field_list& list);

/// Opacity of the solid's interior where lines are to be seen, as a share of its surface's.
inline constexpr float clear_inside = 0.03F;

/// A solid around lines: 1 and 0 are smoothed over neighbours, so that thin surfaces do not show the voxels' steps.
/// @param solid shape of where.owned @return with ghosts of a depth @collective on where.comm
grid::ghosted_field<float> smooth_solid(const grid::block& where, const std::vector<float>& solid, int depth);

/// What --json tells of lines.
nlohmann::ordered_json describe(const field_lines& lines);

/// Write the lines of a results file as VTK XML PolyData, positions in mm (x, y, z), with speed and time.
/// @param field as of find_vector() @throws usage_error, data_error, machine_error
/// @return what was written, for --json @collective on comm
nlohmann::ordered_json export_lines(MPI_Comm comm, const std::string& results, const std::string& field, std::int64_t count,
                                    const std::string& path, log_sink& log);

}  // namespace osteon::job
