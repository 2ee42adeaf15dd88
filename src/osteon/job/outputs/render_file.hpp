#pragma once
/// @file
/// Pictures of the fields of a results file, and a transfer function as a user writes it.
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
  std::string file;    ///< results.nc or model.nc
  std::string field;   ///< empty: sed, or the first cell field
  std::string map;     ///< empty: ivory of a surface, else inferno
  std::string method;  ///< volume, maximum, average, surface, lic; empty: surface of a solid that is loaded, else volume
  std::optional<double> level;      ///< of the field on a surface; absent: the solid's surface, in the field's colours
  std::optional<double> low, high;  ///< ends of the colours; absent: percentiles
  /// Where the ends of the colours come from; absent: 50 and 99.5, of a component or a mean 1 and 99. Those of a surface
  /// begin at 0 if there are values near it and none below.
  std::optional<std::array<double, 2>> percentiles;
  std::string component;               ///< of a field with several: x, y, z or xx, yy, zz, xy, yz, xz; empty: the magnitude
  std::string points;                  ///< transfer function of a volume, see parse_control_points; empty: a glow
  bool shaded = false;                 ///< light the field in a volume by its gradient
  std::optional<double> bone_opacity;  ///< of the solid around the field, absent: 0.16, on white 0.35; 0: leave it away
  /// So many lines of a vector field as tubes. If no field is asked for by its name, they have the colours.
  std::optional<std::int64_t> streamlines;
  std::string lines_of;           ///< the vector field; empty: velocity, else heat_flux_density
  std::optional<double> tube_mm;  ///< radius of the tubes; absent: a third of a voxel
  std::string cut;                ///< of method lic: an axis across the cut, or axis=mm; empty: y, in the middle
  render::camera view;
  std::int64_t width = 1024, height = 1024;
  double step_voxels = 0.5;
  bool light = false;                       ///< a light background
  std::string preset = "screen";            ///< as render::presets::background_of takes it
  std::vector<std::array<double, 4>> clip;  ///< normal x, y, z and offset in mm: cut away x nx + y ny + z nz > offset
  bool annotated = true;
  std::string title;                 ///< empty: the file's
  int orbit = 0;                     ///< frames around the z axis; 0: one picture
  std::vector<double> elevations;    ///< of a Cinema database; empty: only that of the view
  std::string compositing = "auto";  ///< as render::parse_compositing takes it
  std::string pixels;                ///< as render::parse_pixels; empty: rgba16f for an orbit, else wide
  bool fast = false;                 ///< rgba16f for one picture, too
  std::string film;                  ///< .mp4 of an orbit, by ffmpeg; empty: none
  std::string output;                ///< picture, or folder of an orbit; empty: picture.png or orbit beside the file
};

/// Make one picture (.png, or .npy: linear RGBA float, premultiplied), or an orbit: numbered frames, and data.csv, which
/// makes the folder a Cinema database (specification D).
/// @throws usage_error (unknown field or map, empty range, sizes), data_error (no or damaged file), machine_error
/// @return what was written, for --json @collective on comm
nlohmann::ordered_json render_file(MPI_Comm comm, const render_request& request, log_sink& log);

/// How the ranks join the images of a request. @param is_series its picture is one of many
/// @throws usage_error (unknown way, unknown pixels)
render::compositing compositing_of(const render_request& request, bool is_series);

/// `VALUE:OPACITY` or `VALUE:OPACITY:#RRGGBB`.
struct written_point {
  double value = 0;            ///< in the field's unit
  bool is_percentile = false;  ///< written `90%`: the value below which so many percent of the field's values lie
  float opacity = 0;           ///< of a path of a hundredth of the domain's diagonal
  std::optional<std::array<float, 3>> colour;  ///< linear; absent: the map's
};

/// Control points that are joined by commas.
/// @throws usage_error that names the point and what it should be
std::vector<written_point> parse_control_points(const std::string& text);

/// The transfer function of written points whose percentiles have become values. Between two points without a colour the map
/// is followed, else colours are mixed.
/// @param colour the map's colour of a value
/// @throws usage_error if the values do not rise
std::vector<render::control_point> transfer_of(const std::vector<written_point>& points,
                                               const std::function<std::array<float, 3>(double)>& colour);

}  // namespace osteon::job
