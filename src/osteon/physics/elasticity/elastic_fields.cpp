#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/solver/pistoia.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/solver/strain_stress.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

// Planes of node values in the form of result files: components x, y, z, NaN at absent nodes.
io::plane_source<float> node_planes(std::shared_ptr<const numerics::elasticity_problem> problem,
                                    std::shared_ptr<const std::vector<double>> zyx) {
  return
      [problem = std::move(problem), zyx = std::move(zyx)](std::int64_t first, std::int64_t planes, std::span<float> dense) {
        std::fill(dense.begin(), dense.end(), std::numeric_limits<float>::quiet_NaN());
        const index3 shape = problem->nodes.shape();
        for (std::int64_t z = first; z < first + planes; ++z)
          for (const voxel::run& r : problem->nodes.plane(z)) {
            const double* from = zyx->data() + 3 * std::ptrdiff_t{r.first};
            float* to = dense.data() + 3 * (((z - first) * shape.y + r.y) * shape.x + r.x);
            for (std::int32_t i = 0; i < r.length; ++i, from += 3, to += 3)
              for (int c = 0; c < 3; ++c) to[c] = static_cast<float>(from[2 - c]);
          }
      };
}

// Collects fields of cells, each computed from the displacements when it is written.
class field_list {
 public:
  field_list(const local_model& part, const derived_fields& state) : part_(part), state_(state) {}

  void scalar(const char* name, const char* words, const char* units, const cell_values& kept) {
    fields_.push_back(
        {{name, words, units, io::centring::cell, 1}, [&part = part_, kept] { return cell_planes(part, kept); }});
  }
  template <class F>
  void derived(const std::string& name, const std::string& words, const char* units, int components, F values) {
    fields_.push_back({{name, words, units, io::centring::cell, components},
                       [&part = part_, problem = state_.problem, u = state_.displacement_mm, components, values] {
                         return cell_planes(part, share(values(*problem, *u)), components);
                       }});
  }
  /// One field for each of the three principal axes.
  template <class F>
  void triple(const std::string& name, const char* words, const char* units, int components, F values) {
    constexpr const char* place[] = {"largest", "middle", "smallest"};
    for (int n = 0; n < 3; ++n)
      derived(fmt::format("{}_{}", name, n + 1), fmt::format(fmt::runtime(words), place[n]), units, components,
              [n, values](const auto& problem, const auto& u) { return values(problem, u, n); });
  }
  void displacement() {
    fields_.push_back({{"displacement", "displacement", "mm", io::centring::node, 3},
                       [problem = state_.problem, u = state_.displacement_mm] { return node_planes(problem, u); }});
  }
  std::vector<result_field> take() { return std::move(fields_); }

 private:
  const local_model& part_;
  const derived_fields& state_;
  std::vector<result_field> fields_;
};

struct shown_scalar {
  const char *title, *units;
  cell_values values;
};

cell_values largest_principal_strain(const derived_fields& state) {
  return share(principal_strain(*state.problem, *state.displacement_mm, 0));
}

shown_scalar scalar_of(const derived_fields& state, const std::string& name) {
  if (name == "von_mises") return {"von Mises stress", "MPa", state.von_mises};
  if (name == "effective_strain") return {"effective strain", "1", state.effective_strain};
  if (name == "principal_strain_1") return {"largest principal strain", "1", largest_principal_strain(state)};
  return {"strain energy density", "MPa", state.sed};
}

}  // namespace

derived_fields derive_fields(std::shared_ptr<const numerics::elasticity_problem> problem,
                             std::vector<double> displacement_mm, std::vector<double> thermal_strain) {
  derived_fields state;
  state.displacement_mm = std::make_shared<const std::vector<double>>(std::move(displacement_mm));
  state.thermal_strain = std::make_shared<const std::vector<double>>(std::move(thermal_strain));
  state.sed = share(strain_energy_density(*problem, *state.displacement_mm, *state.thermal_strain));
  state.effective_strain = share(physics::effective_strain(*problem->materials, problem->material, *state.sed));
  state.von_mises = share(von_mises_stress(*problem, *state.displacement_mm, *state.thermal_strain));
  state.problem = std::move(problem);
  return state;
}

namespace {

// Energy of the whole solid [N mm], equal to the work of the load; the sum of the densities at the centres is smaller.
double strain_energy(MPI_Comm comm, const derived_fields& state) {
  const vector3& h = state.problem->spacing_mm;
  double energy = 0;
  comm::collectively(comm, [&] {
    const std::vector<float> density =
        integrated_energy_density(*state.problem, *state.displacement_mm, *state.thermal_strain);
    energy = reduce_blocks(static_cast<std::int64_t>(density.size()), [&](std::int64_t begin, std::int64_t end) {
      return std::accumulate(density.begin() + begin, density.begin() + end, 0.0);
    });
  });
  comm::all_reduce(comm, &energy, 1, MPI_SUM);
  return energy * h.z * h.y * h.x;
}

double largest_displacement(MPI_Comm comm, const std::vector<double>& zyx) {
  double largest = 0;
  for (std::size_t i = 0; i + 2 < zyx.size(); i += 3) {
    const double length = std::hypot(zyx[i], zyx[i + 1], zyx[i + 2]);
    if (!(length <= largest)) largest = length;  // also true for NaN
  }
  comm::all_reduce(comm, &largest, 1, MPI_MAX);
  return largest;
}

}  // namespace

nlohmann::ordered_json statistics_of(MPI_Comm comm, const derived_fields& state) {
  const auto sed = numerics::statistics(comm, *state.sed), strain = numerics::statistics(comm, *state.effective_strain),
             stress = numerics::statistics(comm, *state.von_mises);
  const auto numbers = [](const numerics::field_statistics& s) {
    return nlohmann::ordered_json{{"mean", s.mean}, {"p95", s.p95}, {"p98", s.p98}, {"max", s.max}};
  };
  return {{"sed_MPa", numbers(sed)},
          {"effective_strain", numbers(strain)},
          {"von_mises_MPa", numbers(stress)},
          {"largest_displacement_mm", largest_displacement(comm, *state.displacement_mm)},
          {"strain_energy_mJ", strain_energy(comm, state)}};
}

bool wants_principal_strain(const spec& job) {
  const auto fields = fields_of_job(job);
  return job.picture.field == "principal_strain_1" ||
         std::find(fields.begin(), fields.end(), "principal_strain") != fields.end();
}

nlohmann::ordered_json statistics_of_principal_strain(MPI_Comm comm, const derived_fields& state) {
  cell_values values;
  comm::collectively(comm, [&] { values = largest_principal_strain(state); });
  const auto s = numerics::statistics(comm, *values);
  return {{"mean", s.mean}, {"p95", s.p95}, {"p98", s.p98}, {"max", s.max}};
}

std::vector<result_field> elastic_fields(const local_model& part, const std::vector<std::string>& names,
                                         const derived_fields& state) {
  field_list list(part, state);
  for (const std::string& name : names) {
    if (name == "displacement") list.displacement();
    if (name == "sed") list.scalar("sed", "strain energy density at the voxel's centre", "MPa", state.sed);
    if (name == "sed_integrated")
      list.derived("sed_integrated", "strain energy of the whole voxel over its volume", "MPa", 1,
                   [e = state.thermal_strain](const auto& p, const auto& u) { return integrated_energy_density(p, u, *e); });
    if (name == "effective_strain")
      list.scalar("effective_strain", "effective strain at the voxel's centre, sqrt(2 SED / E)", "1",
                  state.effective_strain);
    if (name == "von_mises") list.scalar("von_mises", "von Mises stress at the voxel's centre", "MPa", state.von_mises);
    if (name == "strain")
      list.derived("strain", "strain at the voxel's centre; xy, yz and xz are engineering shears, twice the tensor's", "1",
                   6, strain);
    if (name == "stress")
      list.derived("stress", "stress at the voxel's centre", "MPa", 6,
                   [e = state.thermal_strain](const auto& p, const auto& u) { return stress(p, u, *e); });
    if (name == "principal_stress")
      list.triple(name, "{} principal stress at the voxel's centre", "MPa", 1,
                  [e = state.thermal_strain](const auto& p, const auto& u, int n) { return principal_stress(p, u, n, *e); });
    if (name == "principal_strain") list.triple(name, "{} principal strain at the voxel's centre", "1", 1, principal_strain);
    if (name == "principal_direction")
      list.triple(name, "direction of the {} principal stress; its sign has no meaning", "1", 3, principal_direction);
  }
  return list.take();
}

std::vector<std::string> fields_of_job(const spec& job) {
  return job.groups.of<mechanical_keys>().fields.value_or(default_elastic_fields());
}

int most_elastic_components(const spec& job) {
  int most = 1;
  for (const std::string& field : fields_of_job(job))
    most = std::max(most, field == "strain" || field == "stress"                      ? 6
                          : field == "displacement" || field == "principal_direction" ? 3
                                                                                      : 1);
  return most;
}

void show(physics_result& result, const spec& job, const local_model& part, const derived_fields& state) {
  const std::string name = job.picture.field.value_or("sed");
  const auto [title, units, values] = scalar_of(state, name);
  const numerics::field_statistics s = numerics::statistics(part.where.comm, *values);
  result.shown = values;
  result.shown_name = name;
  result.shown_title = title;
  result.shown_units = units;
  result.shown_high = s.p99 > s.median ? s.p99 : s.max;
  const bool from_nothing = draws_surface(job) || !(s.median < result.shown_high);  // also for a uniform field
  result.shown_low = from_nothing ? 0 : s.median;
}

nlohmann::ordered_json by_material(const local_model& part, const derived_fields& state) {
  constexpr std::size_t most_materials = 32;
  const vector3 h = part.header.spacing_mm;
  if (part.header.materials.size() > 1 + most_materials) return nullptr;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& m : numerics::statistics_by_material(part.where.comm, state.problem->material,
                                                        {*state.sed, *state.effective_strain, *state.von_mises})) {
    const auto numbers = [](const numerics::field_statistics& s) {
      return nlohmann::ordered_json{{"mean", s.mean}, {"median", s.median}, {"p95", s.p95}, {"p98", s.p98}, {"max", s.max}};
    };
    list.push_back({{"material", m.material},
                    {"name", part.header.materials[m.material].name},
                    {"voxels", m.voxels},
                    {"volume_mm3", static_cast<double>(m.voxels) * h.z * h.y * h.x},
                    {"sed_MPa", numbers(m.fields[0])},
                    {"effective_strain", numbers(m.fields[1])},
                    {"von_mises_MPa", numbers(m.fields[2])}});
  }
  return list;
}

}  // namespace osteon::physics
