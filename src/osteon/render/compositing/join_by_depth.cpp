#include <osteon/render/rays/cast_rays.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/render/compositing/exchange.hpp>

namespace osteon::render {

namespace {

// Partial image of a block in a pixel.
struct seen_part {
  kernel::wide_pixel result;
  std::int64_t pixel = 0;
  double middle = 0;  // centre of the segment of the ray in the block; segments of different blocks do not overlap
  kernel::optical_depth depth = 0, before = 0;
};

// Centre of the part of a ray that is inside a box, in mm along the ray.
double middle_of(const kernel::ray& along, const box3& box) {
  double in = along.entry, out = along.exit;
  const auto& [origin, direction] = std::pair(along.origin, along.direction);
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] == 0) continue;
    const double a = (static_cast<double>(box.begin[axis]) - origin[axis]) / direction[axis],
                 b = (static_cast<double>(box.end[axis]) - origin[axis]) / direction[axis];
    in = std::max(in, std::min(a, b));
    out = std::min(out, std::max(a, b));
  }
  return 0.5 * (in + out);
}

bool is_empty(const kernel::wide_pixel& p) {
  const kernel::wide_pixel nothing;
  return std::memcmp(&p, &nothing, sizeof p) == 0;
}

// True if a block must cast a ray again. A ray must be cast again if the ray becomes opaque inside the block because of the
// depth in front of the block.
bool ends_within(const seen_part& p) {
  return p.before != 0 && p.before < kernel::opaque_depth && kernel::deeper(p.before, p.depth) >= kernel::opaque_depth;
}

}  // namespace

plan::span stripe_of(int rank, int ranks, std::int64_t pixels) {
  return {pixels * rank / ranks, pixels * (rank + 1) / ranks};
}

void join_by_depth(MPI_Comm comm, const box3& owned, const caster& rays, std::vector<kernel::wide_pixel>& pixels,
                   const std::vector<kernel::optical_depth>& depth,
                   const std::function<void(const std::vector<kernel::optical_depth>&)>& cast_again) {
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  const auto all = static_cast<std::int64_t>(pixels.size());
  std::vector<seen_part> mine;
  std::vector<int> to(static_cast<std::size_t>(ranks)), from(to);
  comm::collectively(comm, [&] {
    int owner = 0;
    for (int row = rays.own.top; row < rays.own.bottom; ++row)
      for (int column = rays.own.left; column < rays.own.right; ++column) {
        const std::size_t i = rays.place(column, row);
        if (is_empty(pixels[i])) continue;
        const auto number = static_cast<std::int64_t>(i);
        mine.push_back({pixels[i], number, middle_of(rays.ray(column, row), owned),
                        depth.empty() ? kernel::optical_depth{0} : depth[i]});
        while (number >= stripe_of(owner, ranks, all).end) ++owner;
        ++to[static_cast<std::size_t>(owner)];
      }
  });
  MPI_Alltoall(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, comm);
  std::vector<seen_part> parts = exchange(comm, mine, to, from);

  std::vector<std::size_t> by_depth(parts.size());
  std::iota(by_depth.begin(), by_depth.end(), std::size_t{0});
  std::sort(by_depth.begin(), by_depth.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(parts[a].pixel, parts[a].middle) < std::pair(parts[b].pixel, parts[b].middle);
  });
  for (std::size_t k = 1; k < by_depth.size(); ++k) {
    const seen_part& front = parts[by_depth[k - 1]];
    seen_part& back = parts[by_depth[k]];
    if (front.pixel == back.pixel) back.before = kernel::deeper(front.before, front.depth);
  }

  std::vector<kernel::optical_depth> depth_before, before(pixels.size(), 0);
  for (const seen_part& p : parts) depth_before.push_back(p.before);
  depth_before = exchange(comm, depth_before, from, to);
  std::vector<int> again_to(to.size()), again_from(to.size());
  std::vector<kernel::wide_pixel> again;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    mine[k].before = depth_before[k];
    if (ends_within(mine[k])) before[static_cast<std::size_t>(mine[k].pixel)] = depth_before[k];
  }
  cast_again(before);
  auto next = mine.begin();
  for (std::size_t r = 0; r < to.size(); ++r)
    for (int count = to[r]; count > 0; --count, ++next)
      if (ends_within(*next)) {
        again.push_back(pixels[static_cast<std::size_t>(next->pixel)]);
        ++again_to[r];
      }
  auto part = parts.begin();
  for (std::size_t r = 0; r < from.size(); ++r)
    for (int count = from[r]; count > 0; --count, ++part) again_from[r] += ends_within(*part);
  again = exchange(comm, again, again_to, again_from);
  auto better = again.begin();
  for (seen_part& p : parts)
    if (ends_within(p)) p.result = *better++;

  const plan::span stripe = stripe_of(rank, ranks, all);
  std::fill(pixels.begin() + stripe.begin, pixels.begin() + stripe.end, kernel::wide_pixel{});
  for (const std::size_t k : by_depth) {
    const seen_part& p = parts[k];
    if (p.before < kernel::opaque_depth) kernel::blend(&pixels[static_cast<std::size_t>(p.pixel)], &p.result, 1, false);
  }
}

}  // namespace osteon::render
