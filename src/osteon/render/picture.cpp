#include <osteon/render/picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/execute.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/kernel/ray_march.hpp>
#include <osteon/kernel/ray_surface.hpp>
#include <osteon/kernel/surface_light.hpp>
#include <osteon/plan/swap.hpp>
#include <osteon/render/transfer.hpp>
#include <osteon/render/view.hpp>

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

// A light over the viewer's left shoulder: faces seen at an angle differ in brightness.
kernel::lighting light_of(const view& from) {
  kernel::lighting light;
  for (int axis = 0; axis < 3; ++axis) {
    light.toward_eye[axis] = -from.forward[axis];
    light.toward_light[axis] = -from.forward[axis] - 0.6 * from.right[axis] + 0.8 * from.up[axis];
  }
  return light;
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

// The sum of `body(part)` over square parts of `own`. Neighbouring rays read the same voxels: parts keep these in cache.
template <class F>
std::int64_t over_parts(const pixel_box& own, F body) {
  constexpr int edge = 16;
  const std::int64_t across = (own.width() + edge - 1) / edge, down = (own.height() + edge - 1) / edge;
  std::int64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (std::int64_t t = 0; t < across * down; ++t) {
    const int left = own.left + static_cast<int>(t % across) * edge, top = own.top + static_cast<int>(t / across) * edge;
    sum += body(pixel_box{left, top, std::min(own.right, left + edge), std::min(own.bottom, top + edge)});
  }
  return sum;
}

// The rays of this block.
struct caster {
  const view& from;
  pixel_box own, frame;
  double step;

  std::size_t place(int column, int row) const {
    return static_cast<std::size_t>((row - frame.top) * frame.width() + column - frame.left);
  }
  kernel::ray ray(int column, int row) const {
    kernel::ray result = from.ray_through(column, row);
    result.entry += stagger(column, row) * step;
    return result;
  }
};

// Cast rays, those of neighbouring pixels together.
// @param before a pixel's number -> depth before this block, or none if its ray is not to be cast
// @param keep (a pixel's number, travel)
// @return number of samples
template <class Before, class Keep>
std::int64_t cast(const kernel::march_volume& volume, const caster& rays, Before before, Keep keep) {
  return over_parts(rays.own, [&](const pixel_box& part) {
    constexpr int edge = 4;
    std::int64_t samples = 0;
    for (int top = part.top; top < part.bottom; top += edge)
      for (int left = part.left; left < part.right; left += edge) {
        std::array<kernel::travel, edge * edge> together;
        std::array<std::size_t, edge * edge> place;
        std::size_t count = 0;
        for (int row = top; row < std::min(part.bottom, top + edge); ++row)
          for (int column = left; column < std::min(part.right, left + edge); ++column) {
            place[count] = rays.place(column, row);
            const std::optional<kernel::optical_depth> depth = before(place[count]);
            if (!depth) continue;
            together[count].along = rays.ray(column, row);
            together[count].before = *depth;
            ++count;
          }
        volume.march(std::span(together).first(count), samples);
        for (std::size_t i = 0; i < count; ++i) keep(place[i], together[i]);
      }
    return samples;
  });
}

void add_depths(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const kernel::optical_depth*>(in);
  auto* b = static_cast<kernel::optical_depth*>(inout);
  for (int i = 0; i < *count; ++i) b[i] = kernel::deeper(a[i], b[i]);
}

// Of each pixel, how deep its ray is where it comes to this block. Collective.
std::vector<kernel::optical_depth> depth_before(MPI_Comm comm, const std::vector<int>& order,
                                                const std::vector<kernel::optical_depth>& own) {
  const int place = static_cast<int>(std::find(order.begin(), order.end(), comm::rank(comm)) - order.begin());
  std::vector<kernel::optical_depth> before(own.size());
  MPI_Comm in_order = MPI_COMM_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Comm_split(comm, 0, place, &in_order);
  MPI_Op_create(add_depths, 1, &op);
  MPI_Exscan(own.data(), before.data(), static_cast<int>(own.size()), MPI_UINT16_T, op, in_order);
  MPI_Op_free(&op);
  MPI_Comm_free(&in_order);
  if (place == 0) std::fill(before.begin(), before.end(), kernel::optical_depth{0});  // MPI leaves it undefined
  return before;
}

// Cast the rays of this block into `pixels`, shape (frame.height, frame.width). Collective.
//
// Rays end where next to no light is left, but a block does not know how much of it is left where a ray comes in. So each
// casts as if it were the first, and those few rays again that come from others and end in this block.
// @return number of samples
std::int64_t cast_all(MPI_Comm comm, const std::vector<int>& order, const kernel::march_volume& volume, const caster& rays,
                      std::vector<kernel::wide_pixel>& pixels) {
  const bool alone = order.size() == 1;
  std::vector<kernel::optical_depth> depth(alone ? 0 : pixels.size(), 0);
  const auto keep = [&](std::size_t i, const kernel::travel& done) {
    pixels[i] = done.result;
    if (!alone) depth[i] = done.depth;
  };
  std::int64_t samples = cast(volume, rays, [](std::size_t) { return std::optional<kernel::optical_depth>(0); }, keep);
  if (alone) return samples;
  const auto before = depth_before(comm, order, depth);
  samples += cast(
      volume, rays,
      [&](std::size_t i) -> std::optional<kernel::optical_depth> {
        if (before[i] == 0 || kernel::deeper(before[i], depth[i]) < kernel::opaque_depth) return {};
        pixels[i] = {};
        if (before[i] >= kernel::opaque_depth) return {};
        return before[i];
      },
      keep);
  return samples;
}

// Colours of the values that a layer may have.
class colours {
 public:
  explicit colours(const layer& look)
      : table_(tabulate(look.transfer, 1, 1)),
        last_(static_cast<double>(table_.entries.size() - 1)),
        low_(table_.low),
        range_(static_cast<double>(table_.high) - low_) {}

  /// @param at 0 for the least value, 1 for the greatest
  const std::array<float, 4>& share(double at) const {
    return table_.entries[static_cast<std::size_t>(std::clamp(at, 0.0, 1.0) * last_)];
  }
  const std::array<float, 4>& value(double v) const { return share(range_ > 0 ? (v - low_) / range_ : 1); }

 private:
  kernel::transfer_table table_;
  double last_, low_, range_;
};

// Draw the surface of this block. @return number of samples
std::int64_t draw_surface(const caster& rays, const kernel::ray_surface& surface, const layer& look,
                          std::vector<kernel::wide_pixel>& pixels) {
  const colours colour(look);
  const kernel::lighting light = light_of(rays.from);
  const vector3 toward_light = kernel::unit(light.toward_light), middle = kernel::half_way(light);
  return over_parts(rays.own, [&](const pixel_box& part) {
    std::int64_t samples = 0;
    for (int row = part.top; row < part.bottom; ++row)
      for (int column = part.left; column < part.right; ++column) {
        const kernel::ray along = rays.from.ray_through(column, row);
        const auto hit = surface.first(along, samples);
        if (!hit) continue;
        const vector3 normal = hit->cut ? rays.from.face_entered(along) : hit->normal;
        const double value = surface.interpolate(look.field->values.data(), hit->point);
        const auto& shown = colour.value(std::isnan(value) ? -std::numeric_limits<double>::infinity() : value);
        const double diffuse = kernel::diffuse_light(kernel::dot(normal, toward_light)),
                     mirrored = kernel::mirrored_light(kernel::dot(normal, middle));
        kernel::wide_pixel& pixel = pixels[rays.place(column, row)];
        for (std::size_t c = 0; c < 3; ++c)
          pixel.high[c] = std::min(1.0, static_cast<double>(shown[c]) * diffuse + mirrored);
        pixel.high[3] = 0;
      }
    return samples;
  });
}

struct projected {
  std::vector<float> greatest;
  std::vector<std::int64_t> sum, count;
};

// One number a pixel, from all ranks on rank 0, shape (frame.height, frame.width). Collective.
projected project_all(MPI_Comm comm, const kernel::march_volume& volume, const caster& rays, std::int64_t& samples) {
  const auto pixels = static_cast<std::size_t>(rays.frame.size());
  projected result{std::vector<float>(pixels, -std::numeric_limits<float>::infinity()), std::vector<std::int64_t>(pixels),
                   std::vector<std::int64_t>(pixels)};
  samples = over_parts(rays.own, [&](const pixel_box& part) {
    std::int64_t count = 0;
    for (int row = part.top; row < part.bottom; ++row)
      for (int column = part.left; column < part.right; ++column) {
        kernel::projection found;
        volume.project(rays.ray(column, row), found, count);
        const std::size_t i = rays.place(column, row);
        result.greatest[i] = found.greatest;
        result.sum[i] = found.sum;
        result.count[i] = found.count;
      }
    return count;
  });
  const auto reduce = [&](void* values, MPI_Datatype type, MPI_Op op) {
    const bool root = comm::rank(comm) == 0;
    MPI_Reduce(root ? MPI_IN_PLACE : values, root ? values : nullptr, static_cast<int>(pixels), type, op, 0, comm);
  };
  reduce(result.greatest.data(), MPI_FLOAT, MPI_MAX);
  reduce(result.sum.data(), MPI_INT64_T, MPI_SUM);
  reduce(result.count.data(), MPI_INT64_T, MPI_SUM);
  return result;
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
