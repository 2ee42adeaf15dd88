#include <osteon/render/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/execute.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/plan/swap.hpp>
#include <osteon/render/cast_rays.hpp>

namespace osteon::render {

namespace {

constexpr int largest_picture = 32768;

void check_layer(const grid::block& where, const layer& l, int ghost_depth, const std::string& name,
                 std::vector<problem>& found) {
  check_transfer(l.transfer, name + ".transfer", found);
  if (!(l.emission >= 0 && std::isfinite(l.emission)))
    found.push_back({name + ".emission", fmt::format("{}; give a number from 0 on", l.emission)});
  if (!l.field) {
    found.push_back({name + ".field", "missing; give a field with ghost cells"});
    return;
  }
  const box3 expected = grid::with_ghosts(where, ghost_depth), &given = l.field->present;
  if (given != expected || l.field->values.size() != static_cast<std::size_t>(expected.volume()))
    found.push_back({name + ".field",
                     fmt::format("{} values from ({}, {}, {}) to ({}, {}, {}); {} values from ({}, {}, {}) to ({}, {}, {}) "
                                 "are needed: extend the block's field by ghosts of depth {}",
                                 l.field->values.size(), given.begin.z, given.begin.y, given.begin.x, given.end.z,
                                 given.end.y, given.end.x, expected.volume(), expected.begin.z, expected.begin.y,
                                 expected.begin.x, expected.end.z, expected.end.y, expected.end.x, ghost_depth)});
}

void check(const grid::block& where, const scene& what) {
  std::vector<problem> found;
  if (what.layers.empty() || what.layers.size() > kernel::march_volume::most_layers)
    found.push_back({"layers", fmt::format("{}; give 1 to {}", what.layers.size(), kernel::march_volume::most_layers)});
  for (std::size_t i = 0; i < what.layers.size(); ++i)
    check_layer(where, what.layers[i], ghost_depth(what.step_voxels), fmt::format("layers[{}]", i), found);
  for (const auto& [name, size] : {std::pair{"width", what.width}, std::pair{"height", what.height}})
    if (size < 1 || size > largest_picture)
      found.push_back({name, fmt::format("{} pixels; it lies in [1, {}]", size, largest_picture)});
  for (int axis = 0; axis < 3; ++axis)
    if (!(what.spacing_mm[axis] > 0 && std::isfinite(what.spacing_mm[axis])))
      found.push_back({"spacing_mm", fmt::format("{}; give the voxel's edges, above 0", what.spacing_mm[axis])});
  if (!(what.view.zoom > 0 && std::isfinite(what.view.zoom)))
    found.push_back({"view.zoom", fmt::format("{}; give a number above 0, 1 shows the whole domain", what.view.zoom)});
  for (const double angle : {what.view.azimuth_deg, what.view.elevation_deg})
    if (!std::isfinite(angle)) found.push_back({"view", fmt::format("an angle of {} degrees; give a finite one", angle)});
  if (!(what.step_voxels >= 0.01 && what.step_voxels <= 100))
    found.push_back({"step_voxels", fmt::format("{}; it lies in [0.01, 100]", what.step_voxels)});
  if (what.how == method::surface && !(what.step_voxels <= 1))
    found.push_back({"step_voxels", fmt::format("{}; for a surface it is at most 1", what.step_voxels)});
  if (!std::isfinite(what.level)) found.push_back({"level", fmt::format("{}; give a finite number", what.level)});
  for (const clip_plane& plane : what.clip) {
    const double length = std::hypot(plane.normal.z, plane.normal.y, plane.normal.x);
    if (!(length > 0 && std::isfinite(length) && std::isfinite(plane.offset_mm)))
      found.push_back(
          {"clip", fmt::format("normal ({}, {}, {}), offset {} mm; give a normal of some length and finite numbers",
                               plane.normal.z, plane.normal.y, plane.normal.x, plane.offset_mm)});
  }
  if (found.empty()) return;
  std::string text = "the scene cannot be rendered:";
  for (const auto& p : found) text += fmt::format("\n  {}: {}", p.where, p.text);
  throw usage_error(text);
}

double step_length(const scene& what) {
  return what.step_voxels * std::min({what.spacing_mm.z, what.spacing_mm.y, what.spacing_mm.x});
}

view view_of(const grid::block& where, const scene& what) {
  view from = view::of(what.view, where.domain, what.spacing_mm, what.width, what.height);
  from.clip = what.clip;
  return from;
}

kernel::march_volume prepare(const grid::block& where, const scene& what, const view& from) {
  const double step = step_length(what), reference = reference_length(where.domain, what.spacing_mm);
  std::vector<kernel::march_layer> layers;
  for (const layer& l : what.layers)
    layers.push_back(
        {l.field->values.data(), tabulate(l.transfer, step, reference), l.shaded, static_cast<float>(l.emission)});
  return {where.domain,     what.spacing_mm, where.owned,      what.layers.front().field->present,
          what.step_voxels, light_of(from),  std::move(layers)};
}

// Opaque pixels in the colours of a layer, where a ray met a value.
image in_colours(const projected& found, const layer& look, method how, const pixel_box& frame, int width, int height) {
  image result{width, height, 0, std::vector<float>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4)};
  const colours colour(look);
  for (int row = frame.top; row < frame.bottom; ++row)
    for (int column = frame.left; column < frame.right; ++column) {
      const auto i = static_cast<std::size_t>((row - frame.top) * frame.width() + column - frame.left);
      if (found.count[i] == 0) continue;
      const double mean = static_cast<double>(found.sum[i]) / (0x1p24 * static_cast<double>(found.count[i]));
      const auto& entry = how == method::average ? colour.share(mean) : colour.value(found.greatest[i]);
      const auto to =
          (static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)) * 4;
      std::copy_n(entry.begin(), 3, result.rgba.begin() + static_cast<std::ptrdiff_t>(to));
      result.rgba[to + 3] = 1;
    }
  return result;
}

image round_to_float(const std::vector<kernel::wide_pixel>& pixels, const pixel_box& frame, int width, int height) {
  image result{width, height, 0, std::vector<float>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4)};
  for (int row = frame.top; row < frame.bottom; ++row)
    for (int column = frame.left; column < frame.right; ++column) {
      const auto rgba =
          kernel::rounded(pixels[static_cast<std::size_t>((row - frame.top) * frame.width() + column - frame.left)]);
      const auto at = (static_cast<std::ptrdiff_t>(row) * width + column) * 4;
      std::copy(rgba.begin(), rgba.end(), result.rgba.begin() + at);
    }
  return result;
}

}  // namespace

int ghost_depth(double step_voxels) { return kernel::ghosts_needed(step_voxels); }

prepared::prepared(const grid::block& where, const scene& what) {
  comm::together(where.comm, [&] {
    check(where, what);
    add(where, what);
  });
}

void prepared::add(const grid::block& where, const scene& what) {
  if (what.how != method::surface) {
    if (!volume_) volume_ = std::make_shared<kernel::march_volume>(prepare(where, what, view_of(where, what)));
  } else if (!surface_) {
    const grid::ghosted_field<float>& field = *what.layers.front().field;
    surface_ = std::make_shared<kernel::ray_surface>(where.domain, what.spacing_mm, where.owned, field.present,
                                                     what.step_voxels, field.values.data(), static_cast<float>(what.level));
  }
}

image render(const grid::block& where, const scene& what) {
  prepared once(where, what);
  return render(where, what, once);
}

image render(const grid::block& where, const scene& what, prepared& kept) {
  comm::together(where.comm, [&] {
    check(where, what);
    kept.add(where, what);
  });
  const view from = view_of(where, what);
  const pixel_box frame = from.seen({{}, where.domain});
  const caster rays{from, from.seen(where.owned), frame, step_length(what)};
  if (what.how == method::maximum || what.how == method::average) {
    std::int64_t taken = 0;
    const projected found = project_all(where.comm, *kept.volume_, rays, taken);
    image result;
    if (comm::rank(where.comm) == 0)
      result = in_colours(found, what.layers.front(), what.how, frame, what.width, what.height);
    result.samples = taken;
    return result;
  }
  const auto order = visibility_order(from, *where.boxes);
  std::vector<kernel::wide_pixel> pixels;
  comm::together(where.comm, [&] { pixels.resize(static_cast<std::size_t>(frame.size())); });
  std::int64_t samples = 0;
  if (what.how == method::surface) {
    samples = draw_surface(rays, *kept.surface_, what.layers.back(), pixels);
  } else {
    kept.volume_->light_by(light_of(from));
    samples = cast_all(where.comm, order, *kept.volume_, rays, pixels);
  }
  auto compositor = comm::executor::make(where.comm, plan::binary_swap(comm::size(where.comm), frame.size(), order, 0),
                                         sizeof(kernel::wide_pixel));
  compositor.run(std::span<kernel::wide_pixel>(pixels), kernel::blend);
  image result;
  if (comm::rank(where.comm) == 0) result = round_to_float(pixels, frame, what.width, what.height);
  result.samples = samples;
  return result;
}

}  // namespace osteon::render
