#include <osteon/job/elasticity/model_conditions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace osteon::job {

void add_conditions(const node_sets& sets, load_case& to, log_sink& log) {
  const auto& conditions = sets.part().header.conditions;
  if (conditions.empty()) return;
  const MPI_Comm comm = sets.comm();
  std::map<std::int32_t, int> held;  // axes of each held node of this rank, as bits
  std::map<std::int32_t, vector3> pulled;
  std::vector<std::uint8_t> found(conditions.size());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const voxel::node_condition& c = conditions[i];
    const index3 at = c.node - sets.grid().begin;
    const std::int32_t node = sets.grid().nodes->find(at.z, at.y, at.x);
    if (node < 0) continue;
    found[i] = 1;
    for (int a = 0; a < 3; ++a)
      if (c.held[static_cast<std::size_t>(a)]) held[node] |= 1 << a;
    if (c.force_N == vector3{} || !sets.owns(node)) continue;  // what ranks give adds up
    vector3& force = pulled[node];
    for (int a = 0; a < 3; ++a) force[a] += c.force_N[a];
  }
  for (std::size_t first = 0; first < found.size(); first += std::size_t{1} << 30)
    MPI_Allreduce(MPI_IN_PLACE, found.data() + first, static_cast<int>(std::min(found.size() - first, std::size_t{1} << 30)),
                  MPI_UINT8_T, MPI_MAX, comm);
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const voxel::node_condition& c = conditions[i];
    if (found[i] || c.preserved) continue;
    ++lost;
    if (!(c.force_N == vector3{}))  // all ranks see the same
      throw data_error(fmt::format(
          "a force of the model pulls at the node x, y, z = {}, {}, {} (counted from 0), which belongs to no voxel that a "
          "support holds; move it to the solid, or hold the part that it pulls at",
          c.node.x, c.node.y, c.node.z));
  }
  if (lost > 0)
    log.warn(fmt::format("{} nodes that the model holds belong to no voxel of the solid; they hold nothing", lost));

  for (int axes = 1; axes < 8; ++axes) {
    std::vector<std::int32_t> nodes;
    for (const auto& [node, bits] : held)
      if (bits == axes) nodes.push_back(node);
    int any = !nodes.empty();
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
    if (!any) continue;
    support s;
    std::string letters;
    for (std::size_t a = 0; a < 3; ++a) {
      s.held[a] = (axes >> a & 1) != 0;
      if (s.held[a]) letters += "zyx"[a];
    }
    s.on = sets.make("nodes held along " + letters, std::move(nodes), "listed nodes");
    s.about_mm = s.on->centroid_mm;
    to.supports.push_back(std::move(s));
  }
  applied_force force{"forces of the model", static_cast<std::int64_t>(pulled.size()), {}, {}};
  double sum[3] = {};
  for (const auto& [node, f] : pulled) {
    force.nodes.push_back({node, f});
    for (int a = 0; a < 3; ++a) sum[a] += f[a];
  }
  MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &force.size, 1, MPI_INT64_T, MPI_SUM, comm);
  force.total_N = {sum[0], sum[1], sum[2]};
  if (force.size > 0) to.forces.push_back(std::move(force));
}

}  // namespace osteon::job
