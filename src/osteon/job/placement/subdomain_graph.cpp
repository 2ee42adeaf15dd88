#include <algorithm>
#include <map>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/placement/rank_graph.hpp>

namespace osteon::job {

namespace {

// Other ranks with an active voxel at a node of `box`; empty if `box` has no active voxel at this node.
std::vector<int> others_at(const grid::box_tree& tree, view3<const material_number> material, const box3& box, index3 node) {
  std::vector<int> others;
  bool own = false;
  for (int corner = 0; corner < 8; ++corner) {
    const index3 voxel{node.z - (corner >> 2), node.y - (corner >> 1 & 1), node.x - (corner & 1)};
    if (!box3{{0, 0, 0}, tree.domain()}.contains(voxel) || material(voxel.z, voxel.y, voxel.x) == 0) continue;
    if (box.contains(voxel))
      own = true;
    else
      others.push_back(tree.owner_of(voxel));
  }
  if (!own) return {};
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

}  // namespace

placement::graph shared_node_graph(const grid::box_tree& tree, view3<const material_number> material, int values) {
  std::vector<placement::edge> edges;
  for (int rank = 0; rank < tree.ranks(); ++rank) {
    const box3 box = tree.box_of(rank);
    if (box.empty()) continue;
    std::map<int, std::int64_t> shared;
    const auto count = [&](index3 node) {
      for (const int other : others_at(tree, material, box, node))
        if (other > rank) ++shared[other];
    };
    for (std::int64_t z = box.begin.z; z <= box.end.z; ++z)
      for (std::int64_t y = box.begin.y; y <= box.end.y; ++y) {
        const bool on_face = z == box.begin.z || z == box.end.z || y == box.begin.y || y == box.end.y;
        const std::int64_t step =
            on_face ? 1 : box.end.x - box.begin.x;  // inside, only the ends of a row are on the surface
        for (std::int64_t x = box.begin.x; x <= box.end.x; x += step) count({z, y, x});
      }
    for (const auto& [other, nodes] : shared) edges.push_back({rank, other, nodes * values * 8});
  }
  return placement::from_edges(tree.ranks(), edges);
}

placement::graph subdomain_graph(MPI_Comm comm, const std::string& model, int ranks, bool planes, int values,
                                 log_sink& log) {
  const voxel::model_header header = io::read_model_header(comm, model, {}, log);
  const box3 all{{0, 0, 0}, header.shape};
  const std::vector<material_number> material = io::read_model_planes(comm, model, header, all);
  const view3<const material_number> voxels(material.data(), header.shape);
  if (planes)
    return shared_node_graph(grid::box_tree::of_planes(header.shape, grid::balance_planes(header.active_per_plane, ranks)),
                             voxels, values);
  return shared_node_graph(grid::balance_bricks(comm, header.shape, all, voxels, ranks), voxels, values);
}

}  // namespace osteon::job
