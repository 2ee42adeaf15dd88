#include <osteon/physics/elasticity/adapters/script_results.hpp>

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/io/voxfe/write_results.hpp>
#include <osteon/physics/elasticity/solver/strain_stress.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/voxel/node_set.hpp>

namespace osteon::physics {

namespace fs = std::filesystem;
namespace vx = io::voxfe;

namespace {

// Sums of the strains at the voxels around each node, and their number, complete on all ranks; shape (nodes, 7).
std::vector<double> strains_around_nodes(const local_model& part, const derived_fields& state) {
  const numerics::elasticity_problem& problem = *state.problem;
  const voxel::node_grid grid{&problem.cells, &problem.nodes, part.where.owned.begin, problem.spacing_mm, {}};
  std::vector<double> sums;
  comm::collectively(part.where.comm, [&] {
    const std::vector<float> strain = physics::strain(problem, *state.displacement_mm);
    sums.resize(7 * static_cast<std::size_t>(problem.nodes.size()));
    voxel::for_each_cell(grid, [&](std::int32_t cell, const std::array<std::int32_t, 8>& corners) {
      for (const std::int32_t node : corners) {
        double* const at = sums.data() + 7 * static_cast<std::ptrdiff_t>(node);
        for (int c = 0; c < 6; ++c) at[c] += strain[static_cast<std::size_t>(6 * static_cast<std::int64_t>(cell) + c)];
        at[6] += 1;
      }
    });
  });
  grid::share_nodes(part.where, problem.nodes).exchange_add(sums.data(), {7, 1, 7});
  return sums;
}

// Largest first. @param e xx, yy, zz and engineering shears xy, yz, xz
std::array<double, 3> principal(const std::array<double, 6>& e) {
  Eigen::Matrix3d tensor;
  tensor << e[0], e[3] / 2, e[5] / 2, e[3] / 2, e[1], e[4] / 2, e[5] / 2, e[4] / 2, e[2];
  const Eigen::Vector3d values =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor, Eigen::EigenvaluesOnly).eigenvalues();
  return {values[2], values[1], values[0]};
}

/// The nodes of the script's model, with the solution where there is one: what was dropped has not moved.
class script_nodes {
 public:
  script_nodes(const local_model& part, const script_elements& elements, const derived_fields& state)
      : part_(part), solved_(state.problem->nodes) {
    cells_ = voxel::active_cells({elements.material.data(), part.where.owned.shape()});
    nodes_ = voxel::corner_nodes(cells_);
  }
  const voxel::run_set& cells() const { return cells_; }

  /// Rows of the nodes that `wanted(id)` is true for. @param fill(node or -1, id, row) local @collective
  template <class Wanted, class F>
  vx::node_rows rows(int components, Wanted wanted, F fill) const {
    vx::node_rows rows;
    comm::collectively(part_.where.comm, [&] {
      rows.components = components;
      const voxel::node_grid grid{&cells_, &nodes_, part_.where.owned.begin, part_.header.spacing_mm, {}};
      std::vector<double> row(static_cast<std::size_t>(components));
      voxel::for_each_node(grid, [&](std::int32_t, index3 at) {
        const std::int64_t id = grid::node_id(part_.where.domain, at);
        if (!wanted(id)) return;
        const index3 local = at - part_.where.owned.begin;
        std::fill(row.begin(), row.end(), 0.0);
        fill(solved_.find(local.z, local.y, local.x), id, row.data());
        rows.id.push_back(id);
        rows.value.insert(rows.value.end(), row.begin(), row.end());
      });
    });
    return vx::settle(part_.where, std::move(rows));
  }

 private:
  const local_model& part_;
  const voxel::run_set& solved_;
  voxel::run_set cells_, nodes_;
};

// The last part of a name, in the output directory; a script cannot write elsewhere.
std::string target(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / fs::path(name).filename()).string();
}

}  // namespace

nlohmann::ordered_json write_script_results(const script_reading& script, const local_model& part,
                                            const derived_fields& state, const std::vector<double>& reaction_N,
                                            const std::string& directory, log_sink& log) {
  const vx::script& s = *script.text;
  const auto& elements = *static_cast<const script_elements*>(part.of_source.get());
  const MPI_Comm comm = part.where.comm;
  const vx::text_access access = script.access;
  const bool metres = script.how.units == vx::unit_system::m_Pa;
  const double length = metres ? 1e-3 : 1, pressure = metres ? 1e6 : 1;
  const stopwatch watch;
  std::int64_t bytes = 0;
  nlohmann::ordered_json files = nlohmann::ordered_json::object();
  std::optional<script_nodes> nodes;
  comm::collectively(comm, [&] {
    nodes.emplace(part, elements, state);
    for (const auto& [what, name] : {std::pair<const char*, const std::string&>{"displacement", s.results.displacement},
                                     {"full_strain", s.results.strain},
                                     {"reaction", s.results.reaction},
                                     {"sed", s.results.sed}})
      if (!name.empty()) files[what] = target(directory, name);
  });
  const auto file = [&](const char* what) { return files.at(what).get<std::string>(); };
  const auto all = [](std::int64_t) { return true; };
  const auto displacement = [&](std::int32_t node, double* row) {
    for (std::int64_t c = 0; node >= 0 && c < 3; ++c)
      row[c] = (*state.displacement_mm)[static_cast<std::size_t>(3 * static_cast<std::int64_t>(node) + 2 - c)] * length;
  };
  if (files.contains("displacement"))
    bytes += vx::write_displacement(
        comm, s, file("displacement"), access,
        nodes->rows(3, all, [&](std::int32_t node, std::int64_t, double* row) { displacement(node, row); }));
  if (files.contains("full_strain")) {
    const std::vector<double> sums = strains_around_nodes(part, state);
    bytes += vx::write_full_strain(comm, s, file("full_strain"), access,
                                   nodes->rows(12, all, [&](std::int32_t node, std::int64_t, double* row) {
                                     if (node < 0) return;
                                     displacement(node, row);
                                     const double* const sum = sums.data() + 7 * static_cast<std::ptrdiff_t>(node);
                                     std::array<double, 6> e{};
                                     for (std::size_t c = 0; c < 6; ++c) row[3 + c] = e[c] = sum[c] / sum[6];
                                     const auto values = principal(e);
                                     std::copy(values.begin(), values.end(), row + 9);
                                   }));
  }
  if (files.contains("reaction")) {
    std::map<std::int64_t, std::array<double, 6>> named;  // force and locks, x y z
    for (const voxel::node_condition& c : part.header.conditions) {
      auto& v = named[grid::node_id(part.where.domain, c.node)];
      for (int a = 0; a < 3; ++a) {
        v[static_cast<std::size_t>(2 - a)] += c.force_N[a];
        if (c.held[static_cast<std::size_t>(a)]) v[static_cast<std::size_t>(5 - a)] = 1;
      }
    }
    const vx::node_rows ids = nodes->rows(0, all, [](std::int32_t, std::int64_t, double*) {});
    const vx::node_rows rows = nodes->rows(
        9, [&](std::int64_t id) { return named.count(id) > 0; },
        [&](std::int32_t node, std::int64_t id, double* row) {
          const auto& v = named.at(id);
          for (std::size_t c = 0; c < 3; ++c) {
            const bool locked = v[3 + c] != 0 && node >= 0;  // elsewhere only rounding is left
            if (locked) row[c] = reaction_N[static_cast<std::size_t>(3 * static_cast<std::int64_t>(node)) + 2 - c];
            row[3 + c] = v[c];
            row[6 + c] = v[3 + c];
          }
        });
    bytes += vx::write_reactions(comm, s, file("reaction"), access, ids, rows, elements.base);
  }
  if (files.contains("sed")) {
    std::vector<float> sed;
    comm::collectively(comm, [&] {
      // As VoxFE-UV defines it: u.K.u / 2V of the element.
      const std::vector<float> density = integrated_energy_density(*state.problem, *state.displacement_mm);
      for (const voxel::run& r : nodes->cells().runs())
        for (std::int32_t i = 0; i < r.length; ++i) {
          const std::int32_t cell = part.cells.find(r.z, r.y, r.x + i);
          sed.push_back(cell < 0 ? 0.0F : static_cast<float>(density[static_cast<std::size_t>(cell)] * pressure));
        }
    });
    bytes += vx::write_sed(part.where, s, file("sed"), access, {elements.material.data(), part.where.owned.shape()}, sed,
                           elements.base);
  }
  if (!files.empty())
    log.note(fmt::format("{} text files, {:.1f} MB, {:.1f} MB/s", files.size(), static_cast<double>(bytes) * 1e-6,
                         static_cast<double>(bytes) * 1e-6 / std::max(watch.seconds(), 1e-9)));
  return files;
}

}  // namespace osteon::physics
