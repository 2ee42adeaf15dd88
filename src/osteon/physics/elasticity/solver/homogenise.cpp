#include <osteon/physics/elasticity/solver/homogenise.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/counted.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/elasticity/solver/loose_parts.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

using voigt_vector = std::array<double, 6>;
// Axis indices (in the order z, y, x) of the components xx, yy, zz, xy, yz, xz.
constexpr int row_of[6] = {2, 1, 0, 2, 1, 2}, column_of[6] = {2, 1, 0, 1, 0, 0};
constexpr const char* name_of[6] = {"xx", "yy", "zz", "xy", "yz", "xz"};

/// Add the mean stresses of the voxels of a run.
void add_stress(const elasticity_problem& problem, std::span<const double> displacement_mm,
                std::span<const kernel::lame> material, const voxel::run& r, voigt_vector& sum) {
  std::int32_t first[4];
  for (int row = 0; row < 4; ++row) first[row] = problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x);
  for (std::int32_t e = 0; e < r.length; ++e) {
    double gradient[3][3] = {};  // derivative of component c along d, mean over the voxel: upper face minus lower face
    for (int a = 0; a < 8; ++a) {
      const double* u = displacement_mm.data() + 3 * (static_cast<std::ptrdiff_t>(first[a / 2]) + (a & 1) + e);
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d) gradient[c][d] += (a >> (2 - d) & 1 ? u[c] : -u[c]) / (4 * problem.spacing_mm[d]);
    }
    const kernel::lame& m = material[problem.material[static_cast<std::size_t>(r.first + e)]];
    const double trace = gradient[0][0] + gradient[1][1] + gradient[2][2];
    for (std::size_t i = 0; i < 6; ++i)
      sum[i] +=
          m.mu * (gradient[row_of[i]][column_of[i]] + gradient[column_of[i]][row_of[i]]) + (i < 3 ? m.lambda * trace : 0);
  }
}

void hold(elasticity_problem& problem, std::int32_t node) {
  for (const axis direction : {axis::z, axis::y, axis::x}) problem.fixed.push_back({node, direction, 0.0});
}

/// Prescribe all displacements of the nodes on the outer faces of the box.
void hold_outer_faces(elasticity_problem& problem) {
  const index3 origin = problem.where.owned.begin, last = problem.where.domain;
  for (const voxel::run& r : problem.nodes.runs()) {
    const std::int64_t z = origin.z + r.z, y = origin.y + r.y;
    const bool whole = z == 0 || z == last.z || y == 0 || y == last.y;
    for (std::int32_t i = 0; i < r.length; ++i)
      if (const std::int64_t x = origin.x + r.x + i; whole || x == 0 || x == last.x) hold(problem, r.first + i);
  }
}

/// Constrain the translations: fix the first node of the image and its copies on other ranks and on opposite faces.
/// @collective
void hold_first_node(elasticity_problem& problem) {
  const index3 domain = problem.where.domain, origin = problem.where.owned.begin;
  const auto number = [&](index3 at) { return (at.z * (domain.y + 1) + at.y) * (domain.x + 1) + at.x; };
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const voxel::run& r : problem.nodes.runs()) first = std::min(first, number(origin + index3{r.z, r.y, r.x}));
  comm::all_reduce(problem.where.comm, &first, 1, MPI_MIN);
  const index3 held{first / (domain.x + 1) / (domain.y + 1), first / (domain.x + 1) % (domain.y + 1),
                    first % (domain.x + 1)};
  comm::collectively(problem.where.comm, [&] {
    for (const voxel::run& r : problem.nodes.runs())
      for (std::int32_t i = 0; i < r.length; ++i) {
        const index3 off = origin + index3{r.z, r.y, r.x + i} - held;
        if (off.z % domain.z == 0 && off.y % domain.y == 0 && off.x % domain.x == 0) hold(problem, r.first + i);
      }
  });
}

/// Reject an image that is not connected under periodic repetition.
void require_partners(const elasticity_problem& problem, log_sink& log) {
  const auto found = count_partners(problem);
  for (std::size_t across = 0; across < 3; ++across) {
    const auto& [nodes, paired] = found[across];
    if (paired == 0)
      throw data_error(
          fmt::format("none of the {} nodes on the periodic {} faces has a partner on the opposite face; crop the image to "
                      "whole unit cells, "
                      "or set load.boundary_condition = \"kubc\"",
                      nodes, "zyx"[across]));
    if (paired < nodes)
      log.note(fmt::format(
          "{} of {} nodes on the periodic {} faces have a partner on the opposite face; the others are free surface", paired,
          nodes, "zyx"[across]));
  }
}

/// Reject loose parts, because the position of a loose part is undetermined.
void require_one_body(const elasticity_problem& problem, box_faces faces) {
  const loose_parts found = find_loose_parts(problem);
  if (found.loose == 0) return;
  const vector3 &low = found.largest_low_mm, &high = found.largest_high_mm;
  throw data_error(
      fmt::format("{} of the {} parts of the solid ({}) are loose: {} isolated, and {} connected to other parts by single "
                  "nodes or edges "
                  "only; {}; the largest has {} between [{:g}, {:g}, {:g}] mm and [{:g}, {:g}, {:g}] mm of the image (z, y, "
                  "x); keep only "
                  "the largest part (segment.keep = \"largest\")",
                  found.loose, found.parts, counted(found.voxels, "voxel"), found.loose - found.hanging, found.hanging,
                  faces == box_faces::periodic ? "no periodic face connects these parts to the largest part"
                                               : "these parts do not touch the faces of the image",
                  counted(found.largest_voxels, "voxel"), low.z, low.y, low.x, high.z, high.y, high.x));
}

/// Prescribe the displacements of the faces of the box. @throws data_error if parts of the solid are loose @collective
void hold_box(elasticity_problem& problem, box_faces faces, log_sink& log) {
  problem.fixed.clear();
  problem.periodic.fill(faces == box_faces::periodic);
  if (faces == box_faces::kubc) {
    comm::collectively(problem.where.comm, [&] { hold_outer_faces(problem); });
  } else {
    require_partners(problem, log);
    hold_first_node(problem);
  }
  require_one_body(problem, faces);
}

}  // namespace

void check_homogenisation(elasticity_problem& problem, box_faces faces) {
  hold_box(problem, faces, null_log());
  check_elasticity(problem);
}

vector3 affine_displacement(int component, vector3 position_mm) {
  vector3 u;
  u[row_of[component]] += position_mm[column_of[component]] / 2;
  u[column_of[component]] += position_mm[row_of[component]] / 2;
  return u;
}

voigt_vector mean_stress_MPa(const elasticity_problem& problem, std::span<const double> displacement_mm) {
  const auto runs = problem.cells.runs();
  const std::vector<kernel::lame> material = lame_table(*problem.materials);
  const index_blocks blocks{.count = std::ssize(runs), .size = 512};
  voigt_vector mean = block_sums<6>(blocks, [&](std::int64_t begin, std::int64_t end, auto& sum) {
    for (std::int64_t i = begin; i < end; ++i)
      add_stress(problem, displacement_mm, material, runs[static_cast<std::size_t>(i)], sum);
  });
  comm::all_reduce(problem.where.comm, mean.data(), 6, MPI_SUM);
  for (double& value : mean) value /= static_cast<double>(problem.where.domain.volume());
  return mean;
}

homogenised homogenise(elasticity_problem& problem, box_faces faces, double strain, const options& options, log_sink& log) {
  if (strain == 0 || !std::isfinite(strain))
    throw usage_error(fmt::format("mean strain {}: must be finite and not 0, for example 0.01", strain));
  hold_box(problem, faces, log);
  elasticity_solver solver(problem, options, log);
  homogenised result;
  voigt_matrix column{};                                    // [case][component]
  for (const std::size_t load_case : {0, 1, 3, 4, 5, 2}) {  // zz is last, because the solution of zz is returned
    log.note(fmt::format("mean strain {}", name_of[load_case]));
    elasticity_load load;
    if (faces == box_faces::periodic) load.mean_strain[load_case] = strain;
    comm::collectively(problem.where.comm, [&] {
      if (faces == box_faces::periodic) return;
      load.prescribed_mm.reserve(problem.fixed.size());
      for (const prescribed_displacement& p : problem.fixed)
        load.prescribed_mm.push_back(
            strain *
            affine_displacement(static_cast<int>(load_case), position_mm(problem, p.node))[static_cast<int>(p.direction)]);
    });
    elasticity_solution solution = load_case == 2 ? solver.solve_last(load) : solver.solve(load);
    result.certificate[load_case] = solution.certificate;
    column[load_case] = mean_stress_MPa(problem, solution.displacement_mm);
    if (load_case == 2) result.shown = std::move(solution);
  }
  double largest = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    largest = std::max(largest, std::abs(column[i][i] / strain));
    for (std::size_t j = 0; j < 6; ++j) {
      result.stiffness_MPa[i][j] = (column[i][j] + column[j][i]) / (2 * strain);
      result.asymmetry = std::max(result.asymmetry, std::abs((column[i][j] - column[j][i]) / strain));
    }
  }
  if (largest > 0) result.asymmetry /= largest;
  return result;
}

namespace {

constexpr std::uint8_t low_face = 1, high_face = 2;

/// Mark the points of a plane normal to an axis. The marks show nodes of this rank on the low face and on the high face.
std::vector<std::uint8_t> mark_faces(const elasticity_problem& problem, int across) {
  const index3 points = problem.where.domain + index3{1, 1, 1}, origin = problem.where.owned.begin;
  const int row = across == 0 ? 1 : 0, column = across == 2 ? 1 : 2;
  std::vector<std::uint8_t> marks(static_cast<std::size_t>(points[row] * points[column]));
  for (const voxel::run& r : problem.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const index3 at = origin + index3{r.z, r.y, r.x + i};
      const int faces = (at[across] == 0 ? low_face : 0) | (at[across] == points[across] - 1 ? high_face : 0);
      std::uint8_t& mark = marks[static_cast<std::size_t>(at[row] * points[column] + at[column])];
      mark = static_cast<std::uint8_t>(mark | faces);
    }
  return marks;
}

}  // namespace

std::array<partner_count, 3> count_partners(const elasticity_problem& problem) {
  const MPI_Comm comm = problem.where.comm;
  std::array<partner_count, 3> found;
  for (int across = 0; across < 3; ++across) {
    std::vector<std::uint8_t> marks;
    comm::collectively(comm, [&] { marks = mark_faces(problem, across); });
    comm::all_reduce(comm, marks.data(), marks.size(), MPI_BOR);
    partner_count& match = found[static_cast<std::size_t>(across)];
    for (const std::uint8_t mark : marks) {
      const bool both = mark == (low_face | high_face);
      match.nodes += both ? 2 : mark != 0;
      match.paired += both ? 2 : 0;
    }
  }
  return found;
}

}  // namespace osteon::physics
