#include <osteon/physics/heat/solver/heat_parts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/heat/solver/percolation.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

constexpr std::uint8_t has_source = 64;

bool exchanges(const heat_problem& problem, std::size_t axis, std::size_t high) {
  const thermal kind = problem.faces[axis][high].kind;
  return !problem.periodic[axis] && (kind == thermal::temperature || kind == thermal::convection);
}

// How a part is treated. The bits of connected_faces determine the treatment.
struct part_class {
  part_state state = part_state::constant;
  double constant_K = 0;
  bool is_trapped = false;  // true if the part is heated and has no heat sink
};

class part_classifier {
 public:
  explicit part_classifier(const heat_problem& problem) : problem_(problem) {
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t high = 0; high < 2; ++high)
        if (exchanges(problem, a, high)) {
          low_K = std::min(low_K, problem.faces[a][high].temperature_K);
          high_K = std::max(high_K, problem.faces[a][high].temperature_K);
        }
    if (low_K > high_K) low_K = high_K = 0;
  }

  part_class classify(std::uint8_t bits) const {
    bool held = false, heated = (bits & has_source) != 0, loops = false, varies = false;
    double first = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const int axis = static_cast<int>(a);
      const bool slopes = problem_.gradient_K_per_mm[axis] != 0;
      const std::array<bool, 2> meets{(bits & face_bit(axis, false)) != 0, (bits & face_bit(axis, true)) != 0};
      if (problem_.periodic[a]) loops = loops || (slopes && meets[0] && meets[1]);
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
    if (held && (heated || loops || varies)) return {part_state::held};
    if (held) return {part_state::constant, first};
    if (heated) return {part_state::floating, 0, true};
    if (loops) return {part_state::floating};
    return {part_state::constant, 0.5 * (low_K + high_K)};
  }

  double low_K = std::numeric_limits<double>::infinity(), high_K = -low_K;

 private:
  const heat_problem& problem_;
};

std::string no_flow_message(const heat_problem& problem) {
  const std::string advice = "lower the threshold, choose another axis, or crop the image to a part that spans it";
  for (std::size_t a = 0; a < 3; ++a)
    if (exchanges(problem, a, 0) && exchanges(problem, a, 1)) {
      const char name = "zyx"[a];
      if (const double both = problem.faces[a][0].temperature_K; both == problem.faces[a][1].temperature_K)
        return fmt::format(
            "no heat flow: the low and the high {} face have the same temperature ({:g} K); specify different temperatures",
            name, both);
      return fmt::format("no heat flow: no conducting path connects the low and the high {} face of the image; {} along {}",
                         name, advice, name);
    }
  for (std::size_t a = 0; a < 3; ++a)
    if (problem.periodic[a] && problem.gradient_K_per_mm[static_cast<int>(a)] != 0) {
      const char name = "zyx"[a];
      return fmt::format(
          "no heat flow: no part of the solid touches both periodic {} faces, so that the gradient along {} drives no heat; "
          "crop the image to one period, or {}",
          name, name, advice);
    }
  return "no heat flow: no part of the solid has two different temperatures, a flux, a source or a gradient; " + advice +
         ", or change the boundary conditions";
}

// Mark the runs with heat sources.
std::vector<std::uint8_t> source_bits(const heat_problem& problem, const ghosted_cells& all) {
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

// Heat input of prescribed fluxes and sources to each part [W]. The members are the net sum, and the sum of magnitudes.
struct given_heat {
  numbered_parts parts;
  std::vector<double> net_W, gross_W, cells;  // values of each part
};

// @collective on problem.where.comm
given_heat sum_given_heat(const heat_problem& problem) {
  given_heat result;
  result.parts = number_flow_parts(problem.where, problem.cells, problem.periodic);
  const vector3 h = problem.spacing_mm;
  const double volume = h.z * h.y * h.x;
  const auto runs = problem.cells.runs();
  std::vector<double> sums(3 * at(result.parts.count));
  for (std::size_t n = 0; n < runs.size(); ++n) {
    double* const own = sums.data() + 3 * static_cast<std::ptrdiff_t>(result.parts.of_run[n]);
    const auto add = [own](double heat) { own[0] += heat, own[1] += std::abs(heat); };
    own[2] += runs[n].length;
    if (!problem.source_W_per_mm3.empty())
      for (std::int32_t i = runs[n].first; i < runs[n].first + runs[n].length; ++i)
        add(volume * problem.source_W_per_mm3[problem.material[at(i)]]);
    const index3 first = problem.where.owned.begin + index3{runs[n].z, runs[n].y, runs[n].x};
    for (int side = 0; side < 6; ++side) {
      const int a = side / 2;
      const face_condition& face = problem.faces[at(a)][at(side % 2)];
      if (problem.periodic[at(a)] || face.kind != thermal::flux) continue;
      const std::int64_t plane = side % 2 == 0 ? 0 : problem.where.domain[a] - 1;
      const std::int32_t voxels =
          a < 2 ? (first[a] == plane ? runs[n].length : 0) : (first.x <= plane && plane < first.x + runs[n].length ? 1 : 0);
      add(voxels * face.flux_W_per_mm2 * volume / h[a]);
    }
  }
  comm::all_reduce(problem.where.comm, sums.data(), sums.size(), MPI_SUM);
  for (std::size_t p = 0; p < sums.size(); p += 3) {
    result.net_W.push_back(sums[p]);
    result.gross_W.push_back(sums[p + 1]);
    result.cells.push_back(sums[p + 2]);
  }
  return result;
}

constexpr double balanced = 1e-6;  // largest ratio of net heat to heat input at which heat is balanced

// Some parts have fluxes or sources, but no temperature or convection. Such a part has a steady state if its heat input is
// balanced. The temperature level of such parts is undetermined. A uniform sink removes the remaining imbalance.
// @throws data_error if the heat of a part is not balanced @collective
void level_trapped_parts(const heat_problem& problem, const std::vector<bool>& is_trapped_run, heated_parts& part) {
  const given_heat heat = sum_given_heat(problem);
  const std::size_t count = heat.net_W.size();
  std::vector<std::uint8_t> trapped(count);
  for (std::size_t n = 0; n < is_trapped_run.size(); ++n)
    if (is_trapped_run[n]) trapped[at(heat.parts.of_run[n])] = 1;
  comm::all_reduce(problem.where.comm, trapped.data(), count, MPI_BOR);
  double cells = 0, net = 0, worst = 0;
  std::vector<double> rest(count);  // imbalance per cell
  bool has_rest = false;
  for (std::size_t p = 0; p < count; ++p) {
    if (trapped[p] == 0) continue;
    part.free_cells += std::llround(heat.cells[p]);
    const double share = std::abs(heat.net_W[p]) / (heat.gross_W[p] / 2);
    rest[p] = heat.net_W[p] / heat.cells[p];
    if (constexpr double rounding = 1e-12; share > rounding) has_rest = true;
    worst = std::max(worst, share);
    if (!(share > balanced)) continue;
    cells += heat.cells[p];
    net += heat.net_W[p];
  }
  if (cells > 0)
    throw data_error(fmt::format(
        "no steady state: {:.0f} voxels of the solid have no heat sink, and their net heat input is {:.4g} W; specify a "
        "temperature or convection on a face that they touch, keep only the largest part (segment.keep), balance fluxes and "
        "sources to {:g}, or add [transient]",
        cells, net, balanced));
  part.free_imbalance = worst;
  if (!has_rest) return;
  const auto runs = problem.cells.runs();
  for (std::size_t n = 0; n < runs.size(); ++n)
    if (part.state[part.kind[n]] != part_state::constant)
      part.sink_W.insert(part.sink_W.end(), at(runs[n].length), rest[at(heat.parts.of_run[n])]);
}

}  // namespace

void check_periodic_faces(const std::array<face_match, 3>& faces) {
  for (std::size_t a = 0; a < 3; ++a)
    if (const face_match& m = faces[a]; m.low > 0 && m.high > 0 && m.both == 0)
      throw data_error(
          fmt::format("the periodic {} faces have no common solid position ({} solid voxels on the low face, {} on the high "
                      "face); crop the "
                      "image to one period, or change the boundary conditions",
                      "zyx"[a], m.low, m.high));
}

heated_parts find_heated_parts(const heat_problem& problem, bool faces_must_meet) {
  auto all = with_ghosts(problem.where, problem.cells, problem.periodic);
  const auto reached = connected_faces(problem.where, all, source_bits(problem, all));
  const part_classifier classifier(problem);
  heated_parts part;
  std::array<bool, 128> is_trapped{};
  for (std::size_t bits = 0; bits < is_trapped.size(); ++bits) {
    const part_class c = classifier.classify(static_cast<std::uint8_t>(bits));
    part.state[bits] = c.state;
    part.constant_K[bits] = c.constant_K;
    is_trapped[bits] = c.is_trapped;
  }

  part.periodic_faces = match_faces(problem.where, all, problem.periodic);
  part.reference_K = classifier.low_K;
  part.middle_K = 0.5 * (classifier.low_K + classifier.high_K);
  part.kind.reserve(problem.cells.runs().size());
  part.material.reserve(problem.material.size());
  std::vector<bool> keep(reached.size());
  std::array<std::int64_t, 2> count{};  // numbers of unknown cells and of trapped cells
  bool keep_all = true;
  std::vector<bool> is_trapped_run;  // for each run of problem.cells
  for (std::size_t n = 0; n < reached.size(); ++n) {
    const voxel::run& r = all.runs[n];
    const bool is_owned = all.is_owned(r);
    if (is_owned) {
      part.kind.push_back(reached[n]);
      is_trapped_run.push_back(is_trapped[reached[n]]);
    }
    keep[n] = part.state[reached[n]] != part_state::constant;
    keep_all = keep_all && keep[n];
    if (!keep[n] || !is_owned) continue;
    count[0] += r.length;
    if (is_trapped[reached[n]]) count[1] += r.length;
    const auto begin = problem.material.begin() + r.first;
    part.material.insert(part.material.end(), begin, begin + r.length);
  }
  part.cells = keep_all ? std::move(all) : only(all, keep);
  for (std::int64_t& n : count) n = comm::sum_over_ranks(problem.where.comm, n);
  if (faces_must_meet) check_periodic_faces(part.periodic_faces);
  if (count[1] > 0) level_trapped_parts(problem, is_trapped_run, part);
  if (count[0] == 0) part.reason_at_rest = no_flow_message(problem);
  return part;
}

template <class T>
std::vector<T> spread(const heat_problem& problem, const heated_parts& part, std::vector<T> unknown, double floating_mean) {
  const auto runs = problem.cells.runs();
  const auto state = [&](std::size_t run) { return part.state[part.kind[run]]; };
  int floats = 0;
  for (std::size_t n = 0; n < runs.size(); ++n) floats |= state(n) == part_state::floating;
  comm::all_reduce(problem.where.comm, &floats, 1, MPI_MAX);
  numbered_parts parts;
  std::vector<double> shift;
  if (floats != 0) {
    parts = number_flow_parts(problem.where, problem.cells, problem.periodic);
    std::vector<double> sum(2 * at(parts.count));  // sums and numbers of cells of the floating parts
    std::size_t next = 0;
    for (std::size_t n = 0; n < runs.size(); ++n) {
      if (state(n) == part_state::constant) continue;
      double* const own = sum.data() + 2 * static_cast<std::ptrdiff_t>(parts.of_run[n]);
      for (std::int32_t i = 0; i < runs[n].length; ++i, ++next) own[0] += static_cast<double>(unknown[next]);
      own[1] += runs[n].length;
    }
    comm::all_reduce(problem.where.comm, sum.data(), sum.size(), MPI_SUM);
    for (std::size_t p = 0; p < sum.size(); p += 2)
      shift.push_back(sum[p + 1] > 0 ? floating_mean - sum[p] / sum[p + 1] : 0);
  }
  // The values are moved in place, starting from the end. Each value is therefore moved before another value overwrites its
  // position.
  const auto count = at(problem.cells.size());
  std::size_t next = 0;
  for (std::size_t n = 0; n < runs.size(); ++n)
    if (state(n) != part_state::constant) next += at(runs[n].length);
  unknown.resize(std::max(unknown.size(), count));
  for (std::size_t n = runs.size(); n-- > 0;)
    for (std::int32_t i = runs[n].length; i-- > 0;) {
      const bool known = state(n) == part_state::constant;
      const double value = known ? part.constant_K[part.kind[n]] : static_cast<double>(unknown[--next]);
      const bool is_free = state(n) == part_state::floating;
      unknown[at(runs[n].first + i)] = static_cast<T>(value + (is_free ? shift[at(parts.of_run[n])] : 0));
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

heat_load load_of(const heat_problem& problem, const heat_cells& cells, double reference_K, const vector3& gradient) {
  heat_load load;
  const vector3 h = problem.spacing_mm;
  const double volume = h.z * h.y * h.x;
  const bool makes_heat =
      std::any_of(problem.source_W_per_mm3.begin(), problem.source_W_per_mm3.end(), [](double s) { return s != 0; });
  if (makes_heat)
    load.in_cell = [&cells, &problem, volume](std::int32_t i) {
      return volume * problem.source_W_per_mm3[cells.material[at(i)]];
    };
  load.at_face = [&cells, &problem, reference_K, gradient, h, volume](const outer_face& f) -> face_drive {
    const auto a = at(f.axis());
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
      const double centre = position[at(d)] + 0.5;
      const double from_middle = (d == f.axis() ? (f.high() ? extent : 0) : centre) - extent / 2;
      temperature += gradient[d] * from_middle * h[d];
    }
    return {temperature, 0};
  };
  return load;
}

double inflow(const heat_cells& cells, const outer_face& f, const face_drive& drive, const std::vector<double>& x) {
  const double beyond = x[at(f.other)] + drive.rise_K;
  return drive.heat_W + cells.conductance(f) * (beyond - x[at(f.cell)]);
}

outer_inflow inflows(const heat_cells& cells, const heat_load& load, const std::vector<double>& x) {
  std::array<double, 7> sum{};  // sum of each side, and sum of the magnitudes
  for (const outer_face& f : cells.outer) {
    const double heat = inflow(cells, f, load.at_face(f), x);
    sum[f.side] += heat;
    sum[6] += std::abs(heat);
  }
  comm::all_reduce(cells.where.comm, sum.data(), 7, MPI_SUM);
  return {{{{sum[0], sum[1]}, {sum[2], sum[3]}, {sum[4], sum[5]}}}, sum[6]};
}

double heat_imbalance(const outer_inflow& inflow, double gained) {
  double sum = gained;
  for (const auto& pair : inflow.by_side)
    for (const double heat : pair) sum += heat;
  const double magnitude = inflow.magnitude + std::abs(gained);
  return magnitude > 0 ? std::abs(sum) / (0.5 * magnitude) : 0;
}

double generated_heat_W(const heat_problem& problem) {
  double sum = 0;
  if (!problem.source_W_per_mm3.empty())
    for (const material_number m : problem.material) sum += problem.source_W_per_mm3[m];
  comm::all_reduce(problem.where.comm, &sum, 1, MPI_SUM);
  return sum * problem.spacing_mm.z * problem.spacing_mm.y * problem.spacing_mm.x;
}

}  // namespace osteon::physics
