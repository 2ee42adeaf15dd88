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
#include <osteon/physics/shared/show_scalar.hpp>

namespace osteon::physics {

using json = nlohmann::ordered_json;

namespace {

// Planes of node values with the layout of result files: components x, y, z, and NaN at absent nodes.
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

// List of cell fields. Each field is computed from the displacements at the time of writing.
class field_list {
 public:
  field_list(const local_model& part, const derived_fields& state) : part_(part), state_(state) {}

  void scalar(const char* name, const char* long_name, const char* units, const cell_values& kept) {
    fields_.push_back(
        {{name, long_name, units, io::centring::cell, 1}, [&part = part_, kept] { return cell_planes(part, kept); }});
  }
  template <class F>
  void derived(const std::string& name, const std::string& long_name, const char* units, int components, F values) {
    fields_.push_back({{name, long_name, units, io::centring::cell, components},
                       [&part = part_, problem = state_.problem, u = state_.displacement_mm, components, values] {
                         return cell_planes(part, share(values(*problem, *u)), components);
                       }});
  }
  /// One field for each of the three principal axes.
  template <class F>
  void triple(const std::string& name, const char* long_name, const char* units, int components, F values) {
    constexpr const char* place[] = {"largest", "middle", "smallest"};
    for (int n = 0; n < 3; ++n)
      derived(fmt::format("{}_{}", name, n + 1), fmt::format(fmt::runtime(long_name), place[n]), units, components,
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

shown_scalar scalar_of(const derived_fields& state, elastic_picture_field field) {
  using enum elastic_picture_field;
  if (field == von_mises) return {"von Mises stress", "MPa", state.von_mises};
  if (field == effective_strain) return {"effective strain", "1", state.effective_strain};
  if (field == principal_strain_1) return {"largest principal strain", "1", largest_principal_strain(state)};
  return {"strain energy density", "MPa", state.sed};
}

json quantiles(const numerics::field_statistics& s) {
  return {{"mean", s.mean}, {"p95", s.p95}, {"p98", s.p98}, {"max", s.max}};
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

// Strain energy of the solid [N mm], equal to the work of the load. The integral of the densities at voxel centres is
// smaller.
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
  return comm::max_over_ranks(comm, largest);
}

}  // namespace

json statistics_of(MPI_Comm comm, const derived_fields& state) {
  const auto sed = numerics::statistics(comm, *state.sed), strain = numerics::statistics(comm, *state.effective_strain),
             stress = numerics::statistics(comm, *state.von_mises);
  return {{"sed_MPa", quantiles(sed)},
          {"effective_strain", quantiles(strain)},
          {"von_mises_MPa", quantiles(stress)},
          {"largest_displacement_mm", largest_displacement(comm, *state.displacement_mm)},
          {"strain_energy_mJ", strain_energy(comm, state)}};
}

bool wants_principal_strain(const spec& job) {
  return shown_field_of(job) == elastic_picture_field::principal_strain_1 ||
         wants_field(job, elastic_field::principal_strain);
}

json statistics_of_principal_strain(MPI_Comm comm, const derived_fields& state) {
  cell_values values;
  comm::collectively(comm, [&] { values = largest_principal_strain(state); });
  return quantiles(numerics::statistics(comm, *values));
}

std::vector<result_field> elastic_fields(const local_model& part, const std::vector<elastic_field>& fields,
                                         const derived_fields& state) {
  using kind = elastic_field;
  field_list list(part, state);
  for (const elastic_field field : fields) {
    const std::string name = name_of(field);
    if (field == kind::displacement) list.displacement();
    if (field == kind::sed) list.scalar("sed", "strain energy density at the voxel's centre", "MPa", state.sed);
    if (field == kind::sed_integrated)
      list.derived("sed_integrated", "strain energy of the whole voxel over its volume", "MPa", 1,
                   [e = state.thermal_strain](const auto& p, const auto& u) { return integrated_energy_density(p, u, *e); });
    if (field == kind::effective_strain)
      list.scalar("effective_strain", "effective strain at the voxel's centre, sqrt(2 SED / E)", "1",
                  state.effective_strain);
    if (field == kind::von_mises) list.scalar("von_mises", "von Mises stress at the voxel's centre", "MPa", state.von_mises);
    if (field == kind::strain)
      list.derived("strain", "strain at the voxel's centre; xy, yz and xz are engineering shears, twice the tensor's", "1",
                   6, strain);
    if (field == kind::stress)
      list.derived("stress", "stress at the voxel's centre", "MPa", 6,
                   [e = state.thermal_strain](const auto& p, const auto& u) { return stress(p, u, *e); });
    if (field == kind::principal_stress)
      list.triple(name, "{} principal stress at the voxel's centre", "MPa", 1,
                  [e = state.thermal_strain](const auto& p, const auto& u, int n) { return principal_stress(p, u, n, *e); });
    if (field == kind::principal_strain)
      list.triple(name, "{} principal strain at the voxel's centre", "1", 1, principal_strain);
    if (field == kind::principal_direction)
      list.triple(name, "direction of the {} principal stress; its sign has no meaning", "1", 3, principal_direction);
  }
  return list.take();
}

std::vector<elastic_field> fields_of_job(const spec& job) {
  const auto& names = job.groups.of<mechanical_keys>().fields;
  if (!names) return default_elastic_fields();
  std::vector<elastic_field> fields;
  for (const std::string& name : *names)
    if (const auto field = value_named<elastic_field>(name)) fields.push_back(*field);
  return fields;
}

bool wants_field(const spec& job, elastic_field field) {
  const auto fields = fields_of_job(job);
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

int most_elastic_components(const spec& job) {
  if (wants_field(job, elastic_field::strain) || wants_field(job, elastic_field::stress)) return 6;
  return wants_field(job, elastic_field::displacement) || wants_field(job, elastic_field::principal_direction) ? 3 : 1;
}

void show(physics_result& result, const spec& job, const local_model& part, const derived_fields& state) {
  const auto [title, units, values] = scalar_of(state, shown_field_of(job));
  const numerics::field_statistics s =
      show_scalar(result, part.where.comm, values, name_of(shown_field_of(job)), title, units);
  if (!draws_surface(job) && s.median < result.shown_high)
    result.shown_low = s.median;  // the median of a uniform field equals the high end
}

json by_material(const local_model& part, const derived_fields& state) {
  constexpr std::size_t most_materials = 32;
  const vector3 h = part.header.spacing_mm;
  if (part.header.materials.size() > 1 + most_materials) return nullptr;
  json list = json::array();
  for (const auto& m : numerics::statistics_by_material(part.where.comm, state.problem->material,
                                                        {*state.sed, *state.effective_strain, *state.von_mises})) {
    const auto numbers = [](const numerics::field_statistics& s) {
      return json{{"mean", s.mean}, {"median", s.median}, {"p95", s.p95}, {"p98", s.p98}, {"max", s.max}};
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
