#pragma once
/// @file
/// Pictures of the fields in a results file, and parsing of transfer functions.
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
  std::string file;   ///< path of results.nc or model.nc
  std::string field;  ///< empty: sed; without sed, the first cell field
  std::string map;    ///< empty: ivory for a surface, inferno for other methods
  /// volume, maximum, average, surface or lic; empty: surface for a loaded solid, otherwise volume
  std::string method;
  std::optional<double> level;      ///< isovalue of a surface; absent: the surface of the solid in the colours of the field
  std::optional<double> low, high;  ///< ends of the colour range; absent: percentiles
  /// Percentiles at the ends of the colour range. By default, the percentiles are 50 and 99.5. For a component or a mean,
  /// the percentiles are 1 and 99. If a surface has values near 0 and no negative values, its range begins at 0.
  std::optional<std::array<double, 2>> percentiles;
  /// component of a vector (x, y, z) or of a tensor (xx, yy, zz, xy, yz, xz); empty: the magnitude
  std::string component;
  /// transfer function of a volume in the syntax of parse_control_points; empty: the field emits light
  std::string points;
  bool shaded = false;  ///< true: the gradient of the field lights a volume
  /// opacity of the solid around the field; absent: 0.16, or 0.35 on white; 0: the solid is omitted
  std::optional<double> bone_opacity;
  /// Number of lines of a vector field. Lines are drawn as tubes. The tubes have colours, unless the request contains the
  /// name of a field.
  std::optional<std::int64_t> streamlines;
  std::string lines_of;           ///< the vector field; empty: velocity, or heat_flux_density if there is no velocity
  std::optional<double> tube_mm;  ///< radius of the tubes; absent: a third of a voxel
  std::string cut;                ///< cut of the method lic: the axis normal to the cut, or axis=mm; empty: y, in the middle
  render::camera view;
  std::int64_t width = 1024, height = 1024;
  double step_voxels = 0.5;
  bool light = false;             ///< true: a light background
  std::string preset = "screen";  ///< name of a background (render::presets::background_of)
  /// normal (x, y, z) and offset in mm; points with x nx + y ny + z nz > offset are removed
  std::vector<std::array<double, 4>> clip;
  bool annotated = true;
  std::string title;                 ///< empty: title of the file
  int orbit = 0;                     ///< number of frames around the z axis; 0: a single picture
  std::vector<double> elevations;    ///< elevations of a Cinema database in degrees; empty: only the elevation of the view
  std::string compositing = "auto";  ///< text in the syntax of render::parse_compositing
  /// text in the syntax of render::parse_pixels; empty: rgba16f for an orbit, wide for a single picture
  std::string pixels;
  bool fast = false;  ///< true: use rgba16f also for a single picture
  std::string film;   ///< .mp4 file of an orbit, encoded by ffmpeg; empty: no film
  /// picture, or folder of an orbit; empty: picture.png or the folder orbit in the folder of the file
  std::string output;
};

/// Make one picture, or an orbit. The format of a picture is .png, or .npy (linear premultiplied RGBA in float). An orbit
/// consists of numbered frames and data.csv. The folder of an orbit is a Cinema database (specification D).
/// @throws usage_error (unknown field or map, empty range, invalid sizes), data_error (missing or damaged file),
/// machine_error
/// @return description of the output for --json @collective on comm
nlohmann::ordered_json render_file(MPI_Comm comm, const render_request& request, log_sink& log);

/// Compositing options of a request. @param is_series true if the picture is part of a series
/// @throws usage_error (unknown method or unknown pixels)
render::compositing compositing_of(const render_request& request, bool is_series);

/// A control point `VALUE:OPACITY` or `VALUE:OPACITY:#RRGGBB`.
struct written_point {
  double value = 0;            ///< value in the unit of the field
  bool is_percentile = false;  ///< true for a value like `90%`, which means the 90th percentile of the field
  /// opacity of a path whose length is a hundredth of the diagonal of the domain
  float opacity = 0;
  std::optional<std::array<float, 3>> colour;  ///< linear colour; absent: the map defines the colour
};

/// Parse control points separated by commas.
/// @throws usage_error that contains the point and the expected form
std::vector<written_point> parse_control_points(const std::string& text);

/// The transfer function of control points. In these points, values have replaced percentiles. Between two points without a
/// colour, the map defines the colours. Between other points, colours are interpolated.
/// @param colour function that returns the colour of a value in the map
/// @throws usage_error if the values do not increase
std::vector<render::control_point> transfer_of(const std::vector<written_point>& points,
                                               const std::function<std::array<float, 3>(double)>& colour);

}  // namespace osteon::job
