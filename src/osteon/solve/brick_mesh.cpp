#include <osteon/solve/brick_mesh.hpp>

#include <algorithm>

namespace osteon::solve {

namespace {

// Numbers the active points of one plane of `shape` in y, x order from `next`.
std::int32_t number_points(std::vector<std::int32_t>& plane, std::int32_t next) {
  for (std::int32_t& point : plane)
    if (point >= 0) point = next++;
  return next;
}

}  // namespace

coarse_mesh coarsen(index3 shape, std::int64_t z_begin, std::int64_t z_end, std::int32_t nodes,
                    const std::function<void(std::int64_t z, const brick_visitor&)>& visit_plane) {
  coarse_mesh result;
  brick_mesh& mesh = result.mesh;
  mesh.shape = {(shape.z + 1) / 2, (shape.y + 1) / 2, (shape.x + 1) / 2};
  mesh.z_begin = z_begin / 2;
  mesh.z_end = (z_end + 1) / 2;
  result.node_brick.assign(static_cast<std::size_t>(nodes), -1);
  result.node_place.assign(static_cast<std::size_t>(nodes), 0);
  const std::int64_t width = mesh.shape.x, node_width = width + 1;
  const auto plane_size = static_cast<std::size_t>(mesh.shape.y * width);
  const auto node_plane_size = static_cast<std::size_t>((mesh.shape.y + 1) * node_width);

  // One plane of parents at a time: dense maps of a plane, never of the box.
  std::vector<std::int32_t> brick(plane_size), next_brick(plane_size), lower(node_plane_size), upper(node_plane_size);
  std::int32_t bricks = 0, numbered = 0;
  const auto children_planes = [&](std::int64_t z, auto&& body) {
    for (std::int64_t child = std::max(z_begin, 2 * z); child < std::min(z_end, 2 * z + 2); ++child) body(child);
  };
  const auto mark = [&](std::int64_t z, std::vector<std::int32_t>& plane) {
    std::fill(plane.begin(), plane.end(), -1);
    if (z >= mesh.z_begin && z < mesh.z_end)
      children_planes(z, [&](std::int64_t child) {
        visit_plane(child, [&](std::int64_t y, std::int64_t x, const auto&) {
          plane[static_cast<std::size_t>(y / 2 * width + x / 2)] = 0;
        });
      });
  };
  // The nodes of plane z are corners of the bricks on either side.
  const auto number_nodes = [&](std::int64_t z, std::vector<std::int32_t>& plane, const auto&... sides) {
    std::fill(plane.begin(), plane.end(), -1);
    const auto corners_of = [&](const std::vector<std::int32_t>& side) {
      for (std::int64_t y = 0; y < mesh.shape.y; ++y)
        for (std::int64_t x = 0; x < width; ++x)
          if (side[static_cast<std::size_t>(y * width + x)] >= 0)
            for (const std::int64_t corner : {y * node_width + x, (y + 1) * node_width + x}) {
              plane[static_cast<std::size_t>(corner)] = 0;
              plane[static_cast<std::size_t>(corner) + 1] = 0;
            }
    };
    (corners_of(sides), ...);
    numbered = number_points(plane, numbered);
    for (std::size_t i = 0; i < node_plane_size; ++i)
      if (plane[i] >= 0)
        mesh.node_id.push_back(z * static_cast<std::int64_t>(node_plane_size) + static_cast<std::int64_t>(i));
  };

  mark(mesh.z_begin, brick);
  number_nodes(mesh.z_begin, lower, brick);
  for (std::int64_t z = mesh.z_begin; z < mesh.z_end; ++z) {
    mesh.plane_begin.push_back(bricks);
    bricks = number_points(brick, bricks);
    mark(z + 1, next_brick);
    number_nodes(z + 1, upper, brick, next_brick);
    for (std::int64_t y = 0; y < mesh.shape.y; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        if (brick[static_cast<std::size_t>(y * width + x)] < 0) continue;
        const auto at = static_cast<std::size_t>(y * node_width + x), over = at + static_cast<std::size_t>(node_width);
        mesh.corners.push_back({lower[at], lower[at + 1], lower[over], lower[over + 1], upper[at], upper[at + 1],
                                upper[over], upper[over + 1]});
      }
    children_planes(z, [&](std::int64_t child) {
      visit_plane(child, [&](std::int64_t y, std::int64_t x, const auto& corners) {
        const std::int32_t parent = brick[static_cast<std::size_t>(y / 2 * width + x / 2)];
        result.parent.push_back(parent);
        for (int a = 0; a < 8; ++a) {
          const auto node = static_cast<std::size_t>(corners[static_cast<std::size_t>(a)]);
          const auto place = 9 * ((child & 1) + (a >> 2)) + 3 * ((y & 1) + (a >> 1 & 1)) + (x & 1) + (a & 1);
          if (result.node_brick[node] >= 0) continue;
          result.node_brick[node] = parent;
          result.node_place[node] = static_cast<std::uint8_t>(place);
        }
      });
    });
    std::swap(brick, next_brick);
    std::swap(lower, upper);
  }
  mesh.plane_begin.push_back(bricks);
  return result;
}

coarse_mesh coarsen(const brick_mesh& children) {
  const std::int64_t node_width = children.shape.x + 1, node_height = children.shape.y + 1;
  return coarsen(children.shape, children.z_begin, children.z_end, static_cast<std::int32_t>(children.node_id.size()),
                 [&](std::int64_t z, const brick_visitor& visit) {
                   const auto plane = static_cast<std::size_t>(z - children.z_begin);
                   for (std::int32_t e = children.plane_begin[plane]; e < children.plane_begin[plane + 1]; ++e) {
                     const auto& corners = children.corners[static_cast<std::size_t>(e)];
                     const std::int64_t id = children.node_id[static_cast<std::size_t>(corners[0])];
                     visit(id / node_width % node_height, id % node_width, corners);
                   }
                 });
}

}  // namespace osteon::solve
