#include <osteon/render/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/host_memory.hpp>
#include <osteon/render/compositing/exchange.hpp>
#include <osteon/render/compositing/join_images.hpp>
#include <osteon/render/rays/cast_rays.hpp>
#include <osteon/render/rays/smooth_edges.hpp>
#include <osteon/render/rays/solid_light.hpp>
#include <osteon/render/rays/tubes.hpp>
#include <osteon/render/rays/view.hpp>

namespace osteon::render {

namespace {

constexpr int largest_picture = 32768;

void check_layer(const grid::block& where, const layer& l, int ghost_depth, const std::string& name,
                 std::vector<problem>& found) {
  check_transfer(l.transfer, name + ".transfer", found);
  if (!(l.emission >= 0 && std::isfinite(l.emission)))
    found.push_back({name + ".emission", fmt::format("{}; must be finite and not negative", l.emission)});
  if (!l.field) {
    found.push_back({name + ".field", "missing; pass a field with ghost cells"});
    return;
  }
  const box3 expected = grid::with_ghosts(where, ghost_depth), &given = l.field->present;
  if (given != expected || l.field->values.size() != static_cast<std::size_t>(expected.volume()))
    found.push_back(
        {name + ".field", fmt::format("has {} values in the box ({}, {}, {}) to ({}, {}, {}); requires {} values in the box "
                                      "({}, {}, {}) to ({}, {}, {}); add ghost cells of depth {} to the field of the block",
                                      l.field->values.size(), given.begin.z, given.begin.y, given.begin.x, given.end.z,
                                      given.end.y, given.end.x, expected.volume(), expected.begin.z, expected.begin.y,
                                      expected.begin.x, expected.end.z, expected.end.y, expected.end.x, ghost_depth)});
}

std::string text_of(const vector3& p) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", p.x, p.y, p.z); }

// Minimum of normal . p over the points p of the domain.
double smallest_projection(const vector3& normal, index3 domain, const vector3& spacing_mm) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis)
    sum += std::min(0.0, normal[axis] * static_cast<double>(domain[axis]) * spacing_mm[axis]);
  return sum;
}

view view_of(const grid::block& where, const scene& scene) {
  view from = view::of(scene.view, where.domain, scene.spacing_mm, scene.width, scene.height);
  from.clip = scene.clip;
  return from;
}

// If no part of the domain is visible, add a problem.
void check_view(const grid::block& where, const scene& scene, std::vector<problem>& found) {
  const view from = view_of(where, scene);
  if (scene.view.eye_mm && text_of(from.eye) == text_of(from.focus)) {
    found.push_back(
        {"view", fmt::format("the camera at (x, y, z) = {} mm is at the point to look at; change one of the two points",
                             text_of(from.eye))});
    return;
  }
  if (from.seen({{}, where.domain}).size() > 0) return;
  vector3 end;
  for (int axis = 0; axis < 3; ++axis) end[axis] = static_cast<double>(where.domain[axis]) * scene.spacing_mm[axis];
  found.push_back(
      {"view", fmt::format("the domain from 0 to {2} mm is not visible from the camera at (x, y, z) = {0} mm, which "
                           "looks at {1} mm; set the point to look at to a point in the domain",
                           text_of(from.eye), text_of(from.focus), text_of(end))});
}

void check_lines(const scene& scene, std::vector<problem>& found) {
  if (!scene.lines->lines) found.push_back({"lines", "missing; pass a set of lines, which may be empty"});
  if (!(scene.lines->radius_mm > 0 && std::isfinite(scene.lines->radius_mm)))
    found.push_back({"lines.radius_mm", fmt::format("{}; must be finite and positive", scene.lines->radius_mm)});
  check_transfer(scene.lines->transfer, "lines.transfer", found);
  if (scene.how != method::volume && scene.how != method::surface)
    found.push_back({"lines", "the methods maximum and average cannot show lines; use the method volume or surface"});
}

void check(const grid::block& where, const scene& scene) {
  std::vector<problem> found;
  if (scene.layers.empty() || scene.layers.size() > kernel::march_volume::most_layers)
    found.push_back({"layers", fmt::format("the number of layers is {}; must be in [1, {}]", scene.layers.size(),
                                           kernel::march_volume::most_layers)});
  for (std::size_t i = 0; i < scene.layers.size(); ++i)
    check_layer(where, scene.layers[i], ghost_depth(scene.step_voxels), fmt::format("layers[{}]", i), found);
  for (const auto& [name, size] : {std::pair{"width", scene.width}, std::pair{"height", scene.height}})
    if (size < 1 || size > largest_picture)
      found.push_back({name, fmt::format("{} pixels; must be in [1, {}]", size, largest_picture)});
  for (int axis = 0; axis < 3; ++axis)
    if (!(scene.spacing_mm[axis] > 0 && std::isfinite(scene.spacing_mm[axis])))
      found.push_back(
          {"spacing_mm", fmt::format("a voxel edge is {} mm; must be finite and positive", scene.spacing_mm[axis])});
  if (!(scene.view.zoom > 0 && std::isfinite(scene.view.zoom)))
    found.push_back(
        {"view.zoom", fmt::format("{}; must be finite and positive; the zoom 1 shows the whole domain", scene.view.zoom)});
  for (const double angle : {scene.view.azimuth_deg, scene.view.elevation_deg})
    if (!std::isfinite(angle)) found.push_back({"view", fmt::format("an angle is {} degrees; must be finite", angle)});
  if (!(scene.step_voxels >= 0.01 && scene.step_voxels <= 100))
    found.push_back({"step_voxels", fmt::format("{}; must be in [0.01, 100]", scene.step_voxels)});
  if (scene.how == method::surface && !(scene.step_voxels <= 1))
    found.push_back({"step_voxels", fmt::format("{}; must be at most 1 for the method surface", scene.step_voxels)});
  const auto finite = [](const vector3& p) { return std::isfinite(p.z) && std::isfinite(p.y) && std::isfinite(p.x); };
  const auto& eye = scene.view.eye_mm;
  for (const auto& [name, point] : {std::pair{"view.eye_mm", eye}, {"view.look_at_mm", scene.view.look_at_mm}})
    if (point && !finite(*point)) found.push_back({name, "x, y and z must be finite"});
  try {
    if (comm::size(where.comm) > 1) check_compositing(scene.join, comm::size(where.comm));
  } catch (const usage_error& e) {
    found.push_back({"join", e.what()});
  }
  const bool is_emissive =
      std::any_of(scene.layers.begin(), scene.layers.end(), [](const layer& l) { return l.emission > 1; });
  if (scene.join.pixels == kernel::colour_format::rgba8 && scene.how == method::volume && is_emissive)
    found.push_back({"join", "rgba8 pixels cannot store the light of a layer with an emission above 1; use rgba16f pixels"});
  if (scene.lines) check_lines(scene, found);
  if (!std::isfinite(scene.level)) found.push_back({"level", fmt::format("{}; must be finite", scene.level)});
  for (const clip_plane& plane : scene.clip) {
    const double length = std::hypot(plane.normal.z, plane.normal.y, plane.normal.x);
    if (!(length > 0 && std::isfinite(length) && std::isfinite(plane.offset_mm)))
      found.push_back(
          {"clip", fmt::format("normal ({}, {}, {}), offset {} mm; the numbers must be finite and the normal must not be 0",
                               plane.normal.z, plane.normal.y, plane.normal.x, plane.offset_mm)});
    else if (!(smallest_projection(plane.normal, where.domain, scene.spacing_mm) < plane.offset_mm))
      found.push_back(
          {"clip", fmt::format("the plane with the normal (x, y, z) = {} and the offset {:g} mm removes the whole "
                               "domain; the offset must be greater than {:g} mm",
                               text_of(plane.normal), plane.offset_mm,
                               smallest_projection(plane.normal, where.domain, scene.spacing_mm))});
  }
  if (found.empty()) check_view(where, scene, found);
  if (found.empty()) return;
  std::string text = "the scene cannot be rendered:";
  for (const auto& p : found) text += fmt::format("\n  {}: {}", p.where, p.text);
  throw usage_error(text);
}

bool contains(const pixel_box& all, const pixel_box& part) {
  return part.size() == 0 ||
         (all.left <= part.left && all.top <= part.top && all.right >= part.right && all.bottom >= part.bottom);
}

double step_length(const scene& scene) {
  return scene.step_voxels * std::min({scene.spacing_mm.z, scene.spacing_mm.y, scene.spacing_mm.x});
}

kernel::march_volume prepare(const grid::block& where, const scene& scene, const view& from) {
  const double step = step_length(scene), reference = reference_length(where.domain, scene.spacing_mm);
  std::vector<kernel::march_layer> layers;
  for (const layer& l : scene.layers)
    layers.push_back(
        {l.field->values.data(), tabulate(l.transfer, step, reference), l.shaded, static_cast<float>(l.emission)});
  return {where.domain,      scene.spacing_mm, where.owned,      scene.layers.front().field->present,
          scene.step_voxels, light_of(from),   std::move(layers)};
}

using colour = std::array<float, 4>;

// Send the pixels of a frame to the owners of their rows. The function is collective.
// @param owned final pixels of each rank
std::vector<colour> send_to_row_owners(MPI_Comm comm, const std::vector<plan::span>& owned, const pixel_box& frame,
                                       std::span<const int> first_row, const std::function<colour(std::int64_t)>& finished) {
  const auto rank = static_cast<std::size_t>(comm::rank(comm)), ranks = owned.size();
  const auto rows_of = [&](std::size_t r) {
    return plan::span{frame.pixels_above(first_row[r]), frame.pixels_above(first_row[r + 1])};
  };
  const plan::span own = rows_of(rank);
  std::vector<int> sends(ranks), receives(ranks);
  std::vector<colour> sent;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    const plan::span part = overlap(owned[rank], rows_of(r));
    for (std::int64_t i = part.begin; i < part.end; ++i) sent.push_back(finished(i));
    sends[r] = static_cast<int>(part.size());
    receives[r] = static_cast<int>(overlap(owned[r], own).size());
  }
  const std::vector<colour> received = exchange(comm, sent, sends, receives);
  std::vector<colour> result(static_cast<std::size_t>(own.size()));
  auto next = received.begin();
  for (std::size_t r = 0; r < ranks; ++r)
    for (auto [i, end] = overlap(owned[r], own); i < end; ++i)
      result[static_cast<std::size_t>(i - own.begin)] = r == rank ? finished(i) : *next++;
  return result;
}

// Visibility order of the ranks, or a cycle of ranks. Without a box tree, the function gathers the boxes on all ranks. The
// function is collective.
box_visibility visibility(const grid::block& where, const view& from) {
  if (where.boxes) return {visibility_order(from, *where.boxes), {}};
  std::vector<box3> boxes(static_cast<std::size_t>(comm::size(where.comm)));
  const comm::element_type type(sizeof(box3));
  MPI_Allgather(&where.owned, 1, type.get(), boxes.data(), 1, type.get(), where.comm);
  check_boxes(where.domain, boxes);
  return order_boxes(from, boxes);
}

// Map the value of a pixel to a colour of the first layer. A pixel without a value is transparent.
colour colour_of(const projected& found, std::size_t i, method projection, const colours& map) {
  if (found.count[i] == 0) return {};
  const double mean = static_cast<double>(found.sum[i]) / (0x1p24 * static_cast<double>(found.count[i]));
  const auto& entry = projection == method::average ? map.share(mean) : map.value(found.greatest[i]);
  return {entry[0], entry[1], entry[2], 1};
}

// Copy the pixels of the frame to the rows of the picture. Each pixel consists of four numbers.
image put_into_rows(const float* pixels, const pixel_box& frame, int width, int first_row, int end_row) {
  image result{width, end_row - first_row, first_row, 0, {}};
  result.rgba.resize(4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(result.height));
  for (int row = std::max(first_row, frame.top); row < std::min(end_row, frame.bottom); ++row, pixels += 4 * frame.width())
    std::copy(pixels, pixels + 4 * frame.width(),
              result.rgba.begin() + (static_cast<std::ptrdiff_t>(row - first_row) * width + frame.left) * 4);
  return result;
}

// Time after ray casting. A barrier separates the time of compositing from the time of waiting for the slowest rank.
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

// Check the memory that render() needs for the frame on each rank. The function is collective.
void check_memory(MPI_Comm comm, const scene& scene, const pixel_box& frame) {
  const bool projects = scene.how == method::maximum || scene.how == method::average;
  const double per_pixel = projects                                               ? 40
                           : comm::size(comm) == 1 && scene.how == method::volume ? 32
                           : scene.how == method::surface                         ? 100
                                                                                  : 208;
  const double tube_bytes = scene.lines ? 2.0 * sizeof(tube_hit) + 16 : 0;
  const double need = (per_pixel + tube_bytes) * static_cast<double>(frame.size()),
               picture = 16.0 * scene.width * scene.height;
  if (need + picture < 64e6) return;
  const double bytes_per_rank = need + picture / comm::size(comm);
  comm::check_host_memory(comm, bytes_per_rank, fmt::format("a picture of {} x {} pixels", scene.width, scene.height),
                          "use a smaller picture or more hosts");
}

// Members of the class `prepared`.
struct prepared_parts {
  const std::shared_ptr<kernel::march_volume>& volume;
  const std::shared_ptr<kernel::ray_surface>& surface;
  const std::shared_ptr<kernel::solid_pyramid>& solid;
  std::shared_ptr<image_join>& join;
};

// True if draw_surface() yields the final pixels. The condition is a surface on one rank.
bool draws_directly(const grid::block& where, const scene& scene) {
  return comm::size(where.comm) == 1 && scene.how == method::surface &&
         opaque_options(scene.join).pixels == kernel::colour_format::rgba32f;
}
ray_target in_floats(std::vector<colour>& pixels) {
  return {{kernel::colour_format::rgba32f}, reinterpret_cast<std::byte*>(pixels.data())};
}

// Cast the rays of the picture, and composite the blocks. @return rows of this rank. The function is collective.
image cast_and_join(const grid::block& where, const scene& scene, const prepared_parts& parts,
                    std::span<const int> first_row, const caster& rays) {
  const auto rank = static_cast<std::size_t>(comm::rank(where.comm)),
             ranks = static_cast<std::size_t>(comm::size(where.comm));
  const view& from = rays.from;
  const pixel_box &frame = rays.frame, &seen_of_block = rays.own;
  const kernel::solid_pyramid* const solid = scene.shades_itself ? parts.solid.get() : nullptr;
  std::vector<plan::span> owned(ranks);
  std::vector<colour> pixels;
  std::vector<float> joined;  // pixels of image_join; replaces `pixels`
  std::vector<int> cycle;
  std::int64_t samples = 0;
  std::string composited;
  pixel_box area = frame;
  join_clock clock;
  if (scene.how == method::maximum || scene.how == method::average) {
    const projected found = project_all(where.comm, *parts.volume, rays, samples);
    clock.begin(where.comm);
    owned.front() = {0, frame.size()};
    const colours map(scene.layers.front());
    pixels = send_to_row_owners(where.comm, owned, frame, first_row, [&](std::int64_t i) {
      return colour_of(found, static_cast<std::size_t>(i), scene.how, map);
    });
  } else if (ranks == 1 && scene.how != method::surface) {
    parts.volume->light_by(light_of(from));
    pixels.resize(static_cast<std::size_t>(frame.size()));
    samples = cast_alone(*parts.volume, rays, pixels);
    clock.begin(where.comm);
  } else if (draws_directly(where, scene)) {
    pixels.resize(static_cast<std::size_t>(frame.size()));
    samples = draw_surface(rays, *parts.surface, scene.layers.back(), solid, in_floats(pixels));
    clock.begin(where.comm);
    composited = "one rank, rgba32f";
  } else if (const box_visibility seen = visibility(where, from); seen.cycle.empty()) {
    // The frames of a film show different parts of the domain. If each frame has the size of the whole picture, one
    // compositor is sufficient for all frames.
    if (scene.join.pixels != kernel::colour_format::wide) area = {0, 0, scene.width, scene.height};
    const compositing options = scene.how == method::surface ? opaque_options(scene.join) : scene.join;
    if (!parts.join || !(parts.join->request() == options)) parts.join = std::make_shared<image_join>(where.comm, options);
    image_join& join = *parts.join;
    join.prepare(static_cast<int>(area.width()), static_cast<int>(area.height()), rectangle_within(area, seen_of_block));
    caster own_rays = rays;
    own_rays.frame = area;
    const ray_target target{join.format(), join.image()};
    if (scene.how == method::surface) {
      samples = draw_surface(own_rays, *parts.surface, scene.layers.back(), solid, target);
    } else {
      parts.volume->light_by(light_of(from));
      samples = cast_all(where.comm, seen.order, *parts.volume, own_rays, target);
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
    if (scene.how == method::surface) {
      samples = draw_surface(rays, *parts.surface, scene.layers.back(), solid, target);
    } else {
      parts.volume->light_by(light_of(from));
      depth.resize(wide.size());
      samples = cast_block(*parts.volume, rays, target, depth);
    }
    clock.begin(where.comm);
    join_by_depth(where.comm, where.owned, rays, wide, depth, [&](const auto& before) {
      if (scene.how != method::surface) samples += cast_again(*parts.volume, rays, before, target);
    });
    composited = "sorted by depth in each pixel";
    for (std::size_t r = 0; r < ranks; ++r) owned[r] = stripe_of(static_cast<int>(r), static_cast<int>(ranks), frame.size());
    pixels = send_to_row_owners(where.comm, owned, frame, first_row,
                                [&](std::int64_t i) { return kernel::rounded(wide[static_cast<std::size_t>(i)]); });
  }
  image result = put_into_rows(joined.empty() && !pixels.empty() ? pixels.front().data() : joined.data(), area, scene.width,
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

// Antialias the edges in the rows of this rank. The function is collective.
void cast_offset_rays(const grid::block& where, const scene& scene, const prepared_parts& parts,
                      std::span<const int> first_row, caster rays, image& result) {
  const pixel_set edges = find_edges(where.comm, result, scene.height);
  rays.only = &edges;
  std::vector<colour> pixels;
  if (draws_directly(where, scene)) pixels.resize(static_cast<std::size_t>(rays.frame.size()));
  for (const auto& offset : ray_offsets) {
    rays.offset = offset;
    if (!pixels.empty()) {
      const kernel::solid_pyramid* const solid = scene.shades_itself ? parts.solid.get() : nullptr;
      result.samples += draw_surface(rays, *parts.surface, scene.layers.back(), solid, in_floats(pixels));
      add_and_clear(result, pixels, rays.frame, edges);
      continue;
    }
    const image more = cast_and_join(where, scene, parts, first_row, rays);
    add_pixels(result, more, edges);
    add_times(result, more);
  }
  divide_pixels(result, 1 + static_cast<int>(ray_offsets.size()), edges);
}

}  // namespace

int ghost_depth(double step_voxels) { return kernel::ghosts_needed(step_voxels); }

prepared::prepared(const grid::block& where, const scene& scene) {
  comm::collectively(where.comm, [&] {
    check(where, scene);
    add(where, scene);
  });
  add_light(where, scene);
}

void prepared::add(const grid::block& where, const scene& scene) {
  if (scene.how != method::surface) {
    if (!volume_) volume_ = std::make_shared<kernel::march_volume>(prepare(where, scene, view_of(where, scene)));
  } else if (!surface_) {
    const grid::ghosted_field<float>& field = *scene.layers.front().field;
    surface_ =
        std::make_shared<kernel::ray_surface>(where.domain, scene.spacing_mm, where.owned, field.present, scene.step_voxels,
                                              field.values.data(), static_cast<float>(scene.level));
  }
}

void prepared::add_light(const grid::block& where, const scene& scene) {
  if (scene.how != method::surface || !scene.shades_itself || solid_) return;
  solid_ = std::make_shared<kernel::solid_pyramid>(
      gather_solid(where, scene.spacing_mm, *scene.layers.front().field, scene.level));
}

image render(const grid::block& where, const scene& scene) {
  prepared once(where, scene);
  return render(where, scene, once);
}

image render(const grid::block& where, const scene& scene, prepared& data) {
  std::vector<int> all_on_root(static_cast<std::size_t>(comm::size(where.comm)) + 1, scene.height);
  all_on_root.front() = 0;
  image result = render(where, scene, data, all_on_root);
  if (comm::rank(where.comm) != 0) result.width = result.height = result.first_row = 0;
  return result;
}

image render(const grid::block& where, const scene& scene, prepared& data, std::span<const int> first_row) {
  const auto rank = static_cast<std::size_t>(comm::rank(where.comm)),
             ranks = static_cast<std::size_t>(comm::size(where.comm));
  comm::collectively(where.comm, [&] {
    check(where, scene);
    if (first_row.size() != ranks + 1 || first_row.front() != 0 || first_row.back() != scene.height ||
        !std::is_sorted(first_row.begin(), first_row.end()))
      throw usage_error(fmt::format("first_row: the first rows of {} ranks must ascend from 0 to {}", ranks, scene.height));
    data.add(where, scene);
  });
  data.add_light(where, scene);
  const view from = view_of(where, scene);
  const pixel_box frame = from.seen({{}, where.domain});
  check_memory(where.comm, scene, frame);
  caster rays{from, from.seen(where.owned), frame, step_length(scene)};
  const prepared_parts parts{data.volume_, data.surface_, data.solid_, data.join_};
  if (!scene.lines) {
    image result = cast_and_join(where, scene, parts, first_row, rays);
    if (scene.how == method::surface && scene.smooth_edges) cast_offset_rays(where, scene, parts, first_row, rays, result);
    return result;
  }
  const tube_hits hits(from, *scene.lines, rays.own);
  rays.tubes = &hits;
  image result = cast_and_join(where, scene, parts, first_row, rays);
  rays.ignores_tubes = true;
  const image without = cast_and_join(where, scene, parts, first_row, rays);
  add_times(result, without);
  const pixel_box rows{frame.left, std::max(frame.top, first_row[rank]), frame.right,
                       std::min(frame.bottom, first_row[rank + 1])};
  put_tubes(result, without, contains(rays.own, rows) ? hits : tube_hits(from, *scene.lines, rows));
  return result;
}

}  // namespace osteon::render
