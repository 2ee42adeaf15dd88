#include <osteon/job/outputs/draw.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/io/files/image_axes.hpp>
#include <osteon/io/png.hpp>
#include <osteon/job/outputs/lines.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/render/rays/smooth_mask.hpp>
#include <osteon/render/scene/presets.hpp>

namespace osteon::job {

namespace {

// Gives the vertices of lines the values of a field, of the voxels that they lie in. @collective on part.where.comm
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
    // A vertex in a wall has that of the one before it.
    double last = lines.low;
    for (std::size_t i = 0; i < values.size(); ++i) taken.vertices[i].speed = last = values[i] == none ? last : values[i];
    lines.lines = std::make_shared<const render::streamlines>(std::move(taken));
  });
}

// The lines of what a result holds, in the colours of what it shows.
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

}  // namespace

drawn draw_png(const grid::block& where, const render::scene& what, render::prepared& kept, const render::annotations* notes,
               const std::string& path) {
  const render::image rows = render::render(where, what, kept, io::png_rows(what.height, comm::size(where.comm)));
  std::vector<std::uint8_t> bytes;
  render::join_time joining = rows.joining;
  comm::collectively(where.comm, [&] {
    const stopwatch watch;
    const double before = cpu_seconds();
    bytes = render::to_rgba8(rows, what.background);
    joining.seconds += watch.seconds();
    joining.cpu_seconds += cpu_seconds() - before;
    if (notes) render::annotate(bytes, what, where.domain, *notes, rows.first_row);
  });
  io::write_png(where.comm, path, what.width, what.height, bytes);
  return {joining, rows.composited};
}

drawn draw_labelled(const grid::block& where, const render::scene& what, render::prepared& kept,
                    const render::annotations& notes, const picture_words& words, const std::string& path, log_sink& log) {
  const auto room = room_within_labels(what.width, what.height);
  if (!room || !labels_of_program().is_ready(where.comm, log)) return draw_png(where, what, kept, &notes, path);
  render::scene inner = what;
  inner.width = (*room)[0];
  inner.height = (*room)[1];
  render::annotations box = notes;
  box.title.clear();
  box.axes = box.scale_bar = box.colour_bar = false;
  const drawn done = draw_png(where, inner, kept, &box, path);
  comm::collectively(where.comm, [&] {
    if (comm::rank(where.comm) == 0)
      labels_of_program().draw(path, what.width, what.height, words, notes, inner, where.domain, log);
  });
  return done;
}

render::scene scene_of_picture(const spec& job, const voxel::model_header& header, bool is_frame) {
  render::scene scene;
  scene.spacing_mm = header.spacing_mm;
  scene.width = static_cast<int>(job.picture.width);
  scene.height = static_cast<int>(job.picture.height);
  scene.view = {
      .azimuth_deg = job.picture.azimuth_deg, .elevation_deg = job.picture.elevation_deg, .zoom = job.picture.zoom};
  scene.view.is_left_handed = io::is_left_handed(io::axes_in(header.provenance_json));
  if (draws_surface(job)) scene.how = render::method::surface;
  scene.shades_itself = true;
  scene.smooth_edges = !is_frame;
  scene.background = render::presets::background_of(job.picture.preset);
  scene.join = render::parse_compositing(job.picture.compositing,
                                         is_frame ? kernel::colour_format::rgba16f : kernel::colour_format::wide);
  scene.join.series = is_frame;
  return scene;
}

std::array<float, 2> part_of_map(const spec& job) {
  if (draws_surface(job)) return render::presets::part_for_surface(colour_map_of(job));
  return {render::presets::glow_first, render::presets::glow_last};
}

nlohmann::ordered_json draw_picture(const std::string& path, const spec& job, const local_model& part,
                                    const physics_result& result, log_sink& log, const std::string& title,
                                    std::shared_ptr<render::image_join>* of_series) {
  const MPI_Comm comm = part.where.comm;
  const std::string map = colour_map_of(job);
  render::scene scene = scene_of_picture(job, part.header, of_series != nullptr);
  const int depth = render::ghost_depth(scene.step_voxels);
  const auto dense = [&](const io::plane_source<float>& make) {
    std::vector<float> values;
    comm::collectively(comm, [&] {
      values.resize(static_cast<std::size_t>(part.where.owned.volume()));
      make(0, part.where.owned.shape().z, values);
    });
    return values;
  };
  nlohmann::ordered_json told;
  if (result.paths) {
    const field_lines lines{result.paths, result.paths_low, result.paths_high, 0, 0, 0};
    scene.lines = tubes_of(lines, part.where.domain, part.header.spacing_mm, job.picture.tube_mm.value_or(0), map);
  } else if (result.lines_of) {
    const field_lines lines = lines_of(job, part, result, log);
    scene.lines = tubes_of(lines, part.where.domain, part.header.spacing_mm, job.picture.tube_mm.value_or(0), map);
    told = describe(lines);
    if (!result.is_fluid) told["median_time_s"] = nullptr;  // nothing moves along a flux of heat
  }
  const auto glow = grid::with_ghost_cells(part.where, dense(cell_planes(part, result.shown)), depth);
  const auto solid = dense([&](std::int64_t first, std::int64_t planes, std::span<float> values) {
    cell_planes(part, result.shown)(first, planes, values);
    for (float& value : values) value = std::isnan(value) != result.is_fluid ? 0.0F : 1.0F;
  });
  const bool is_surface = scene.how == render::method::surface;
  const auto bone = is_surface    ? render::smooth_mask(part.where, solid, depth)
                    : scene.lines ? smooth_solid(part.where, solid, depth)
                                  : grid::with_ghost_cells(part.where, solid, depth);
  comm::collectively(comm, [&] {
    if (is_surface) {
      const auto colours = render::presets::surface_layer(glow, result.shown_low, result.shown_high, map);
      scene.layers = {colours, colours};
      if (scene.lines) scene.layers.back().transfer = {{0, render::presets::bone_colour, 1}};
      scene.layers.front().field = &bone;
    } else {
      const float opacity = job.picture.preset == "paper" ? 0.35F : 0.16F;
      scene.layers = {
          render::presets::bone_layer(bone, 0, 0.5, 1, opacity, scene.lines ? clear_inside : render::presets::usual_inside)};
      if (!scene.lines) scene.layers.push_back(render::presets::glow_layer(glow, result.shown_low, result.shown_high, map));
    }
  });
  render::annotations notes;
  notes.title = title;
  notes.map = map;
  notes.low = result.shown_low;
  notes.high = result.shown_high;
  notes.first = part_of_map(job)[0];
  notes.last = part_of_map(job)[1];
  notes.quantity = result.shown_name + (result.shown_units == "1" ? "" : " [" + result.shown_units + "]");
  render::prepared once(part.where, scene);
  if (of_series) once.compositor() = *of_series;
  const picture_words words{title,
                            job.name,
                            "",
                            result.shown_name,
                            result.shown_title,
                            "",
                            result.shown_units,
                            {},
                            io::axes_in(part.header.provenance_json)};
  const drawn done = title.empty() ? draw_png(part.where, scene, once, nullptr, path)
                                   : draw_labelled(part.where, scene, once, notes, words, path, log);
  if (of_series) *of_series = once.compositor();
  if (!done.composited.empty()) log.note("compositing: " + done.composited);
  return told;
}

}  // namespace osteon::job
