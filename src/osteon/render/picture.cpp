#include <osteon/render/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/host_memory.hpp>
#include <osteon/render/compositing/join_images.hpp>
#include <osteon/render/rays/cast_rays.hpp>
#include <osteon/render/rays/smooth_edges.hpp>
#include <osteon/render/rays/solid_light.hpp>
#include <osteon/render/rays/streamlines.hpp>
#include <osteon/render/rays/tubes.hpp>
#include <osteon/render/rays/view.hpp>

namespace osteon::render {

namespace {

constexpr int largest_picture = 32768;

void check_layer(const grid::block& where, const layer& l, int ghost_depth, const std::string& name,
                 std::vector<problem>& found) {
  check_transfer(l.transfer, name + ".transfer", found);
  if (!(l.emission >= 0 && std::isfinite(l.emission)))
    found.push_back({name + ".emission", fmt::format("{}; must not be negative", l.emission)});
  if (!l.field) {
    found.push_back({name + ".field", "missing; pass a field with ghost cells"});
    return;
  }
  const box3 expected = grid::with_ghosts(where, ghost_depth), &given = l.field->present;
  if (given != expected || l.field->values.size() != static_cast<std::size_t>(expected.volume()))
    found.push_back(
        {name + ".field", fmt::format("{} values from ({}, {}, {}) to ({}, {}, {}); {} values from ({}, {}, {}) to ({}, {}, "
                                      "{}) are required: extend the block's field by ghosts of depth {}",
                                      l.field->values.size(), given.begin.z, given.begin.y, given.begin.x, given.end.z,
                                      given.end.y, given.end.x, expected.volume(), expected.begin.z, expected.begin.y,
                                      expected.begin.x, expected.end.z, expected.end.y, expected.end.x, ghost_depth)});
}

std::string words(const vector3& p) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", p.x, p.y, p.z); }

// The least normal . p of the domain's points p.
double least_along(const vector3& normal, index3 domain, const vector3& spacing_mm) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis)
    sum += std::min(0.0, normal[axis] * static_cast<double>(domain[axis]) * spacing_mm[axis]);
  return sum;
}

view view_of(const grid::block& where, const scene& what) {
  view from = view::of(what.view, where.domain, what.spacing_mm, what.width, what.height);
  from.clip = what.clip;
  return from;
}

// True if a part of the domain is visible.
void check_view(const grid::block& where, const scene& what, std::vector<problem>& found) {
  const view from = view_of(where, what);
  if (what.view.eye_mm && words(from.eye) == words(from.focus)) {
    found.push_back(
        {"view", fmt::format("the camera at (x, y, z) = {} mm looks at its own position; change the point to look at",
                             words(from.eye))});
    return;
  }
  if (from.seen({{}, where.domain}).size() > 0) return;
  vector3 end;
  for (int axis = 0; axis < 3; ++axis) end[axis] = static_cast<double>(where.domain[axis]) * what.spacing_mm[axis];
  found.push_back({"view", fmt::format("the camera at (x, y, z) = {} mm looks at {} mm and does not see the domain from 0 "
                                       "to {} mm: it is behind the camera or outside of the picture; look at a point in it",
                                       words(from.eye), words(from.focus), words(end))});
}

void check_lines(const scene& what, std::vector<problem>& found) {
  if (!what.lines->lines) found.push_back({"lines", "missing: pass a (possibly empty) set of lines"});
  if (!(what.lines->radius_mm > 0 && std::isfinite(what.lines->radius_mm)))
    found.push_back({"lines.radius_mm", fmt::format("{}; must be positive", what.lines->radius_mm)});
  check_transfer(what.lines->transfer, "lines.transfer", found);
  if (what.how != method::volume && what.how != method::surface)
    found.push_back({"lines", "a maximum or an average has no depth for lines; use a volume or a surface"});
}

void check(const grid::block& where, const scene& what) {
  std::vector<problem> found;
  if (what.layers.empty() || what.layers.size() > kernel::march_volume::most_layers)
    found.push_back({"layers", fmt::format("{}; must be 1 to {}", what.layers.size(), kernel::march_volume::most_layers)});
  for (std::size_t i = 0; i < what.layers.size(); ++i)
    check_layer(where, what.layers[i], ghost_depth(what.step_voxels), fmt::format("layers[{}]", i), found);
  for (const auto& [name, size] : {std::pair{"width", what.width}, std::pair{"height", what.height}})
    if (size < 1 || size > largest_picture)
      found.push_back({name, fmt::format("{} pixels; must be in [1, {}]", size, largest_picture)});
  for (int axis = 0; axis < 3; ++axis)
    if (!(what.spacing_mm[axis] > 0 && std::isfinite(what.spacing_mm[axis])))
      found.push_back({"spacing_mm", fmt::format("{}; must be positive edges of a voxel", what.spacing_mm[axis])});
  if (!(what.view.zoom > 0 && std::isfinite(what.view.zoom)))
    found.push_back({"view.zoom", fmt::format("{}; must be positive, 1 shows the whole domain", what.view.zoom)});
  for (const double angle : {what.view.azimuth_deg, what.view.elevation_deg})
    if (!std::isfinite(angle)) found.push_back({"view", fmt::format("an angle of {} degrees; must be finite", angle)});
  if (!(what.step_voxels >= 0.01 && what.step_voxels <= 100))
    found.push_back({"step_voxels", fmt::format("{}; must be in [0.01, 100]", what.step_voxels)});
  if (what.how == method::surface && !(what.step_voxels <= 1))
    found.push_back({"step_voxels", fmt::format("{}; must be at most 1 for a surface", what.step_voxels)});
  const auto finite = [](const vector3& p) { return std::isfinite(p.z) && std::isfinite(p.y) && std::isfinite(p.x); };
  const auto& eye = what.view.eye_mm;
  for (const auto& [name, point] : {std::pair{"view.eye_mm", eye}, {"view.look_at_mm", what.view.look_at_mm}})
    if (point && !finite(*point)) found.push_back({name, "must be finite x, y and z in mm"});
  try {
    if (comm::size(where.comm) > 1) check_compositing(what.join, comm::size(where.comm));
  } catch (const usage_error& e) {
    found.push_back({"join", e.what()});
  }
  const bool glows = std::any_of(what.layers.begin(), what.layers.end(), [](const layer& l) { return l.emission > 1; });
  if (what.join.pixels == kernel::colour_format::rgba8 && what.how == method::volume && glows)
    found.push_back({"join",
                     "rgba8 pixels cannot store colours above their opacity, and a layer of the volume emits more light "
                     "than it absorbs; use rgba16f"});
  if (what.lines) check_lines(what, found);
  if (!std::isfinite(what.level)) found.push_back({"level", fmt::format("{}; must be finite", what.level)});
  for (const clip_plane& plane : what.clip) {
    const double length = std::hypot(plane.normal.z, plane.normal.y, plane.normal.x);
    if (!(length > 0 && std::isfinite(length) && std::isfinite(plane.offset_mm)))
      found.push_back({"clip", fmt::format("normal ({}, {}, {}), offset {} mm; must be a non-zero normal and finite numbers",
                                           plane.normal.z, plane.normal.y, plane.normal.x, plane.offset_mm)});
    else if (!(least_along(plane.normal, where.domain, what.spacing_mm) < plane.offset_mm))
      found.push_back({"clip", fmt::format("the plane with the normal (x, y, z) = {} at {:g} mm removes the whole domain, "
                                           "which begins at {:g} mm in this direction",
                                           words(plane.normal), plane.offset_mm,
                                           least_along(plane.normal, where.domain, what.spacing_mm))});
  }
  if (found.empty()) check_view(where, what, found);
  if (found.empty()) return;
  std::string text = "the scene cannot be rendered:";
  for (const auto& p : found) text += fmt::format("\n  {}: {}", p.where, p.text);
  throw usage_error(text);
}

bool contains(const pixel_box& all, const pixel_box& part) {
  return part.size() == 0 ||
         (all.left <= part.left && all.top <= part.top && all.right >= part.right && all.bottom >= part.bottom);
}

double step_length(const scene& what) {
  return what.step_voxels * std::min({what.spacing_mm.z, what.spacing_mm.y, what.spacing_mm.x});
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

using colour = std::array<float, 4>;

// Move pixels of a frame from all ranks or the first one to the owners of their rows. Collective.
// @param owned pixels of each rank
std::vector<colour> to_rows(MPI_Comm comm, const std::vector<plan::span>& owned, const pixel_box& frame,
                            std::span<const int> first_row, const std::function<colour(std::int64_t)>& finished) {
  const auto rank = static_cast<std::size_t>(comm::rank(comm)), ranks = owned.size();
  const auto rows_of = [&](std::size_t r) {
    return plan::span{frame.pixels_above(first_row[r]), frame.pixels_above(first_row[r + 1])};
  };
  const auto shared = [](const plan::span& p, const plan::span& q) {
    const std::int64_t begin = std::max(p.begin, q.begin);
    return plan::span{begin, std::max(begin, std::min(p.end, q.end))};
  };
  std::vector<int> sends(ranks), receives(ranks), send_at(ranks), receive_at(ranks);
  std::vector<colour> sent, received;
  for (std::size_t r = 0; r < ranks; ++r) {
    send_at[r] = static_cast<int>(sent.size());
    if (r != rank) {
      for (auto [i, end] = shared(owned[rank], rows_of(r)); i < end; ++i) sent.push_back(finished(i));
      receives[r] = static_cast<int>(shared(owned[r], rows_of(rank)).size());
    }
    sends[r] = static_cast<int>(sent.size()) - send_at[r];
    if (r > 0) receive_at[r] = receive_at[r - 1] + receives[r - 1];
  }
  const plan::span own = rows_of(rank);
  received.resize(static_cast<std::size_t>(std::accumulate(receives.begin(), receives.end(), 0)));
  const comm::element_type type(sizeof(colour));
  MPI_Alltoallv(sent.data(), sends.data(), send_at.data(), type.get(), received.data(), receives.data(), receive_at.data(),
                type.get(), comm);
  std::vector<colour> result(static_cast<std::size_t>(own.size()));
  auto next = received.begin();
  for (std::size_t r = 0; r < ranks; ++r)
    for (auto [i, end] = shared(owned[r], own); i < end; ++i)
      result[static_cast<std::size_t>(i - own.begin)] = r == rank ? finished(i) : *next++;
  return result;
}

// Ranks front to back, or a cycle. Boxes without a tree are gathered on all ranks. Collective.
box_visibility visibility(const grid::block& where, const view& from) {
  if (where.boxes) return {visibility_order(from, *where.boxes), {}};
  std::vector<box3> boxes(static_cast<std::size_t>(comm::size(where.comm)));
  const comm::element_type type(sizeof(box3));
  MPI_Allgather(&where.owned, 1, type.get(), boxes.data(), 1, type.get(), where.comm);
  check_boxes(where.domain, boxes);
  return order_boxes(from, boxes);
}

// Apply the colours of the first layer to a pixel: opaque if a ray has hit a value.
colour colour_of(const projected& found, std::size_t i, method how, const colours& map) {
  if (found.count[i] == 0) return {};
  const double mean = static_cast<double>(found.sum[i]) / (0x1p24 * static_cast<double>(found.count[i]));
  const auto& entry = how == method::average ? map.share(mean) : map.value(found.greatest[i]);
  return {entry[0], entry[1], entry[2], 1};
}

// Rows of a picture from the pixels of the frame, four numbers each.
image put_into_rows(const float* pixels, const pixel_box& frame, int width, int first_row, int end_row) {
  image result{width, end_row - first_row, first_row, 0, {}};
  result.rgba.resize(4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(result.height));
  for (int row = std::max(first_row, frame.top); row < std::min(end_row, frame.bottom); ++row, pixels += 4 * frame.width())
    std::copy(pixels, pixels + 4 * frame.width(),
              result.rgba.begin() + (static_cast<std::ptrdiff_t>(row - first_row) * width + frame.left) * 4);
  return result;
}

// Time after ray casting. Ranks wait for each other here, as they would shortly afterwards.
class join_clock {
 public:
  void begin(MPI_Comm comm) {
    MPI_Barrier(comm);
    wall_.restart();
    cpu_ = cpu_seconds();
  }
  join_time time() const { return {wall_.seconds(), cpu_seconds() - cpu_}; }

 private:
  stopwatch wall_;
  double cpu_ = cpu_seconds();
};

// The frame in memory, as render() has it at once on each rank. Collective.
void check_memory(MPI_Comm comm, const scene& what, const pixel_box& frame) {
  const bool projects = what.how == method::maximum || what.how == method::average;
  const double per_pixel = projects                                              ? 40
                           : comm::size(comm) == 1 && what.how == method::volume ? 32
                           : what.how == method::surface                         ? 100
                                                                                 : 208;
  const double of_lines = what.lines ? 2.0 * sizeof(tube_hit) + 16 : 0;
  const double need = (per_pixel + of_lines) * static_cast<double>(frame.size()), picture = 16.0 * what.width * what.height;
  if (need + picture < 64e6) return;
  const double here = need + picture / comm::size(comm);
  comm::check_host_memory(comm, here, fmt::format("a picture of {} x {} pixels", what.width, what.height),
                          "make it smaller, or use more hosts");
}

// State kept over the frames of an orbit.
struct kept_parts {
  const std::shared_ptr<kernel::march_volume>& volume;
  const std::shared_ptr<kernel::ray_surface>& surface;
  const std::shared_ptr<kernel::solid_pyramid>& solid;
  std::shared_ptr<image_join>& join;
};

// On one rank, a surface is drawn directly in its final form.
bool needs_no_join(const grid::block& where, const scene& what) {
  return comm::size(where.comm) == 1 && what.how == method::surface &&
         of_opaque(what.join).pixels == kernel::colour_format::rgba32f;
}
ray_target in_floats(std::vector<colour>& pixels) {
  return {{kernel::colour_format::rgba32f}, reinterpret_cast<std::byte*>(pixels.data())};
}

// Cast the rays of the picture and composite the blocks: this rank's rows. Collective.
image cast_and_join(const grid::block& where, const scene& what, const kept_parts& kept, std::span<const int> first_row,
                    const caster& rays) {
  const auto rank = static_cast<std::size_t>(comm::rank(where.comm)),
             ranks = static_cast<std::size_t>(comm::size(where.comm));
  const view& from = rays.from;
  const pixel_box &frame = rays.frame, &seen_of_block = rays.own;
  const kernel::solid_pyramid* const solid = what.shades_itself ? kept.solid.get() : nullptr;
  std::vector<plan::span> owned(ranks);
  std::vector<colour> pixels;
  std::vector<float> joined;  // or these
  std::vector<int> cycle;
  std::int64_t samples = 0;
  std::string composited;
  pixel_box area = frame;
  join_clock clock;
  if (what.how == method::maximum || what.how == method::average) {
    const projected found = project_all(where.comm, *kept.volume, rays, samples);
    clock.begin(where.comm);
    owned.front() = {0, frame.size()};
    const colours map(what.layers.front());
    pixels = to_rows(where.comm, owned, frame, first_row,
                     [&](std::int64_t i) { return colour_of(found, static_cast<std::size_t>(i), what.how, map); });
  } else if (ranks == 1 && what.how != method::surface) {
    kept.volume->light_by(light_of(from));
    pixels.resize(static_cast<std::size_t>(frame.size()));
    samples = cast_alone(*kept.volume, rays, pixels);
    clock.begin(where.comm);
  } else if (needs_no_join(where, what)) {
    pixels.resize(static_cast<std::size_t>(frame.size()));
    samples = draw_surface(rays, *kept.surface, what.layers.back(), solid, in_floats(pixels));
    clock.begin(where.comm);
    composited = "one rank, rgba32f";
  } else if (const box_visibility seen = visibility(where, from); seen.cycle.empty()) {
    // Frames of a film show different parts; as whole pictures they use the same compositor.
    if (what.join.pixels != kernel::colour_format::wide) area = {0, 0, what.width, what.height};
    const compositing how = what.how == method::surface ? of_opaque(what.join) : what.join;
    if (!kept.join || !(kept.join->how() == how)) kept.join = std::make_shared<image_join>(where.comm, how);
    image_join& join = *kept.join;
    join.prepare(static_cast<int>(area.width()), static_cast<int>(area.height()), rectangle_within(area, seen_of_block));
    caster own_rays = rays;
    own_rays.frame = area;
    const ray_target target{join.format(), join.image()};
    if (what.how == method::surface) {
      samples = draw_surface(own_rays, *kept.surface, what.layers.back(), solid, target);
    } else {
      kept.volume->light_by(light_of(from));
      samples = cast_all(where.comm, seen.order, *kept.volume, own_rays, target);
    }
    clock.begin(where.comm);
    join.run(seen.order);
    std::vector<std::int64_t> first_pixel;
    for (const int row : first_row) first_pixel.push_back(area.pixels_above(row));
    joined = join.pixels(first_pixel);
    composited = join.description();
  } else {
    cycle = seen.cycle;
    std::vector<kernel::wide_pixel> wide;
    comm::collectively(where.comm, [&] { wide.resize(static_cast<std::size_t>(frame.size())); });
    const ray_target target{{kernel::colour_format::wide}, reinterpret_cast<std::byte*>(wide.data())};
    std::vector<kernel::optical_depth> depth;
    if (what.how == method::surface) {
      samples = draw_surface(rays, *kept.surface, what.layers.back(), solid, target);
    } else {
      kept.volume->light_by(light_of(from));
      depth.resize(wide.size());
      samples = cast_block(*kept.volume, rays, target, depth);
    }
    clock.begin(where.comm);
    join_by_depth(where.comm, where.owned, rays, wide, depth, [&](const auto& before) {
      if (what.how != method::surface) samples += cast_again(*kept.volume, rays, before, target);
    });
    composited = "by depth, pixel by pixel";
    for (std::size_t r = 0; r < ranks; ++r) owned[r] = stripe_of(static_cast<int>(r), static_cast<int>(ranks), frame.size());
    pixels = to_rows(where.comm, owned, frame, first_row,
                     [&](std::int64_t i) { return kernel::rounded(wide[static_cast<std::size_t>(i)]); });
  }
  image result = put_into_rows(joined.empty() && !pixels.empty() ? pixels.front().data() : joined.data(), area, what.width,
                               first_row[rank], first_row[rank + 1]);
  result.samples = samples;
  result.cycle = std::move(cycle);
  result.composited = std::move(composited);
  result.joining = clock.time();
  return result;
}

void add_times(image& sum, const image& more) {
  sum.samples += more.samples;
  sum.joining.seconds += more.joining.seconds;
  sum.joining.cpu_seconds += more.joining.cpu_seconds;
}

// Smooth the edges in this rank's rows of a picture. Collective.
void cast_beside(const grid::block& where, const scene& what, const kept_parts& kept, std::span<const int> first_row,
                 caster rays, image& result) {
  const pixel_set edges = find_edges(where.comm, result, what.height);
  rays.only = &edges;
  std::vector<colour> pixels;
  if (needs_no_join(where, what)) pixels.resize(static_cast<std::size_t>(rays.frame.size()));
  for (const auto& beside : beside_middle) {
    rays.beside = beside;
    if (!pixels.empty()) {
      const kernel::solid_pyramid* const solid = what.shades_itself ? kept.solid.get() : nullptr;
      result.samples += draw_surface(rays, *kept.surface, what.layers.back(), solid, in_floats(pixels));
      take_pixels(result, pixels, rays.frame, edges);
      continue;
    }
    const image more = cast_and_join(where, what, kept, first_row, rays);
    add_pixels(result, more, edges);
    add_times(result, more);
  }
  divide_pixels(result, 1 + static_cast<int>(beside_middle.size()), edges);
}

}  // namespace

int ghost_depth(double step_voxels) { return kernel::ghosts_needed(step_voxels); }

prepared::prepared(const grid::block& where, const scene& what) {
  comm::collectively(where.comm, [&] {
    check(where, what);
    add(where, what);
  });
  add_light(where, what);
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

void prepared::add_light(const grid::block& where, const scene& what) {
  if (what.how != method::surface || !what.shades_itself || solid_) return;
  solid_ =
      std::make_shared<kernel::solid_pyramid>(gather_solid(where, what.spacing_mm, *what.layers.front().field, what.level));
}

image render(const grid::block& where, const scene& what) {
  prepared once(where, what);
  return render(where, what, once);
}

image render(const grid::block& where, const scene& what, prepared& kept) {
  std::vector<int> all_on_root(static_cast<std::size_t>(comm::size(where.comm)) + 1, what.height);
  all_on_root.front() = 0;
  image result = render(where, what, kept, all_on_root);
  if (comm::rank(where.comm) != 0) result.width = result.height = result.first_row = 0;
  return result;
}

image render(const grid::block& where, const scene& what, prepared& kept, std::span<const int> first_row) {
  const auto rank = static_cast<std::size_t>(comm::rank(where.comm)),
             ranks = static_cast<std::size_t>(comm::size(where.comm));
  comm::collectively(where.comm, [&] {
    check(where, what);
    if (first_row.size() != ranks + 1 || first_row.front() != 0 || first_row.back() != what.height ||
        !std::is_sorted(first_row.begin(), first_row.end()))
      throw usage_error(fmt::format("rows of {} ranks: must ascend from 0 to {}", ranks, what.height));
    kept.add(where, what);
  });
  kept.add_light(where, what);
  const view from = view_of(where, what);
  const pixel_box frame = from.seen({{}, where.domain});
  check_memory(where.comm, what, frame);
  caster rays{from, from.seen(where.owned), frame, step_length(what)};
  const kept_parts parts{kept.volume_, kept.surface_, kept.solid_, kept.join_};
  if (!what.lines) {
    image result = cast_and_join(where, what, parts, first_row, rays);
    if (what.how == method::surface && what.smooth_edges) cast_beside(where, what, parts, first_row, rays, result);
    return result;
  }
  const tube_hits hits(from, *what.lines, rays.own);
  rays.tubes = &hits;
  image result = cast_and_join(where, what, parts, first_row, rays);
  rays.passes_by = true;
  const image without = cast_and_join(where, what, parts, first_row, rays);
  add_times(result, without);
  const pixel_box rows{frame.left, std::max(frame.top, first_row[rank]), frame.right,
                       std::min(frame.bottom, first_row[rank + 1])};
  put_tubes(result, without, contains(rays.own, rows) ? hits : tube_hits(from, *what.lines, rows));
  return result;
}

}  // namespace osteon::render
