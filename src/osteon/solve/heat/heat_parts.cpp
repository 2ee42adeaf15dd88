#include <osteon/solve/heat/heat_parts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/solve/heat/percolation.hpp>

namespace osteon::solve {

namespace {

constexpr std::uint8_t has_source = 64;

bool exchanges(const heat_problem& problem, std::size_t axis, std::size_t high) {
  const thermal kind = problem.faces[axis][high].kind;
  return !problem.periodic[axis] && (kind == thermal::temperature || kind == thermal::convection);
}

// How a part is treated, from the bits of reached_faces.
struct fate {
  part_state state = part_state::constant;
  double constant_K = 0;
  bool is_trapped = false;  // heated, but nothing takes the heat away
};

class judge {
 public:
  explicit judge(const heat_problem& problem) : problem_(problem) {
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t high = 0; high < 2; ++high)
        if (exchanges(problem, a, high)) {
          low_K = std::min(low_K, problem.faces[a][high].temperature_K);
          high_K = std::max(high_K, problem.faces[a][high].temperature_K);
        }
    if (low_K > high_K) low_K = high_K = 0;
  }

  fate of(std::uint8_t bits) const {
    bool held = false, heated = (bits & has_source) != 0, turns = false, varies = false;
    double first = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const int axis = static_cast<int>(a);
      const bool slopes = problem_.gradient_K_per_mm[axis] != 0;
      const std::array<bool, 2> meets{(bits & face_bit(axis, false)) != 0, (bits & face_bit(axis, true)) != 0};
      if (problem_.periodic[a]) turns = turns || (slopes && meets[0] && meets[1]);
      for (std::size_t high = 0; high < 2; ++high) {
        const face_condition& face = problem_.faces[a][high];
        if (!meets[high] || problem_.periodic[a]) continue;
        if (face.kind == thermal::flux && face.flux_W_per_mm2 != 0) heated = true;
        if (!exchanges(problem_, a, high)) continue;
        varies = varies || (held && face.temperature_K != first) || problem_.gradient_K_per_mm != vector3{};
        if (!held) first = face.temperature_K;
        held = true;
      }
    }
    if (held && (heated || turns || varies)) return {part_state::held};
    if (held) return {part_state::constant, first};
    if (heated) return {part_state::floating, 0, true};
    if (turns) return {part_state::floating};
    return {part_state::constant, 0.5 * (low_K + high_K)};
  }

  double low_K = std::numeric_limits<double>::infinity(), high_K = -low_K;

 private:
  const heat_problem& problem_;
};

std::string no_flow_message(const heat_problem& problem) {
  const std::string advice = "lower the threshold, choose another axis, or crop to a part that spans the image";
  for (std::size_t a = 0; a < 3; ++a)
    if (exchanges(problem, a, 0) && exchanges(problem, a, 1)) {
      const char name = "zyx"[a];
      if (const double both = problem.faces[a][0].temperature_K; both == problem.faces[a][1].temperature_K)
        return fmt::format(
            "the low and the high {} face both have {:g} K: no heat can flow; give them different temperatures", name, both);
      return fmt::format("no conducting path joins the low and the high {} face of the image: no heat can flow; {} along {}",
                         name, advice, name);
    }
  for (std::size_t a = 0; a < 3; ++a)
    if (problem.periodic[a] && problem.gradient_K_per_mm[static_cast<int>(a)] != 0) {
      const char name = "zyx"[a];
      return fmt::format(
          "the gradient along {} drives no heat: no part of the solid touches both the low and the high {} "
          "face of the image, which are periodic; crop the image to a period, or {}",
          name, name, advice);
    }
  return "no part of the solid meets two different temperatures, a flux, a source or a gradient: no heat can flow; " +
         advice + ", or give other conditions";
}

// Bits of the runs that make heat.
std::vector<std::uint8_t> seeds(const heat_problem& problem, const ghosted_cells& all) {
  if (problem.source_W_per_mm3.empty()) return {};
  std::vector<std::uint8_t> seed(all.runs.size());
  for (std::size_t n = 0; n < seed.size(); ++n) {
    const voxel::run& r = all.runs[n];
    if (!all.is_owned(r)) continue;
    const auto begin = problem.material.begin() + r.first;
    if (std::any_of(begin, begin + r.length, [&](material_number m) { return problem.source_W_per_mm3[m] != 0; }))
      seed[n] = has_source;
  }
  return seed;
}

}  // namespace

void check_periodic_faces(const std::array<face_match, 3>& faces) {
  for (std::size_t a = 0; a < 3; ++a)
    if (const face_match& m = faces[a]; m.low > 0 && m.high > 0 && m.both == 0)
      throw data_error(fmt::format(
          "{} is periodic, but none of the {} solid voxels of its low face meets one of the {} of its high face: "
          "nothing is joined; crop the image to a period, or choose other conditions",
          "zyx"[a], m.low, m.high));
}

heated_parts find_heated_parts(const heat_problem& problem) {
  auto all = with_ghosts(problem.where, problem.cells, problem.periodic);
  const auto reached = reached_faces(problem.where, all, seeds(problem, all));
  const judge rule(problem);
  heated_parts part;
  std::array<bool, 128> is_trapped{};
  for (std::size_t bits = 0; bits < is_trapped.size(); ++bits) {
    const fate f = rule.of(static_cast<std::uint8_t>(bits));
    part.state[bits] = f.state;
    part.constant_K[bits] = f.constant_K;
    is_trapped[bits] = f.is_trapped;
  }

  part.periodic_faces = match_faces(problem.where, all, problem.periodic);
  part.reference_K = rule.low_K;
  part.middle_K = 0.5 * (rule.low_K + rule.high_K);
  part.kind.reserve(problem.cells.runs().size());
  part.material.reserve(problem.material.size());
  std::vector<bool> keep(reached.size());
  std::array<std::int64_t, 2> count{};  // unknown and trapped cells
  bool keep_all = true;
  for (std::size_t n = 0; n < reached.size(); ++n) {
    const voxel::run& r = all.runs[n];
    const bool is_owned = all.is_owned(r);
    if (is_owned) part.kind.push_back(reached[n]);
    keep[n] = part.state[reached[n]] != part_state::constant;
    keep_all = keep_all && keep[n];
    if (!keep[n] || !is_owned) continue;
    count[0] += r.length;
    if (is_trapped[reached[n]]) count[1] += r.length;
    const auto begin = problem.material.begin() + r.first;
    part.material.insert(part.material.end(), begin, begin + r.length);
  }
  part.cells = keep_all ? std::move(all) : only(all, keep);
  for (std::int64_t& n : count) n = comm::sum_of(problem.where.comm, n);
  check_periodic_faces(part.periodic_faces);
  if (count[1] > 0)
    throw data_error(
        fmt::format("{} voxels of the solid are heated by a flux or a source but touch no face with a temperature or "
                    "convection: without a way out for the heat there is no steady state; give such a face, keep only the "
                    "largest part (segment.keep), or compute a transient",
                    count[1]));
  if (count[0] == 0) part.still = no_flow_message(problem);
  return part;
}

template <class T>
std::vector<T> spread(const heat_problem& problem, const heated_parts& part, std::vector<T> unknown, double floating_mean) {
  const auto runs = problem.cells.runs();
  const auto state = [&](std::size_t run) { return part.state[part.kind[run]]; };
  std::array<double, 2> sum{};  // of the floating ones, and their number
  std::size_t next = 0;
  for (std::size_t n = 0; n < runs.size(); ++n)
    for (std::int32_t i = 0; state(n) != part_state::constant && i < runs[n].length; ++i, ++next)
      if (state(n) == part_state::floating) {
        sum[0] += static_cast<double>(unknown[next]);
        sum[1] += 1;
      }
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), 2, MPI_DOUBLE, MPI_SUM, problem.where.comm);
  const double shift = sum[1] > 0 ? floating_mean - sum[0] / sum[1] : 0;
  // In place and from the end: no value moves onto one that is still to move.
  const auto count = static_cast<std::size_t>(problem.cells.size());
  unknown.resize(std::max(unknown.size(), count));
  for (std::size_t n = runs.size(); n-- > 0;)
    for (std::int32_t i = runs[n].length; i-- > 0;) {
      const bool known = state(n) == part_state::constant;
      const double value = known ? part.constant_K[part.kind[n]] : static_cast<double>(unknown[--next]);
      unknown[static_cast<std::size_t>(runs[n].first + i)] =
          static_cast<T>(value + (state(n) == part_state::floating ? shift : 0));
    }
  unknown.resize(count);
  return unknown;
}
template std::vector<float> spread(const heat_problem&, const heated_parts&, std::vector<float>, double);
template std::vector<double> spread(const heat_problem&, const heated_parts&, std::vector<double>, double);

voxel::run_set unknown_cells(const heat_problem& problem, const heated_parts& part) {
  const auto runs = problem.cells.runs();
  std::vector<voxel::run> unknown;
  for (std::size_t n = 0; n < runs.size(); ++n)
    if (part.state[part.kind[n]] != part_state::constant) unknown.push_back(runs[n]);
  return {problem.cells.shape(), std::move(unknown)};
}

heat_cells all_cells(const heat_problem& problem) {
  return make_conduction_cells(problem, with_ghosts(problem.where, problem.cells, problem.periodic), problem.material);
}

heat_load load_of(const heat_problem& problem, const heat_cells& cells, double reference_K, const vector3& gradient) {
  heat_load load;
  const vector3 h = problem.spacing_mm;
  const double volume = h.z * h.y * h.x;
  const bool makes_heat =
      std::any_of(problem.source_W_per_mm3.begin(), problem.source_W_per_mm3.end(), [](double s) { return s != 0; });
  if (makes_heat)
    load.in_cell = [&cells, &problem, volume](std::int32_t i) {
      return volume * problem.source_W_per_mm3[cells.material[static_cast<std::size_t>(i)]];
    };
  load.at_face = [&cells, &problem, reference_K, gradient, h, volume](const outer_face& f) -> face_drive {
    const auto a = static_cast<std::size_t>(f.axis());
    if (cells.periodic[a]) {
      const double rise = gradient[f.axis()] * static_cast<double>(problem.where.domain[f.axis()]) * h[f.axis()];
      return {f.high() ? rise : -rise, 0};
    }
    const face_condition& face = problem.faces[a][f.high() ? 1 : 0];
    if (face.kind == thermal::flux) return {0, face.flux_W_per_mm2 * volume / h[f.axis()]};
    double temperature = face.temperature_K - reference_K;
    const std::array<std::int32_t, 3> position{f.z, f.y, f.x};
    for (int d = 0; d < 3; ++d) {
      const auto extent = static_cast<double>(problem.where.domain[d]);
      const double centre = position[static_cast<std::size_t>(d)] + 0.5;
      const double from_middle = (d == f.axis() ? (f.high() ? extent : 0) : centre) - extent / 2;
      temperature += gradient[d] * from_middle * h[d];
    }
    return {temperature, 0};
  };
  return load;
}

double inflow(const heat_cells& cells, const outer_face& f, const face_drive& drive, const std::vector<double>& x) {
  const double beyond = x[static_cast<std::size_t>(f.other)] + drive.rise_K;
  return drive.heat_W + cells.conductance(f) * (beyond - x[static_cast<std::size_t>(f.cell)]);
}

outer_inflow inflows(const heat_cells& cells, const heat_load& load, const std::vector<double>& x) {
  std::array<double, 7> sum{};  // of each side, and of the magnitudes
  for (const outer_face& f : cells.outer) {
    const double heat = inflow(cells, f, load.at_face(f), x);
    sum[f.side] += heat;
    sum[6] += std::abs(heat);
  }
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), 7, MPI_DOUBLE, MPI_SUM, cells.where.comm);
  return {{{{sum[0], sum[1]}, {sum[2], sum[3]}, {sum[4], sum[5]}}}, sum[6]};
}

double heat_imbalance(const outer_inflow& inflow, double gained) {
  double sum = gained;
  for (const auto& pair : inflow.by_side)
    for (const double heat : pair) sum += heat;
  const double magnitude = inflow.magnitude + std::abs(gained);
  return magnitude > 0 ? std::abs(sum) / (0.5 * magnitude) : 0;
}

double heat_made(const heat_problem& problem) {
  double sum = 0;
  if (!problem.source_W_per_mm3.empty())
    for (const material_number m : problem.material) sum += problem.source_W_per_mm3[m];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, problem.where.comm);
  return sum * problem.spacing_mm.z * problem.spacing_mm.y * problem.spacing_mm.x;
}

}  // namespace osteon::solve
