#include <osteon/job/outputs/render_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <common/suggest.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/percentile.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/check_whole.hpp>
#include <osteon/io/files/image_axes.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/io/files/result_parts.hpp>
#include <osteon/io/npy.hpp>
#include <osteon/job/outputs/cut_picture.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/even_boxes.hpp>
#include <osteon/job/outputs/lines.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/render/rays/smooth_mask.hpp>
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
  throw usage_error(fmt::format("there is no field '{}'{} The file has: {}", wanted,
                                did_you_mean(wanted, names).empty() ? ";" : did_you_mean(wanted, names), all));
}

const std::vector<std::string>& components_of(const io::field_info& field) {
  static const std::vector<std::string> none, vector{"x", "y", "z"}, tensor{"xx", "yy", "zz", "xy", "yz", "xz"};
  return field.components == 3 ? vector : field.components == 6 ? tensor : none;
}

// The number of a component; -1, the magnitude, where none is named.
int find_component(const io::field_info& field, const std::string& wanted) {
  if (wanted.empty()) return -1;
  const auto& names = components_of(field);
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end())
    throw usage_error(fmt::format(
        "--component {}: the field '{}' has {}", wanted, field.name,
        names.empty() ? "one value a voxel; leave it out" : fmt::format("the components {}", fmt::join(names, ", "))));
  return static_cast<int>(found - names.begin());
}

// Of a magnitude only large values are worth a colour; a component has both signs, and means lie in the middle.
std::array<double, 2> percentiles_of(const render_request& r) {
  const bool all_count = !r.component.empty() || r.method == "average" || r.method == "surface";
  return r.percentiles.value_or(all_count ? std::array{1.0, 99.0} : std::array{50.0, 99.5});
}

render::compositing compositing_of(const render_request& r) {
  const bool half = r.fast || r.orbit > 0;
  render::compositing how = render::parse_compositing(r.compositing, !r.pixels.empty() ? render::parse_pixels(r.pixels)
                                                                     : half            ? kernel::colour_format::rgba16f
                                                                                       : kernel::colour_format::wide);
  how.series = r.orbit > 0;
  return how;
}

void check_compositing(const render_request& r, std::vector<std::string>& faults) {
  try {
    const kernel::colour_format pixels = compositing_of(r).pixels;
    const auto name = kernel::name_of({pixels});
    if (pixels != kernel::colour_format::wide && r.output.ends_with(".npy"))
      faults.push_back(
          fmt::format("--output: .npy holds the exact picture, and pixels of {} are rounded: leave out --fast and "
                      "--pixels, or write .png",
                      name));
    if (r.fast && !r.pixels.empty()) faults.push_back("--fast and --pixels both say in which pixels: give one of them");
  } catch (const usage_error& e) {
    faults.push_back(e.what());
  }
  const bool composites = r.method == "volume" || r.method == "surface";
  if (!composites && (r.fast || !r.pixels.empty() || r.compositing != "auto"))
    faults.push_back(
        fmt::format("--fast, --pixels and --compositing need --method volume or surface: of a {} the ranks' "
                    "numbers are joined, not images",
                    r.method));
}

void check_lines(const render_request& r, std::vector<std::string>& faults) {
  if (r.streamlines && (*r.streamlines < 1 || *r.streamlines > most_lines))
    faults.push_back(fmt::format("--streamlines {}: give 1 to {} lines", *r.streamlines, most_lines));
  if (r.streamlines && r.method != "volume" && r.method != "surface")
    faults.push_back(fmt::format(
        "--streamlines needs --method volume or surface: a {} along a ray has no depth that a line could lie in", r.method));
  if (r.tube_mm && !(*r.tube_mm > 0 && std::isfinite(*r.tube_mm)))
    faults.push_back(fmt::format("--tube {}: give the radius of the lines in mm, above 0", *r.tube_mm));
  if (r.tube_mm && !r.streamlines) faults.push_back("--tube needs --streamlines");
  if (!r.lines_of.empty() && !r.streamlines && r.method != "lic")
    faults.push_back("--lines-of needs --streamlines or --method lic");
}

// A cut is seen from straight above and shows the lines of its field in the colours of its magnitude.
void check_cut(const render_request& r, std::vector<std::string>& faults) {
  if (r.method != "lic") {
    if (!r.cut.empty()) faults.push_back("--cut needs --method lic: other methods cut by --clip");
    return;
  }
  for (const auto& [name, given] : {std::pair{"--field", !r.field.empty()},
                                    {"--component", !r.component.empty()},
                                    {"--percentiles", r.percentiles.has_value()},
                                    {"--clip", !r.clip.empty()},
                                    {"--eye", r.view.eye_mm.has_value()},
                                    {"--look-at", r.view.look_at_mm.has_value()},
                                    {"--orbit", r.orbit > 0}})
    if (given) faults.push_back(fmt::format("{} says nothing of a cut: leave it out of --method lic", name));
  if (r.output.ends_with(".npy")) faults.push_back("--output: --method lic writes .png");
}

cut_request cut_of(const render_request& r) {
  const auto equals = r.cut.find('=');
  const std::string axis = r.cut.empty() ? "y" : r.cut.substr(0, equals);
  const std::size_t normal = std::string("zyx").find(axis);
  const auto wrong = [&] {
    return usage_error(
        fmt::format("--cut {}: give the axis across the cut, x, y or z, or that and a place in mm, as y=1.5", r.cut));
  };
  if (axis.size() != 1 || normal == std::string::npos) throw wrong();
  cut_request result;
  result.file = r.file;
  result.vector = r.lines_of;
  result.normal = static_cast<int>(normal);
  if (equals != std::string::npos) {
    const std::string number = r.cut.substr(equals + 1);
    double at = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), at);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(at)) throw wrong();
    result.at_mm = at;
  }
  result.map = r.map;
  result.low = r.low;
  result.high = r.high;
  result.width = static_cast<int>(r.width);
  result.height = static_cast<int>(r.height);
  result.light = r.light;
  result.annotated = r.annotated;
  result.title = r.title;
  result.output = r.output.empty() ? (std::filesystem::path(r.file).parent_path() / "cut.png").string() : r.output;
  return result;
}

void check(const render_request& r) {
  std::vector<std::string> faults;
  if (!r.points.empty() && r.method != "volume") faults.push_back("--points needs --method volume");
  if (r.shaded && r.method != "volume") faults.push_back("--shade needs --method volume: a surface is lit anyway");
  if (r.view.eye_mm && r.orbit > 0) faults.push_back("--eye is one place: leave it out of an --orbit, or give --look-at");
  for (const auto& [name, size] : {std::pair{"width", r.width}, std::pair{"height", r.height}})
    if (size < 1 || size > largest_picture)
      faults.push_back(fmt::format("--{} {}: give 1 to {} pixels", name, size, largest_picture));
  if (const auto p = percentiles_of(r); !(p[0] >= 0 && p[0] < p[1] && p[1] <= 100))
    faults.push_back(fmt::format("--percentiles {} {}: give two rising numbers in [0, 100]", p[0], p[1]));
  if (r.low && r.high && !(*r.low < *r.high)) faults.push_back(fmt::format("--range {} {}: it must rise", *r.low, *r.high));
  if (const double solid = r.bone_opacity.value_or(0); !(solid >= 0 && solid <= 1))
    faults.push_back(fmt::format("--solid {}: give 0 to 1", solid));
  if (r.light && r.preset != "screen") faults.push_back("--light and --preset both say on what: give one of them");
  if (r.level && r.method != "surface") faults.push_back("--level needs --method surface");
  if (r.level && !std::isfinite(*r.level)) faults.push_back(fmt::format("--level {}: give a finite number", *r.level));
  if (r.method == "surface" && r.step_voxels > 1)
    faults.push_back(fmt::format("--step {}: for a surface it is at most 1", r.step_voxels));
  if (r.orbit < 0 || r.orbit > most_frames)
    faults.push_back(fmt::format("--orbit {}: give 1 to {} frames", r.orbit, most_frames));
  if (!r.elevations.empty() && r.orbit == 0) faults.push_back("--elevations needs --orbit");
  if (!r.film.empty() && r.orbit == 0) faults.push_back("--film needs --orbit");
  if (!r.film.empty() && !r.film.ends_with(".mp4")) faults.push_back(fmt::format("--film {}: end it in .mp4", r.film));
  if (r.output.ends_with(".npy") && r.orbit > 0) faults.push_back("--output: an orbit is a folder of PNG pictures");
  if (r.orbit == 0 && !r.output.empty() && !r.output.ends_with(".png") && !r.output.ends_with(".npy"))
    faults.push_back(fmt::format("--output {}: end it in .png or .npy", r.output));
  check_lines(r, faults);
  check_cut(r, faults);
  check_compositing(r, faults);
  if (faults.empty()) return;
  std::string text = "the picture cannot be made:";
  for (const std::string& f : faults) text += "\n  " + f;
  throw usage_error(text);
}

// The map that the job of a results file names for its picture; none without a summary beside the file. The usual maps of
// surfaces and volumes are no choice of the job.
std::optional<std::string> map_of_job(const std::string& results) {
  std::ifstream file(std::filesystem::path(results).parent_path() / "summary.json");
  const json summary = json::parse(file, nullptr, false);
  if (!summary.is_object() || !summary.contains("shown") || !summary["shown"].is_object()) return {};
  const json& map = summary["shown"].contains("colour_map") ? summary["shown"]["colour_map"] : json();
  if (!map.is_string() || map == "ivory" || map == "inferno") return {};
  try {
    render::colour_map(map.get<std::string>());
  } catch (const usage_error&) {  // a summary of another version
    return {};
  }
  return map.get<std::string>();
}

// What a request leaves open, from what the file holds.
render_request completed(render_request r, const io::field_list& list) {
  const bool of_volume = !r.points.empty() || r.shaded || r.bone_opacity || r.streamlines;
  const bool is_loaded =
      std::any_of(list.fields.begin(), list.fields.end(), [](const auto& f) { return f.name.starts_with("displacement"); });
  if (r.method.empty()) r.method = r.level || (is_loaded && !is_fluid(list) && !of_volume) ? "surface" : "volume";
  if (r.map.empty()) r.map = map_of_job(r.file).value_or(r.method == "surface" ? "ivory" : "inferno");
  return r;
}

// A map's colours of the values from `low` to `high`.
std::function<std::array<float, 3>(double)> map_of(double low, double high, const std::string& map) {
  return [low, high, &colours = render::colour_map(map)](double value) {
    return colours[static_cast<std::size_t>(std::clamp((value - low) / (high - low) * 255 + 0.5, 0.0, 255.0))];
  };
}

render::layer map_layer(const grid::ghosted_field<float>& field, double low, double high, const std::string& map) {
  render::layer result{&field, {}, false, 1};
  const auto& colours = render::colour_map(map);
  for (std::size_t i = 0; i < colours.size(); ++i)
    result.transfer.push_back({low + (high - low) * static_cast<double>(i) / 255, colours[i], 1});
  return result;
}

// A film of the first `count` frames in a folder. @return false without ffmpeg
bool make_film(const std::filesystem::path& frames, int count, const std::string& path, log_sink& log) {
  const std::string pictures = (frames / "frame_%04d.png").string();
  // The common pixel format of films has half as many colours a row and column: sizes must be even.
  const auto done =
      run_program({"ffmpeg", "-nostdin", "-y", "-loglevel", "error", "-framerate", "24", "-i", pictures, "-vf",
                   "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-frames:v", std::to_string(count), path});
  if (done.exit_code == 127) {
    log.warn(fmt::format("no film: ffmpeg is not installed; later: ffmpeg -framerate 24 -i '{}' -pix_fmt yuv420p '{}'",
                         pictures, path));
    return false;
  }
  if (done.exit_code != 0) throw machine_error(fmt::format("ffmpeg could not make the film '{}': {}", path, done.err));
  log.note(path);
  return true;
}

}  // namespace

json render_file(MPI_Comm comm, const render_request& as_given, log_sink& log) {
  render_request request = as_given;
  io::field_list list;
  io::field_info field, vector;
  const bool lines_have_colours = request.streamlines && request.field.empty();
  grid::block where;
  std::vector<float> own, solid;
  std::optional<io::image_axes> axes;
  std::vector<written_point> points;
  std::vector<std::string> files;
  const stopwatch reading;
  comm::collectively(comm, [&] {
    if (!request.method.empty()) check(request);
    points = parse_control_points(request.points);
    if (!request.map.empty()) render::colour_map(request.map);
    if (!io::results_exist(request.file))
      throw data_error(fmt::format("cannot read '{}': there is no such file", request.file));
    files = io::files_of_results(request.file);
  });
  for (const std::string& file : files)
    if (const std::string warning = io::check_whole(comm, file, "file"); !warning.empty()) log.warn(warning);
  comm::collectively(comm, [&] {
    list = io::list_fields(request.file);
    axes = io::axes_in_file(request.file);
    request = completed(std::move(request), list);
    check(request);
  });
  if (request.method == "lic") {
    cut_request cut;
    comm::collectively(comm, [&] { cut = cut_of(request); });
    return draw_cut(comm, cut, log);
  }
  comm::collectively(comm, [&] {
    if (request.streamlines) vector = find_vector(list, request.lines_of);
    field = lines_have_colours ? vector : find_field(list, request.field);
    where = grid::make_block(comm, even_boxes(list.shape, comm::size(comm)));
    own = io::read_field(request.file, field, where.owned, find_component(field, request.component));
    // Of a flow with heat the solid has a material and a temperature, too: what the fluid fills is where it has a velocity.
    const std::string tells = is_fluid(list) ? "velocity" : "material";
    const bool is_told = std::any_of(list.fields.begin(), list.fields.end(), [&](const auto& f) { return f.name == tells; });
    const io::field_info what{tells, "", "", io::centring::cell, is_fluid(list) ? 3 : 1};
    solid = is_told ? io::read_field(request.file, what, where.owned, is_fluid(list) ? 0 : -1) : own;
    for (float& v : solid) v = (v == v) != is_fluid(list) ? 1.0F : 0.0F;
  });
  const auto value_at = [&](double percent) {
    const double fraction = percent / 100;
    return static_cast<double>(comm::percentiles(comm, own, std::span(&fraction, 1), 1, [&](std::size_t i) {
                                 return std::isfinite(own[i]) ? std::size_t{0} : comm::no_group;
                               }).front());
  };
  const std::array<double, 2> percent = percentiles_of(request);
  std::array<double, 2> range{value_at(percent[0]), value_at(percent[1])};
  field_lines lines;
  if (request.streamlines) {
    render::vector_values values;
    comm::collectively(comm, [&] { values = read_vector(request.file, vector, where.owned); });
    lines = lines_along(where, list.spacing_mm, values, *request.streamlines);
    log.note(fmt::format("{} lines of {}, up to {:.3g} mm long", lines.lines->count(), vector.name, lines.longest_mm));
    if (lines_have_colours && !request.percentiles) range = {lines.low, lines.high};
  }
  const bool whole_map = !request.component.empty();  // low values are as much worth as high ones
  if (request.method == "surface" && !whole_map && !request.percentiles && !lines_have_colours) {
    const double least = value_at(0);
    if (least >= 0 && least < 0.2 * range[1]) range[0] = 0;
  }
  if (request.low) range[0] = *request.low;
  if (request.high) range[1] = *request.high;
  lines.low = range[0];
  lines.high = range[1];
  for (written_point& p : points)
    if (p.is_percentile) p.value = value_at(p.value);
  const std::array<double, 2> extremes{value_at(0), value_at(100)};
  comm::collectively(comm, [&] {
    if (request.level && !(*request.level >= extremes[0] && *request.level <= extremes[1]))
      throw usage_error(fmt::format("--level {}: the values of '{}' reach from {} to {}; give one between them",
                                    *request.level, field.name, extremes[0], extremes[1]));
    if (!(range[0] < range[1]))
      throw usage_error(
          fmt::format("the colours of '{}' would range from {} to {}; give --range LOW HIGH, or other --percentiles",
                      field.name, range[0], range[1]));
  });
  const int depth = render::ghost_depth(request.step_voxels);
  const auto glow = grid::with_ghost_cells(where, own, depth);
  const auto bone = request.method == "surface" && !request.level      ? render::smooth_mask(where, solid, depth)
                    : lines_have_colours && request.method == "volume" ? smooth_solid(where, solid, depth)
                                                                       : grid::with_ghost_cells(where, solid, depth);
  log.note(fmt::format("read {} of {}: {:.2f} s", field.name, request.file, reading.seconds()));

  render::scene scene;
  scene.spacing_mm = list.spacing_mm;
  scene.width = static_cast<int>(request.width);
  scene.height = static_cast<int>(request.height);
  scene.view = request.view;
  scene.view.is_left_handed = io::is_left_handed(axes);
  scene.step_voxels = request.step_voxels;
  scene.join = compositing_of(request);
  scene.background = request.light ? render::presets::light_background : render::presets::background_of(request.preset);
  for (const auto& c : request.clip) scene.clip.push_back({{c[2], c[1], c[0]}, c[3]});
  render::annotations notes;
  notes.title = request.title.empty() ? list.title : request.title;
  notes.map = request.map;
  notes.low = range[0];
  notes.high = range[1];
  notes.quantity = (lines_have_colours && field.name == "velocity" ? "speed" : field.name) +
                   (request.component.empty() ? "" : " " + request.component) +
                   (field.units.empty() || field.units == "1" ? "" : " [" + field.units + "]");
  comm::collectively(comm, [&] {
    if (request.method == "volume") {
      const double opacity = request.bone_opacity.value_or(request.preset == "paper" ? 0.35 : 0.16);
      if (opacity > 0)
        scene.layers.push_back(
            render::presets::bone_layer(bone, 0, 0.5, 1, static_cast<float>(opacity),
                                        lines_have_colours ? clear_inside : render::presets::usual_inside));
      if (lines_have_colours && points.empty()) {
        if (scene.layers.empty()) scene.layers.push_back(render::presets::bone_layer(bone, 0, 0.5, 1, 0));
      } else if (points.empty()) {
        scene.layers.push_back(render::presets::glow_layer(glow, range[0], range[1], request.map));
        notes.first = render::presets::glow_first;
        notes.last = render::presets::glow_last;
      } else {
        scene.layers.push_back({&glow, transfer_of(points, map_of(range[0], range[1], request.map)), false, 1});
        if (std::any_of(points.begin(), points.end(), [](const written_point& p) { return p.colour.has_value(); })) {
          notes.transfer = scene.layers.back().transfer;
          notes.low = points.front().value;
          notes.high = points.back().value;
        }
      }
      if (request.shaded) scene.layers.back().shaded = true;
    } else if (request.method == "surface") {
      scene.how = render::method::surface;
      scene.level = request.level.value_or(0.5);
      scene.shades_itself = true;
      scene.smooth_edges = request.orbit == 0 && !request.fast;
      const auto colours = whole_map ? map_layer(glow, range[0], range[1], request.map)
                                     : render::presets::surface_layer(glow, range[0], range[1], request.map);
      scene.layers = {colours, colours};
      if (lines_have_colours) scene.layers.back().transfer = {{0, render::presets::bone_colour, 1}};
      if (!request.level) scene.layers.front().field = &bone;
      if (!whole_map) {
        notes.first = render::presets::part_for_surface(request.map)[0];
        notes.last = render::presets::part_for_surface(request.map)[1];
      }
    } else {
      scene.how = request.method == "maximum" ? render::method::maximum : render::method::average;
      scene.layers = {map_layer(glow, range[0], range[1], request.map)};
    }
    if (request.streamlines) {
      scene.lines =
          tubes_of(lines, list.shape, list.spacing_mm, request.tube_mm.value_or(0), lines_have_colours ? request.map : "");
      if (lines_have_colours) notes.first = render::presets::glow_first, notes.last = render::presets::glow_last;
    }
  });

  const bool is_speed = lines_have_colours && field.name == "velocity";
  const picture_words words{request.title,
                            list.title.substr(0, list.title.rfind(": ")),
                            request.file,
                            is_speed ? "speed" : field.name,
                            is_speed ? "speed" : field.long_name,
                            request.component,
                            field.units,
                            lines_have_colours ? std::nullopt : std::optional(extremes[1]),
                            axes};
  json answer = {{"schema", "osteon.render/1"}, {"field", field.name}, {"component", request.component},
                 {"units", field.units},        {"low", range[0]},     {"high", range[1]},
                 {"ranks", comm::size(comm)},   {"compositing", ""},   {"pictures", json::array()}};
  if (request.streamlines) {
    answer["streamlines"] = describe(lines);
    answer["streamlines"]["field"] = vector.name;
  }
  const std::filesystem::path folder = std::filesystem::path(request.file).parent_path();
  render::prepared kept(where, scene);  // the frames of an orbit differ in nothing but the view
  const auto draw = [&](const std::string& path) {
    const stopwatch watch;
    render::join_time joining;
    std::string composited;
    if (path.ends_with(".npy")) {
      const render::image picture = render::render(where, scene, kept);
      joining = picture.joining;
      composited = picture.composited;
      comm::collectively(comm, [&] {
        if (comm::rank(comm) != 0) return;
        voxel::image array{
            {picture.height, picture.width, 4}, voxel::scalar::f4, std::vector<std::byte>(picture.rgba.size() * 4)};
        std::memcpy(array.bytes.data(), picture.rgba.data(), array.bytes.size());
        io::write_npy(path, array);
      });
    } else {
      const drawn done = request.annotated ? draw_labelled(where, scene, kept, notes, words, path, log)
                                           : draw_png(where, scene, kept, nullptr, path);
      joining = done.joining;
      composited = done.composited;
    }
    if (answer["compositing"] != composited) {
      if (!composited.empty()) log.note("compositing: " + composited);
      answer["compositing"] = composited;
    }
    comm::all_reduce(comm, &joining.seconds, 1, MPI_MAX);
    comm::all_reduce(comm, &joining.cpu_seconds, 1, MPI_SUM);
    answer["pictures"].push_back({{"file", path},
                                  {"azimuth_deg", scene.view.azimuth_deg},
                                  {"elevation_deg", scene.view.elevation_deg},
                                  {"seconds", watch.seconds()},
                                  {"joining_seconds", joining.seconds},
                                  {"joining_cpu_seconds", joining.cpu_seconds}});
    log.note(fmt::format("{}: {:.2f} s", path, watch.seconds()));
  };
  if (request.orbit == 0) {
    draw(request.output.empty() ? (folder / (field.name + ".png")).string() : request.output);
    return answer;
  }
  const std::filesystem::path target =
      request.output.empty() ? folder / (field.name + ".cdb") : std::filesystem::path(request.output);
  comm::collectively(comm, [&] {
    std::error_code failed;
    if (comm::rank(comm) == 0) std::filesystem::create_directories(target, failed);
    if (failed) throw machine_error(fmt::format("cannot make the folder '{}': {}", target.string(), failed.message()));
  });
  const auto elevations = request.elevations.empty() ? std::vector<double>{request.view.elevation_deg} : request.elevations;
  std::string table = "phi,theta,FILE\n";
  int number = 0;
  for (const double elevation : elevations)
    for (int i = 0; i < request.orbit; ++i) {
      scene.view.elevation_deg = elevation;
      scene.view.azimuth_deg = request.view.azimuth_deg + 360.0 * i / request.orbit;
      const std::string name = fmt::format("frame_{:04}.png", number++);
      draw((target / name).string());
      table += fmt::format("{:g},{:g},{}\n", scene.view.azimuth_deg, elevation, name);
    }
  comm::collectively(comm, [&] {
    if (comm::rank(comm) == 0) write_file((target / "data.csv").string(), table);
  });
  answer["database"] = target.string();
  if (!request.film.empty())
    comm::collectively(comm, [&] {
      if (comm::rank(comm) == 0 && make_film(target, number, request.film, log)) answer["film"] = request.film;
    });
  return answer;
}

}  // namespace osteon::job
