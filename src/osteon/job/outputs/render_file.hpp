#pragma once
/// @file
/// Pictures of the fields of a results file, and parsing of transfer functions.
#include <mpi.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/render/picture.hpp>
#include <osteon/render/rays/streamlines.hpp>
#include <string>
#include <vector>

namespace osteon::job {

struct render_request {
  std::string file;             ///< results.nc or model.nc
  std::string field;            ///< empty: sed, or the first cell field
  std::string map;              ///< empty: ivory for a surface, else inferno
  std::string method;           ///< volume, maximum, average, surface, lic; empty: surface for a loaded solid, else volume
  std::optional<double> level;  ///< isovalue of a surface; absent: the surface of the solid, coloured by the field
  std::optional<double> low, high;  ///< ends of the colour range; absent: percentiles
  /// Percentiles at the ends of the colour range; absent: 50 and 99.5, or 1 and 99 for a component or a mean. The range of a
  /// surface begins at 0 if there are values near 0 and no negative values.
  std::optional<std::array<double, 2>> percentiles;
  std::string component;               ///< component of a vector or tensor: x, y, z or xx, yy, zz, xy, yz, xz; empty: the
                                       ///< magnitude
  std::string points;                  ///< transfer function of a volume, see parse_control_points; empty: emission
  bool shaded = false;                 ///< light the field in a volume by its gradient
  std::optional<double> bone_opacity;  ///< opacity of the solid around the field; absent: 0.16, or 0.35 on white; 0: omit
                                       ///< the solid
  /// Number of lines of a vector field, drawn as tubes. The tubes are coloured unless the request names a field.
  std::optional<std::int64_t> streamlines;
  std::string lines_of;           ///< the vector field; empty: velocity, else heat_flux_density
  std::optional<double> tube_mm;  ///< radius of the tubes; absent: a third of a voxel
  std::string cut;                ///< cut of method lic: an axis normal to the cut, or axis=mm; empty: y, in the middle
  render::camera view;
  std::int64_t width = 1024, height = 1024;
  double step_voxels = 0.5;
  bool light = false;                       ///< a light background
  std::string preset = "screen";            ///< name of a background, see render::presets::background_of
  std::vector<std::array<double, 4>> clip;  ///< normal (x, y, z), offset in mm; removes x nx + y ny + z nz > offset
  bool annotated = true;
  std::string title;                 ///< empty: title of the file
  int orbit = 0;                     ///< frames around the z axis; 0: one picture
  std::vector<double> elevations;    ///< elevations of a Cinema database; empty: only the elevation of the view
  std::string compositing = "auto";  ///< see render::parse_compositing
  std::string pixels;                ///< see render::parse_pixels; empty: rgba16f for an orbit, else wide
  bool fast = false;                 ///< use rgba16f also for a single picture
  std::string film;                  ///< .mp4 of an orbit, by ffmpeg; empty: none
  std::string output;                ///< picture, or folder of an orbit; empty: picture.png or orbit next to the file
};

/// Make one picture (.png, or .npy: linear RGBA float, premultiplied), or an orbit. An orbit consists of numbered frames and
/// data.csv, and its folder is a Cinema database (specification D).
/// @throws usage_error (unknown field or map, empty range, sizes), data_error (no or damaged file), machine_error
/// @return description of the output, for --json @collective on comm
nlohmann::ordered_json render_file(MPI_Comm comm, const render_request& request, log_sink& log);

/// Compositing options of a request. @param is_series the picture is part of a series
/// @throws usage_error (unknown method, unknown pixels)
render::compositing compositing_of(const render_request& request, bool is_series);

/// A control point `VALUE:OPACITY` or `VALUE:OPACITY:#RRGGBB`.
struct written_point {
  double value = 0;                            ///< value in the field's unit
  bool is_percentile = false;                  ///< written `90%`: the value of this percentile of the field
  float opacity = 0;                           ///< opacity of a path as long as a hundredth of the domain's diagonal
  std::optional<std::array<float, 3>> colour;  ///< linear; absent: from the map
};

/// Parse control points separated by commas.
/// @throws usage_error that states the point and the expected form
std::vector<written_point> parse_control_points(const std::string& text);

/// The transfer function of control points whose percentiles have been replaced by values. Between two points without a
/// colour, colours follow the map; otherwise they are interpolated.
/// @param colour the map's colour of a value
/// @throws usage_error if the values do not increase
std::vector<render::control_point> transfer_of(const std::vector<written_point>& points,
                                               const std::function<std::array<float, 3>(double)>& colour);

}  // namespace osteon::job
