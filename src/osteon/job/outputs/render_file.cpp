#include <osteon/job/outputs/render_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <common/suggest.hpp>
#include <filesystem>
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/percentile.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/check_whole.hpp>
#include <osteon/io/files/image_axes.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/io/files/result_parts.hpp>
#include <osteon/job/outputs/cut_picture.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/even_boxes.hpp>
#include <osteon/job/outputs/film.hpp>
#include <osteon/job/outputs/lines.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/render/scene/colour_map.hpp>
#include <osteon/render/scene/presets.hpp>
#include <vector>

namespace osteon::job {

using json = nlohmann::ordered_json;

namespace {

constexpr std::int64_t largest_picture = 16384;
constexpr int most_frames = 10000;

const io::field_info& find_field(const io::field_list& list, const std::string& wanted) {
  std::vector<std::string> names;
  for (const io::field_info& f : list.fields) {
    if (f.name == wanted) return f;
    names.push_back(f.name);
  }
  if (wanted.empty()) {
    for (const char* usual : {"sed", "heat_flux_density", "temperature"})
      for (const io::field_info& f : list.fields)
        if (f.name == usual) return f;
    for (const io::field_info& f : list.fields)
      if (f.name != "material") return f;
    return list.fields.front();
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  throw usage_error(fmt::format("unknown field '{}'{} fields of the file: {}", wanted,
                                did_you_mean(wanted, names).empty() ? ";" : did_you_mean(wanted, names), all));
}

const std::vector<std::string>& components_of(const io::field_info& field) {
  static const std::vector<std::string> none, vector{"x", "y", "z"}, tensor{"xx", "yy", "zz", "xy", "yz", "xz"};
  return field.components == 3 ? vector : field.components == 6 ? tensor : none;
}

// The index of a component. If the request contains no component, the result is -1 for the magnitude.
int find_component(const io::field_info& field, const std::string& wanted) {
  if (wanted.empty()) return -1;
  const auto& names = components_of(field);
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end())
    throw usage_error(fmt::format(
        "--component {}: the field '{}' has {}", wanted, field.name,
        names.empty() ? "one value per voxel; omit the option" : fmt::format("the components {}", fmt::join(names, ", "))));
  return static_cast<int>(found - names.begin());
}

// The colours of a magnitude begin at the median. Components have both signs, and mean projections have values in the middle
// of the range.
std::array<double, 2> percentiles_of(const render_request& r) {
  const bool all_count = !r.component.empty() || r.method == "average" || r.method == "surface";
  return r.percentiles.value_or(all_count ? std::array{1.0, 99.0} : std::array{50.0, 99.5});
}

void check_compositing(const render_request& r, std::vector<std::string>& faults) {
  try {
    const kernel::colour_format pixels = compositing_of(r, r.orbit > 0).pixels;
    const auto name = kernel::name_of({pixels});
    if (pixels != kernel::colour_format::wide && r.output.ends_with(".npy"))
      faults.push_back(fmt::format(
          "--output: .npy requires exact pixels, but {} pixels are rounded; omit --fast and --pixels, or write .png", name));
    if (r.fast && !r.pixels.empty()) faults.push_back("--fast and --pixels both set the pixel format; give one of them");
  } catch (const usage_error& e) {
    faults.push_back(e.what());
  }
  const bool composites = r.method == "volume" || r.method == "surface";
  if (!composites && (r.fast || !r.pixels.empty() || r.compositing != "auto"))
    faults.push_back(fmt::format("--fast, --pixels and --compositing require --method volume or surface, not {}", r.method));
}

void check_lines(const render_request& r, std::vector<std::string>& faults) {
  if (r.streamlines && (*r.streamlines < 1 || *r.streamlines > most_lines))
    faults.push_back(fmt::format("--streamlines {}: the number must be in [1, {}]", *r.streamlines, most_lines));
  if (r.streamlines && r.method != "volume" && r.method != "surface")
    faults.push_back(
        fmt::format("--streamlines requires --method volume or surface; a {} along a ray has no depth", r.method));
  if (r.tube_mm && !(*r.tube_mm > 0 && std::isfinite(*r.tube_mm)))
    faults.push_back(fmt::format("--tube {}: the radius in mm must be positive", *r.tube_mm));
  if (r.tube_mm && !r.streamlines) faults.push_back("--tube requires --streamlines");
  if (!r.lines_of.empty() && !r.streamlines && r.method != "lic")
    faults.push_back("--lines-of requires --streamlines or --method lic");
}

// A cut has a fixed view and a fixed field. Options that change the view or the field are not allowed.
void check_cut(const render_request& r, std::vector<std::string>& faults) {
  if (r.method != "lic") {
    if (!r.cut.empty()) faults.push_back("--cut requires --method lic; use --clip for other methods");
    return;
  }
  for (const auto& [name, given] : {std::pair{"--field", !r.field.empty()},
                                    {"--component", !r.component.empty()},
                                    {"--percentiles", r.percentiles.has_value()},
                                    {"--clip", !r.clip.empty()},
                                    {"--eye", r.view.eye_mm.has_value()},
                                    {"--look-at", r.view.look_at_mm.has_value()},
                                    {"--orbit", r.orbit > 0}})
    if (given) faults.push_back(fmt::format("{} does not apply to --method lic; remove the option", name));
  if (r.output.ends_with(".npy")) faults.push_back("--output: --method lic writes .png");
}

cut_request cut_of(const render_request& r) {
  const auto equals = r.cut.find('=');
  const std::string axis = r.cut.empty() ? "y" : r.cut.substr(0, equals);
  const std::size_t normal = std::string("zyx").find(axis);
  const auto wrong = [&] {
    return usage_error(
        fmt::format("--cut {}: must be an axis (x, y or z), or an axis and a position in mm, e.g. y=1.5", r.cut));
  };
  if (axis.size() != 1 || normal == std::string::npos) throw wrong();
  cut_request result{r, static_cast<int>(normal), {}};
  if (equals != std::string::npos) {
    const std::string number = r.cut.substr(equals + 1);
    double at = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), at);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(at)) throw wrong();
    result.at_mm = at;
  }
  if (r.output.empty()) result.output = (std::filesystem::path(r.file).parent_path() / "cut.png").string();
  return result;
}

void check(const render_request& r) {
  std::vector<std::string> faults;
  if (!r.points.empty() && r.method != "volume") faults.push_back("--points requires --method volume");
  if (r.shaded && r.method != "volume") faults.push_back("--shade requires --method volume; surfaces are always shaded");
  if (r.view.eye_mm && r.orbit > 0) faults.push_back("--eye cannot be combined with --orbit; omit --eye, or give --look-at");
  for (const auto& [name, size] : {std::pair{"width", r.width}, std::pair{"height", r.height}})
    if (size < 1 || size > largest_picture)
      faults.push_back(fmt::format("--{} {}: must be in [1, {}] pixels", name, size, largest_picture));
  if (const auto p = percentiles_of(r); !(p[0] >= 0 && p[0] < p[1] && p[1] <= 100))
    faults.push_back(fmt::format("--percentiles {} {}: must be two increasing numbers in [0, 100]", p[0], p[1]));
  if (r.low && r.high && !(*r.low < *r.high))
    faults.push_back(fmt::format("--range {} {}: LOW must be less than HIGH", *r.low, *r.high));
  if (const double solid = r.bone_opacity.value_or(0); !(solid >= 0 && solid <= 1))
    faults.push_back(fmt::format("--solid {}: must be in [0, 1]", solid));
  if (r.light && r.preset != "screen") faults.push_back("--light and --preset both set the background; give one of them");
  if (r.level && r.method != "surface") faults.push_back("--level requires --method surface");
  if (r.level && !std::isfinite(*r.level)) faults.push_back(fmt::format("--level {}: must be finite", *r.level));
  if (r.method == "surface" && r.step_voxels > 1)
    faults.push_back(fmt::format("--step {}: must be at most 1 for a surface", r.step_voxels));
  if (r.orbit < 0 || r.orbit > most_frames)
    faults.push_back(fmt::format("--orbit {}: must be in [1, {}] frames", r.orbit, most_frames));
  if (!r.elevations.empty() && r.orbit == 0) faults.push_back("--elevations requires --orbit");
  if (!r.film.empty() && r.orbit == 0) faults.push_back("--film requires --orbit");
  if (!r.film.empty() && !r.film.ends_with(".mp4"))
    faults.push_back(fmt::format("--film {}: the file name must end in .mp4", r.film));
  if (r.output.ends_with(".npy") && r.orbit > 0) faults.push_back("--output: an orbit is a folder of PNG files, not .npy");
  if (r.orbit == 0 && !r.output.empty() && !r.output.ends_with(".png") && !r.output.ends_with(".npy"))
    faults.push_back(fmt::format("--output {}: the file name must end in .png or .npy", r.output));
  check_lines(r, faults);
  check_cut(r, faults);
  check_compositing(r, faults);
  if (faults.empty()) return;
  std::string text = "cannot draw the picture:";
  for (const std::string& f : faults) text += "\n  " + f;
  throw usage_error(text);
}

// Return the colour map of the job's picture. The summary next to a results file contains this map. The result is empty
// without a summary, and for the default maps of surfaces and volumes.
std::optional<std::string> map_of_job(const std::string& results) {
  const auto summary = json_from_file<json>((std::filesystem::path(results).parent_path() / "summary.json").string());
  if (!summary.is_object() || !summary.contains("shown") || !summary["shown"].is_object()) return {};
  const json& map = summary["shown"].contains("colour_map") ? summary["shown"]["colour_map"] : json();
  if (!map.is_string() || map == "ivory" || map == "inferno") return {};
  try {
    render::colour_map(map.get<std::string>());
  } catch (const usage_error&) {  // the summary is from another version
    return {};
  }
  return map.get<std::string>();
}

// Set the omitted values of a request from the content of the file.
render_request completed(render_request r, const io::field_list& list) {
  const bool of_volume = !r.points.empty() || r.shaded || r.bone_opacity || r.streamlines;
  const bool is_loaded =
      std::any_of(list.fields.begin(), list.fields.end(), [](const auto& f) { return f.name.starts_with("displacement"); });
  if (r.method.empty()) r.method = r.level || (is_loaded && !is_fluid(list) && !of_volume) ? "surface" : "volume";
  if (r.map.empty()) r.map = map_of_job(r.file).value_or(r.method == "surface" ? "ivory" : "inferno");
  return r;
}

// Make a film of the first `count` frames in a folder. @return false without ffmpeg
bool make_film(const std::filesystem::path& frames, int count, const std::string& path, log_sink& log) {
  const std::string pictures = (frames / "frame_%04d.png").string();
  const program_result done = encode_film({"-framerate", "24", "-i", pictures, "-frames:v", std::to_string(count)}, path);
  if (done.exit_code == 127) {
    log.warn(fmt::format(
        "no film: ffmpeg is not installed; after its installation, run: ffmpeg -framerate 24 -i '{}' -pix_fmt yuv420p '{}'",
        pictures, path));
    return false;
  }
  if (done.exit_code != 0) throw machine_error(fmt::format("ffmpeg failed to write '{}': {}", path, done.err));
  log.note(path);
  return true;
}

// Read the values of a field and the solid in a block. @collective local
void read_fields(const render_request& r, const io::field_list& list, const io::field_info& field, const box3& part,
                 shown_fields& to) {
  to.values = io::read_field(r.file, field, part, find_component(field, r.component));
  // In a flow with heat, the solid also has a material and a temperature. The fluid is therefore the set of voxels with a
  // velocity.
  const bool has_fluid = is_fluid(list);
  const io::field_info phase{has_fluid ? "velocity" : "material", "", "", io::centring::cell, has_fluid ? 3 : 1};
  const bool has_phase =
      std::any_of(list.fields.begin(), list.fields.end(), [&](const auto& f) { return f.name == phase.name; });
  to.solid = has_phase ? io::read_field(r.file, phase, part, has_fluid ? 0 : -1) : to.values;
  for (float& v : to.solid) v = (v == v) != has_fluid ? 1.0F : 0.0F;
}

// The ends of the colour range. @param value_at function that returns a percentile of the values @collective
std::array<double, 2> range_of(const render_request& r, const shown_fields& shown,
                               const std::function<double(double percent)>& value_at,
                               const std::optional<field_lines>& lines) {
  const std::array<double, 2> percent = percentiles_of(r);
  std::array<double, 2> range{value_at(percent[0]), value_at(percent[1])};
  if (shown.lines_have_colours && !r.percentiles) range = {lines->low, lines->high};
  // In a component, low values are as important as high values.
  if (r.method == "surface" && r.component.empty() && !r.percentiles && !shown.lines_have_colours) {
    const double least = value_at(0);
    if (least >= 0 && least < 0.2 * range[1]) range[0] = 0;
  }
  return {r.low.value_or(range[0]), r.high.value_or(range[1])};
}

// Draw frames around the z axis, and write the table of the frames. @return number of frames @collective
int draw_orbit(MPI_Comm comm, const render_request& r, const std::filesystem::path& target, picture_scene& picture,
               const std::function<void(const std::string& path)>& draw) {
  comm::collectively(comm, [&] {
    std::error_code failed;
    if (comm::rank(comm) == 0) std::filesystem::create_directories(target, failed);
    if (failed) throw machine_error(fmt::format("cannot create the folder '{}': {}", target.string(), failed.message()));
  });
  const auto elevations = r.elevations.empty() ? std::vector<double>{r.view.elevation_deg} : r.elevations;
  std::string table = "phi,theta,FILE\n";
  int number = 0;
  for (const double elevation : elevations)
    for (int i = 0; i < r.orbit; ++i) {
      render::camera& view = picture.scene.view;
      view.elevation_deg = elevation;
      view.azimuth_deg = r.view.azimuth_deg + 360.0 * i / r.orbit;
      const std::string name = fmt::format("frame_{:04}.png", number++);
      draw((target / name).string());
      table += fmt::format("{:g},{:g},{}\n", view.azimuth_deg, elevation, name);
    }
  comm::collectively(comm, [&] {
    if (comm::rank(comm) == 0) write_file((target / "data.csv").string(), table);
  });
  return number;
}

}  // namespace

render::compositing compositing_of(const render_request& r, bool is_series) {
  const bool half = r.fast || is_series;
  render::compositing options = render::parse_compositing(r.compositing, !r.pixels.empty() ? render::parse_pixels(r.pixels)
                                                                         : half            ? kernel::colour_format::rgba16f
                                                                                           : kernel::colour_format::wide);
  options.series = is_series;
  return options;
}

json render_file(MPI_Comm comm, const render_request& as_given, log_sink& log) {
  render_request request = as_given;
  io::field_list list;
  std::optional<cut_request> cut;
  std::vector<std::string> files;
  shown_fields shown;
  const stopwatch reading;
  comm::collectively(comm, [&] {
    if (!request.method.empty()) check(request);
    shown.points = parse_control_points(request.points);
    if (!request.map.empty()) render::colour_map(request.map);
    if (!io::results_exist(request.file)) throw data_error(fmt::format("cannot read '{}': no such file", request.file));
    files = io::results_files(request.file);
  });
  for (const std::string& file : files)
    if (const std::string warning = io::check_whole(comm, file, "file"); !warning.empty()) log.warn(warning);
  comm::collectively(comm, [&] {
    list = io::list_fields(request.file);
    shown.words.axes = io::axes_in_file(request.file);
    request = completed(std::move(request), list);
    check(request);
    if (request.method == "lic") cut = cut_of(request);
  });
  if (cut) return draw_cut(comm, *cut, log);

  io::field_info field, vector;
  grid::block where;
  std::optional<field_lines> lines;
  shown.spacing_mm = list.spacing_mm;
  shown.lines_have_colours = request.streamlines && request.field.empty();
  comm::collectively(comm, [&] {
    if (request.streamlines) vector = find_vector(list, request.lines_of);
    field = shown.lines_have_colours ? vector : find_field(list, request.field);
    where = grid::make_block(comm, even_boxes(list.shape, comm::size(comm)));
    read_fields(request, list, field, where.owned, shown);
  });
  const auto value_at = [&](double percent) {
    return comm::percentile(comm, shown.values, percent / 100, [](float v) { return std::isfinite(v); });
  };
  if (request.streamlines) {
    render::vector_values values;
    comm::collectively(comm, [&] { values = read_vector(request.file, vector, where.owned); });
    lines = lines_along(where, list.spacing_mm, values, *request.streamlines);
    log.note(fmt::format("{} lines of {}, up to {:.3g} mm long", lines->lines->count(), vector.name, lines->longest_mm));
  }
  const auto [low, high] = range_of(request, shown, value_at, lines);
  shown.low = low;
  shown.high = high;
  for (written_point& p : shown.points)
    if (p.is_percentile) p.value = value_at(p.value);
  const std::array<double, 2> extremes{value_at(0), value_at(100)};
  comm::collectively(comm, [&] {
    if (request.level && !(*request.level >= extremes[0] && *request.level <= extremes[1]))
      throw usage_error(fmt::format("--level {}: must be in the range of '{}', {} to {}", *request.level, field.name,
                                    extremes[0], extremes[1]));
    if (!(shown.low < shown.high))
      throw usage_error(
          fmt::format("the colour range of '{}' is empty ({} to {}); give --range LOW HIGH, or other --percentiles",
                      field.name, shown.low, shown.high));
    if (lines) {
      lines->low = shown.low;
      lines->high = shown.high;
      shown.lines = tubes_of(*lines, list.shape, list.spacing_mm, request.tube_mm.value_or(0),
                             shown.lines_have_colours ? request.map : "");
    }
    name_field(shown.words, field, shown.lines_have_colours);
    shown.words.title = request.title;
    shown.words.job = list.title.substr(0, list.title.rfind(": "));
    shown.words.results = request.file;
    shown.words.component = request.component;
    if (!shown.lines_have_colours) shown.words.largest = extremes[1];
  });
  const bool has_glow_colours = shown.lines_have_colours;
  picture_scene picture(where, request, std::move(shown), request.orbit > 0);
  if (request.title.empty()) picture.notes.title = list.title;
  if (has_glow_colours) {
    picture.notes.first = render::presets::glow_first;
    picture.notes.last = render::presets::glow_last;
  }
  log.note(fmt::format("read {} of {}: {:.2f} s", field.name, request.file, reading.seconds()));

  json answer = {{"schema", "osteon.render/1"}, {"field", field.name}, {"component", request.component},
                 {"units", field.units},        {"low", low},          {"high", high},
                 {"ranks", comm::size(comm)},   {"compositing", ""},   {"pictures", json::array()}};
  if (lines) {
    answer["streamlines"] = describe(*lines);
    answer["streamlines"]["field"] = vector.name;
  }
  const auto draw = [&](const std::string& path) {
    const stopwatch watch;
    picture_scene::drawn done = picture.draw(path, log);
    if (answer["compositing"] != done.composited) {
      if (!done.composited.empty()) log.note("compositing: " + done.composited);
      answer["compositing"] = done.composited;
    }
    comm::all_reduce(comm, &done.joining.seconds, 1, MPI_MAX);
    comm::all_reduce(comm, &done.joining.cpu_seconds, 1, MPI_SUM);
    answer["pictures"].push_back({{"file", path},
                                  {"azimuth_deg", picture.scene.view.azimuth_deg},
                                  {"elevation_deg", picture.scene.view.elevation_deg},
                                  {"seconds", watch.seconds()},
                                  {"joining_seconds", done.joining.seconds},
                                  {"joining_cpu_seconds", done.joining.cpu_seconds}});
    log.note(fmt::format("{}: {:.2f} s", path, watch.seconds()));
  };
  const std::filesystem::path usual =
      std::filesystem::path(request.file).parent_path() / (field.name + (request.orbit > 0 ? ".cdb" : ".png"));
  const std::string target = request.output.empty() ? usual.string() : request.output;
  if (request.orbit == 0) {
    draw(target);
    return answer;
  }
  const int frames = draw_orbit(comm, request, target, picture, draw);
  answer["database"] = target;
  if (!request.film.empty())
    comm::collectively(comm, [&] {
      if (comm::rank(comm) == 0 && make_film(target, frames, request.film, log)) answer["film"] = request.film;
    });
  return answer;
}

}  // namespace osteon::job
