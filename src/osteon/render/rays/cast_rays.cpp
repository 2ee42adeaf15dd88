#include <osteon/render/rays/cast_rays.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/render/rays/over_parts.hpp>

namespace osteon::render {

namespace {

// Cast rays in groups of neighbouring pixels.
// @param before function of the pixel number that returns the depth in front of this block; without a result, the ray is
// omitted
// @param keep function of the pixel number and of the result of the ray; the function stores this result
// @return number of samples
template <class Before, class Keep>
std::int64_t cast(const kernel::march_volume& volume, const caster& rays, Before before, Keep keep) {
  return over_parts(rays.own, [&](const pixel_box& part) {
    constexpr int edge = 8;
    std::int64_t samples = 0;
    std::array<kernel::travel, edge * edge> together;
    std::array<std::size_t, edge * edge> place;
    for (int top = part.top; top < part.bottom; top += edge)
      for (int left = part.left; left < part.right; left += edge) {
        std::size_t count = 0;
        const int right = std::min(part.right, left + edge);
        for (int row = top; row < std::min(part.bottom, top + edge); ++row)
          for (int column = left; column < right; column += 4) {
            const auto four = rays.from.staggered_rays(column, row, rays.step);
            for (int lane = 0; lane < std::min(4, right - column); ++lane) {
              const double exit = std::min(four.exit[lane], rays.end(column + lane, row));
              if (!(exit > four.entry[lane])) continue;
              place[count] = rays.place(column + lane, row);
              const std::optional<kernel::optical_depth> depth = before(place[count]);
              if (!depth) continue;
              kernel::travel& next = together[count];
              for (int axis = 0; axis < 3; ++axis) {
                next.along.origin[axis] = four.origin[axis][lane];
                next.along.direction[axis] = four.direction[axis][lane];
              }
              next.along.entry = four.entry[lane];
              next.along.exit = exit;
              next.before = *depth;
              next.result = {};
              ++count;
            }
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

// Optical depth of the rays at their entry into this block. The function is collective.
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
  // MPI_Exscan leaves this value undefined
  if (place == 0) std::fill(before.begin(), before.end(), kernel::optical_depth{0});
  return before;
}

}  // namespace

kernel::lighting light_of(const view& from) {
  kernel::lighting light;
  for (int axis = 0; axis < 3; ++axis) {
    light.toward_eye[axis] = -from.forward[axis];
    light.toward_light[axis] = -from.forward[axis] - 0.6 * from.right[axis] + 0.8 * from.up[axis];
  }
  return light;
}

std::int64_t cast_alone(const kernel::march_volume& volume, const caster& rays, std::vector<std::array<float, 4>>& pixels) {
  return cast(
      volume, rays, [](std::size_t) { return std::optional<kernel::optical_depth>(0); },
      [&](std::size_t i, const kernel::travel& done) { pixels[i] = kernel::rounded(done.result); });
}

std::int64_t cast_block(const kernel::march_volume& volume, const caster& rays, const ray_target& pixels,
                        std::vector<kernel::optical_depth>& depth) {
  return cast(
      volume, rays, [](std::size_t) { return std::optional<kernel::optical_depth>(0); },
      [&](std::size_t i, const kernel::travel& done) {
        pixels.put(i, done.result);
        depth[i] = done.depth;
      });
}

std::int64_t cast_again(const kernel::march_volume& volume, const caster& rays,
                        const std::vector<kernel::optical_depth>& before, const ray_target& pixels) {
  return cast(
      volume, rays,
      [&](std::size_t i) -> std::optional<kernel::optical_depth> {
        if (before[i] == 0) return {};
        pixels.put(i, {});
        if (before[i] >= kernel::opaque_depth) return {};
        return before[i];
      },
      [&](std::size_t i, const kernel::travel& done) { pixels.put(i, done.result); });
}

std::int64_t cast_all(MPI_Comm comm, const std::vector<int>& order, const kernel::march_volume& volume, const caster& rays,
                      const ray_target& pixels) {
  std::vector<kernel::optical_depth> depth(static_cast<std::size_t>(rays.frame.size()), 0);
  std::int64_t samples = cast_block(volume, rays, pixels, depth);
  // The sum of the largest depths is an upper limit of the depth. If this limit is below the opaque depth, no ray has to be
  // repeated.
  std::int64_t deepest = depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end());
  comm::all_reduce(comm, &deepest, 1, MPI_SUM);
  if (deepest < kernel::opaque_depth) return samples;
  auto before = depth_before(comm, order, depth);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (kernel::deeper(before[i], depth[i]) < kernel::opaque_depth) before[i] = 0;
  return samples + cast_again(volume, rays, before, pixels);
}

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

}  // namespace osteon::render
