#include <osteon/job/outputs/draw.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/io/files/image_axes.hpp>
#include <osteon/io/npy.hpp>
#include <osteon/io/png.hpp>
#include <osteon/job/outputs/lines.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/render/rays/smooth_mask.hpp>
#include <osteon/render/scene/colour_map.hpp>
#include <osteon/render/scene/presets.hpp>

namespace osteon::job {

namespace {

// Colours of a map for values between `low` and `high`.
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

// Assign the values of a field in voxels to the vertices of lines. @collective on part.where.comm
void take_values(field_lines& lines, const local_model& part, const cell_values& field) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const grid::block& where = part.where;
  render::streamlines taken;
  std::vector<double> values;
  comm::collectively(where.comm, [&] {
    const index3 shape = where.owned.shape();
    std::vector<float> dense(static_cast<std::size_t>(shape.volume()));
    cell_planes(part, field)(0, shape.z, dense);
    taken = *lines.lines;
    for (const render::line_vertex& v : taken.vertices) {
      index3 voxel;
      for (int a = 0; a < 3; ++a)
        voxel[a] = std::clamp(static_cast<std::int64_t>(std::floor(v.at[a])), std::int64_t{0}, where.domain[a] - 1);
      values.push_back(none);
      if (!where.owned.contains(voxel)) continue;
      const index3 own = voxel - where.owned.begin;
      const float value = dense[static_cast<std::size_t>((own.z * shape.y + own.y) * shape.x + own.x)];
      if (!std::isnan(value)) values.back() = static_cast<double>(value);
    }
  });
  comm::all_reduce(where.comm, values.data(), values.size(), MPI_MAX);
  comm::collectively(where.comm, [&] {
    // If a vertex is in a wall, the vertex has the value of the previous vertex.
    double last = lines.low;
    for (std::size_t i = 0; i < values.size(); ++i) taken.vertices[i].speed = last = values[i] == none ? last : values[i];
    lines.lines = std::make_shared<const render::streamlines>(std::move(taken));
  });
}

// Return the lines of a result in the colours of the displayed field.
field_lines lines_of(const spec& job, const local_model& part, const physics_result& result, log_sink& log) {
  render::vector_values field;
  comm::collectively(part.where.comm, [&] {
    const auto voxels = static_cast<std::size_t>(part.where.owned.volume());
    std::vector<float> all(3 * voxels);
    cell_planes(part, result.lines_of, 3)(0, part.where.owned.shape().z, all);
    for (std::size_t c = 0; c < 3; ++c) {
      field[c].resize(voxels);
      for (std::size_t i = 0; i < voxels; ++i) field[c][i] = all[3 * i + c];
    }
  });
  field_lines lines = lines_along(part.where, part.header.spacing_mm, field, job.picture.streamlines.value_or(usual_lines));
  log.note(fmt::format("{} streamlines, up to {:.3g} mm long", lines.lines->count(), lines.longest_mm));
  lines.low = result.shown_low;
  lines.high = result.shown_high;
  if (result.lines_show_field) take_values(lines, part, result.shown);
  return lines;
}

// Compositing options in the table [picture].
render_request picture_request_of(const spec& job) {
  render_request request;
  request.width = job.picture.width;
  request.height = job.picture.height;
  request.view = {
      .azimuth_deg = job.picture.azimuth_deg, .elevation_deg = job.picture.elevation_deg, .zoom = job.picture.zoom};
  request.method = draws_surface(job) ? "surface" : "volume";
  request.map = colour_map_of(job);
  request.preset = job.picture.preset;
  request.compositing = job.picture.compositing;
  return request;
}

}  // namespace

render::scene scene_of(const render_request& request, const vector3& spacing_mm, const std::optional<io::image_axes>& axes,
                       bool is_series) {
  render::scene scene;
  scene.spacing_mm = spacing_mm;
  scene.width = static_cast<int>(request.width);
  scene.height = static_cast<int>(request.height);
  scene.view = request.view;
  scene.view.is_left_handed = io::is_left_handed(axes);
  scene.step_voxels = request.step_voxels;
  scene.join = compositing_of(request, is_series);
  scene.background = request.light ? render::presets::light_background : render::presets::background_of(request.preset);
  if (request.method == "surface") scene.how = render::method::surface;
  if (request.method == "maximum") scene.how = render::method::maximum;
  if (request.method == "average") scene.how = render::method::average;
  scene.level = request.level.value_or(0.5);
  scene.shades_itself = true;
  scene.smooth_edges = !is_series && !request.fast;
  for (const auto& c : request.clip) scene.clip.push_back({{c[2], c[1], c[0]}, c[3]});
  return scene;
}

render::annotations notes_of(const picture_words& words, const std::string& map, double low, double high) {
  render::annotations notes;
  notes.title = words.title;
  notes.map = map;
  notes.low = low;
  notes.high = high;
  notes.quantity = words.field + (words.component.empty() ? "" : " " + words.component) +
                   (words.units.empty() || words.units == "1" ? "" : " [" + words.units + "]");
  return notes;
}

void name_field(picture_words& words, const io::field_info& field, bool is_magnitude) {
  const bool is_speed = is_magnitude && field.name == "velocity";
  words.field = is_speed ? "speed" : field.name;
  words.long_name = is_speed ? "speed" : field.long_name;
  words.units = field.units;
}

picture_scene::picture_scene(const grid::block& where, const render_request& request, shown_fields shown, bool is_series)
    : notes(notes_of(shown.words, request.map, shown.low, shown.high)),
      where_(where),
      words_(shown.words),
      is_annotated_(request.annotated) {
  comm::collectively(where.comm, [&] { scene = scene_of(request, shown.spacing_mm, words_.axes, is_series); });
  const bool is_surface = scene.how == render::method::surface;
  const int depth = render::ghost_depth(scene.step_voxels);
  glow_ = grid::with_ghost_cells(where, shown.values, depth);
  shown.values = {};
  bone_ = is_surface && !request.level ? render::smooth_mask(where, shown.solid, depth)
          : shown.lines_have_colours && scene.how == render::method::volume
              ? smooth_solid(where, shown.solid, depth)
              : grid::with_ghost_cells(where, shown.solid, depth);
  shown.solid = {};
  comm::collectively(where.comm, [&] {
    if (scene.how == render::method::volume)
      add_volume(request, shown);
    else if (is_surface)
      add_surface(request, shown);
    else
      scene.layers = {map_layer(glow_, shown.low, shown.high, request.map)};
    scene.lines = shown.lines;
  });
  kept_.emplace(where, scene);
}

void picture_scene::add_volume(const render_request& request, const shown_fields& shown) {
  const double opacity = request.bone_opacity.value_or(request.preset == "paper" ? 0.35 : 0.16);
  const bool glows = !shown.lines_have_colours || !shown.points.empty();
  if (opacity > 0 || !glows)
    scene.layers.push_back(render::presets::bone_layer(
        bone_, 0, 0.5, 1, static_cast<float>(opacity),
        shown.lines_have_colours && opacity > 0 ? clear_inside : render::presets::default_inside));
  if (shown.points.empty()) {
    if (glows) scene.layers.push_back(render::presets::glow_layer(glow_, shown.low, shown.high, request.map));
  } else {
    scene.layers.push_back({&glow_, transfer_of(shown.points, map_of(shown.low, shown.high, request.map)), false, 1});
    if (std::any_of(shown.points.begin(), shown.points.end(), [](const written_point& p) { return p.colour.has_value(); })) {
      notes.transfer = scene.layers.back().transfer;
      notes.low = shown.points.front().value;
      notes.high = shown.points.back().value;
    }
  }
  if (shown.points.empty() || shown.lines_have_colours) {
    notes.first = render::presets::glow_first;
    notes.last = render::presets::glow_last;
  }
  if (request.shaded) scene.layers.back().shaded = true;
}

void picture_scene::add_surface(const render_request& request, const shown_fields& shown) {
  const bool has_both_signs = !request.component.empty();
  const auto colours = has_both_signs ? map_layer(glow_, shown.low, shown.high, request.map)
                                      : render::presets::surface_layer(glow_, shown.low, shown.high, request.map);
  scene.layers = {colours, colours};
  if (shown.lines_have_colours) scene.layers.back().transfer = {{0, render::presets::bone_colour, 1}};
  if (!request.level) scene.layers.front().field = &bone_;
  if (has_both_signs) return;
  notes.first = render::presets::part_for_surface(request.map)[0];
  notes.last = render::presets::part_for_surface(request.map)[1];
}

picture_scene::drawn picture_scene::draw_png(const std::string& path, const render::scene& drawn_scene,
                                             const render::annotations* over) {
  const render::image rows =
      render::render(where_, drawn_scene, *kept_, io::png_rows(drawn_scene.height, comm::size(where_.comm)));
  std::vector<std::uint8_t> bytes;
  render::join_time joining = rows.joining;
  comm::collectively(where_.comm, [&] {
    const stopwatch watch;
    const double before = cpu_seconds();
    bytes = render::to_rgba8(rows, drawn_scene.background);
    joining.seconds += watch.seconds();
    joining.cpu_seconds += cpu_seconds() - before;
    if (over) render::annotate(bytes, drawn_scene, where_.domain, *over, rows.first_row);
  });
  io::write_png(where_.comm, path, drawn_scene.width, drawn_scene.height, bytes);
  return {joining, rows.composited};
}

picture_scene::drawn picture_scene::draw_npy(const std::string& path) {
  const render::image picture = render::render(where_, scene, *kept_);
  comm::collectively(where_.comm, [&] {
    if (comm::rank(where_.comm) != 0) return;
    voxel::image array{
        {picture.height, picture.width, 4}, voxel::scalar::f4, std::vector<std::byte>(picture.rgba.size() * 4)};
    std::memcpy(array.bytes.data(), picture.rgba.data(), array.bytes.size());
    io::write_npy(path, array);
  });
  return {picture.joining, picture.composited};
}

picture_scene::drawn picture_scene::draw(const std::string& path, log_sink& log) {
  if (path.ends_with(".npy")) return draw_npy(path);
  if (!is_annotated_) return draw_png(path, scene, nullptr);
  const auto room = size_within_labels(scene.width, scene.height);
  if (!room || !labels_of_program().is_ready(where_.comm, log)) return draw_png(path, scene, &notes);
  render::scene inner = scene;
  inner.width = (*room)[0];
  inner.height = (*room)[1];
  render::annotations box = notes;
  box.title.clear();
  box.axes = box.scale_bar = box.colour_bar = false;
  const drawn done = draw_png(path, inner, &box);
  comm::collectively(where_.comm, [&] {
    if (comm::rank(where_.comm) == 0)
      labels_of_program().draw(path, scene.width, scene.height, words_, notes, inner, where_.domain, log);
  });
  return done;
}

render::scene scene_of_picture(const spec& job, const voxel::model_header& header, bool is_frame) {
  return scene_of(picture_request_of(job), header.spacing_mm, io::axes_in(header.provenance_json), is_frame);
}

std::array<float, 2> part_of_map(const spec& job) {
  if (draws_surface(job)) return render::presets::part_for_surface(colour_map_of(job));
  return {render::presets::glow_first, render::presets::glow_last};
}

nlohmann::ordered_json draw_picture(const std::string& path, const spec& job, const local_model& part,
                                    const physics_result& result, log_sink& log, const std::string& title,
                                    std::shared_ptr<render::image_join>* of_series) {
  const io::plane_source<float> planes = cell_planes(part, result.shown);
  render_request request;
  shown_fields shown;
  comm::collectively(part.where.comm, [&] {
    request = picture_request_of(job);
    request.annotated = !title.empty();
    shown.spacing_mm = part.header.spacing_mm;
    shown.values.resize(static_cast<std::size_t>(part.where.owned.volume()));
    planes(0, part.where.owned.shape().z, shown.values);
    shown.solid.reserve(shown.values.size());
    for (const float value : shown.values) shown.solid.push_back(std::isnan(value) != result.is_fluid ? 0.0F : 1.0F);
    shown.low = result.shown_low;
    shown.high = result.shown_high;
    shown.words = {.title = title,
                   .job = job.name,
                   .field = result.shown_name,
                   .long_name = result.shown_title,
                   .units = result.shown_units,
                   .axes = io::axes_in(part.header.provenance_json)};
  });
  nlohmann::ordered_json description;
  shown.lines_have_colours = result.paths || result.lines_of;
  if (shown.lines_have_colours) {
    field_lines lines{result.paths, result.paths_low, result.paths_high, 0, 0, 0};
    if (!result.paths) {
      lines = lines_of(job, part, result, log);
      description = describe(lines);
      if (!result.is_fluid) description["median_time_s"] = nullptr;  // a heat flux transports no particles
    }
    shown.lines = tubes_of(lines, part.where.domain, part.header.spacing_mm, job.picture.tube_mm.value_or(0), request.map);
  }
  picture_scene picture(part.where, request, std::move(shown), of_series != nullptr);
  picture.notes.first = part_of_map(job)[0];
  picture.notes.last = part_of_map(job)[1];
  if (of_series) picture.compositor() = *of_series;
  const picture_scene::drawn done = picture.draw(path, log);
  if (of_series) *of_series = picture.compositor();
  if (!done.composited.empty()) log.note("compositing: " + done.composited);
  return description;
}

}  // namespace osteon::job
