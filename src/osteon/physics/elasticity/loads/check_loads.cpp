#include <osteon/physics/elasticity/loads/check_loads.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <common/suggest.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>

namespace osteon::physics {

namespace {

const std::vector<std::string> face_sets{"z_low", "z_high", "y_low", "y_high", "x_low", "x_high"};

class load_checker {
 public:
  load_checker(const spec& job, std::vector<problem>& problems)
      : job_(job), keys_(job.groups.of<mechanical_keys>()), expect(problems) {}

  void run() {
    check_sets();
    check_supports(keys_.supports, "");
    check_forces(keys_.forces, "");
    if (keys_.cases.empty())
      check_test(job_load(job_), keys_.supports, keys_.forces, "load.");
    else
      check_cases();
  }

 private:
  using list = std::optional<std::vector<double>>;

  void check_sets() {
    for (std::size_t n = 0; n < keys_.sets.size(); ++n) {
      const set_spec& s = keys_.sets[n];
      const std::string at = fmt::format("set[{}].", n + 1);
      expect(!s.name.empty(), at + "name", "missing; [[support]] and [[force]] refer to the set by its name");
      expect(std::find(face_sets.begin(), face_sets.end(), s.name) == face_sets.end(), at + "name",
             "'{}' is the name of a face of the image; choose another name", s.name);
      names_.insert(s.name);
      check_selection(s, at);
      check_coarsening(s);
    }
    names_.insert(face_sets.begin(), face_sets.end());
    for (std::size_t n = 0; n < keys_.sets.size(); ++n)
      if (const set_spec& s = keys_.sets[n]; s.within) {
        const std::string at = fmt::format("set[{}].within", n + 1);
        check_set_name(*s.within, at);
        std::set<std::string> seen;
        expect(!reaches(*s.within, s.name, seen), at, "circular reference: '{}' is itself within '{}'", *s.within, s.name);
      }
  }

  // Return true if a set is `wanted`, or depends on `wanted` by `within`.
  bool reaches(const std::string& from, const std::string& wanted, std::set<std::string>& seen) const {
    if (from == wanted) return true;
    if (!seen.insert(from).second) return false;
    return std::any_of(keys_.sets.begin(), keys_.sets.end(),
                       [&](const set_spec& s) { return s.name == from && s.within && reaches(*s.within, wanted, seen); });
  }

  // Reject coarsening for indices and labels. These refer to voxels of the image, and coarsening changes the voxels.
  void check_coarsening(const set_spec& s) {
    if (!s.image && s.voxels.empty() && s.nodes.empty()) return;
    constexpr const char* text =
        "not available with the set '{}', which lists voxels of the original image; remove the key or the set";
    expect(job_.image.coarsen <= 1, "image.coarsen", text, s.name);
    expect(!job_.uncertainty || !job_.uncertainty->voxel_size, "uncertainty.voxel_size", text, s.name);
  }

  void check_selection(const set_spec& s, const std::string& at) {
    expect(s.select.has_value(), at + "select",
           "missing; use face, plane, disk, box, material, image, voxels, nodes, points or brush");
    expect(!s.normal || s.normal->size() != 3 || std::hypot((*s.normal)[0], (*s.normal)[1], (*s.normal)[2]) > 0,
           at + "normal", "must not be [0, 0, 0]");
    if (s.low_mm && s.high_mm && s.low_mm->size() == 3 && s.high_mm->size() == 3)
      for (std::size_t a = 0; a < 3; ++a)
        expect((*s.low_mm)[a] <= (*s.high_mm)[a], at + "high_mm", "{} along {} is less than low_mm = {}", (*s.high_mm)[a],
               "zyx"[a], (*s.low_mm)[a]);
  }

  void check_set_name(const std::string& on, const std::string& where) {
    if (!expect(!on.empty(), where, "missing; specify a set, for example on = \"z_high\"")) return;
    expect(names_.count(on) > 0, where, "unknown set '{}'{}; available sets: {}", on,
           did_you_mean(on, std::vector<std::string>(names_.begin(), names_.end())), fmt::join(names_, ", "));
  }

  void check_supports(const std::vector<support_spec>& supports, const std::string& prefix) {
    for (std::size_t n = 0; n < supports.size(); ++n) {
      const support_spec& s = supports[n];
      const std::string at = fmt::format("{}support[{}].", prefix, n + 1);
      check_set_name(s.on, at + "on");
      expect(s.fix.find_first_not_of("zyx") == std::string::npos, at + "fix",
             "'{}': must contain only the letters z, y and x", s.fix);
      expect(!s.fix.empty() || s.move_z_mm || s.move_y_mm || s.move_x_mm, at + "fix",
             s.rotate_deg ? "missing; rotate_deg requires the constrained axes, for example fix = \"zyx\" for a rigid plate"
                          : "missing; specify fix or move_..._mm, otherwise the support has no effect");
      expect(!s.about_mm || s.rotate_deg, at + "about_mm", "requires rotate_deg");
    }
  }

  void check_forces(const std::vector<force_spec>& forces, const std::string& prefix) {
    for (std::size_t n = 0; n < forces.size(); ++n) {
      const force_spec& f = forces[n];
      const std::string at = fmt::format("{}force[{}].", prefix, n + 1);
      check_set_name(f.on, at + "on");
      const int kinds =
          f.force_N.has_value() + f.node_force_N.has_value() + f.toward_mm.has_value() + f.pressure_MPa.has_value();
      expect(kinds == 1, at + "force_N",
             "{} of force_N, node_force_N, toward_mm and pressure_MPa are specified; specify exactly one", kinds);
      expect(f.toward_mm.has_value() == f.magnitude_N.has_value(), at + "magnitude_N",
             f.toward_mm ? "missing; required by toward_mm" : "requires toward_mm");
      expect(f.spread == force_spread::equal || f.force_N || f.toward_mm, at + "spread",
             "applies to force_N and toward_mm only");
    }
  }

  void check_cases() {
    const mechanical_load l = job_load(job_);
    expect(
        !l.test && !l.strain && !l.displacement_mm && !l.force_N && !l.angle_deg && !l.moment_N_mm && !l.gravity_m_per_s2 &&
            !l.direction && !l.about_mm,
        "load.test",
        "[load] specifies a load, but the job has [[case]] tables; move the keys of the load there (load.axis may remain)");
    std::set<std::string> names;
    for (std::size_t n = 0; n < keys_.cases.size(); ++n) {
      const case_spec& c = keys_.cases[n];
      const std::string at = fmt::format("case[{}].", n + 1);
      expect(!c.name.empty() && std::all_of(c.name.begin(), c.name.end(),
                                            [](unsigned char x) { return x < 128 && (std::isalnum(x) || x == '_'); }),
             at + "name", "'{}': must consist of letters, digits and _, because it is part of field names", c.name);
      expect(names.insert(c.name).second, at + "name", "'{}' is the name of two cases; names must be unique", c.name);
      check_supports(c.supports, at);
      check_forces(c.forces, at);
      check_test(c.load, joined(keys_.supports, c.supports), joined(keys_.forces, c.forces), at);
    }
  }

  void check_test(const mechanical_load& l, const std::vector<support_spec>& supports, const std::vector<force_spec>& forces,
                  const std::string& at) {
    const bool is_custom = test_of(l, supports) == elastic_test::custom;
    const int measures = l.strain.has_value() + l.displacement_mm.has_value() + l.force_N.has_value() +
                         l.angle_deg.has_value() + l.moment_N_mm.has_value();
    for (const auto& [value, key] : {std::pair{l.strain, "strain"},
                                     {l.displacement_mm, "displacement_mm"},
                                     {l.force_N, "force_N"},
                                     {l.angle_deg, "angle_deg"},
                                     {l.moment_N_mm, "moment_N_mm"}})
      expect(value.value_or(1) != 0, at + key, "must not be 0");
    expect(!l.strain || std::abs(*l.strain) <= 1, at + "strain",
           "{} must be in [-1, 1] and not 0, for example -0.01 for 1 % compression", l.strain.value_or(0));
    expect(measures <= 1, at + "strain",
           "{} of strain, displacement_mm, force_N, angle_deg and moment_N_mm are specified; specify one", measures);
    expect(!l.direction || !(l.axis == *l.direction), at + "direction",
           "'{}' is the axis of the test; choose a perpendicular axis", l.axis.name());
    expect(!l.area || !l.area_mm2, at + "area", "conflicts with area_mm2; remove one of the two");
    expect(!is_custom || !supports.empty(), at + "test", "'custom' requires a [[support]]; the specimen is free to move");
    const auto pulls = [](const list& f) { return f && std::any_of(f->begin(), f->end(), [](double n) { return n != 0; }); };
    bool moved = pulls(l.gravity_m_per_s2) || std::any_of(forces.begin(), forces.end(), [&](const force_spec& f) {
                   return pulls(f.force_N) || pulls(f.node_force_N) || f.magnitude_N.value_or(0) != 0 ||
                          f.pressure_MPa.value_or(0) != 0;
                 });
    for (const support_spec& s : supports)
      moved |= s.move_z_mm.value_or(0) != 0 || s.move_y_mm.value_or(0) != 0 || s.move_x_mm.value_or(0) != 0 ||
               pulls(s.rotate_deg);
    expect(!is_custom || moved, at + "test", "the specimen has no load; add a [[force]], a move_..._mm or gravity_m_per_s2");
    expect(!(l.force_N || l.moment_N_mm) || !moved, at + (l.force_N ? "force_N" : "moment_N_mm"),
           "scales the solution and cannot be combined with other loads; specify a displacement or an angle, or use test = "
           "\"custom\"");
    if (!l.gravity_m_per_s2) return;
    expect(!job_.materials.empty() && !job_.density_law && !job_.modulus_image, at + "gravity_m_per_s2",
           "requires density_kg_per_m3 of [[material]]; not available with density_law or modulus_image");
    for (std::size_t n = 0; n < job_.materials.size(); ++n) {
      const auto& density = job_.materials[n].density_kg_per_m3;
      const std::string where = fmt::format("material[{}].density_kg_per_m3", n + 1);
      expect(density.has_value(), where, "missing; gravity_m_per_s2 requires the density in kg/m3");
    }
  }

  const spec& job_;
  const mechanical_keys& keys_;
  const fault_list expect;
  std::set<std::string> names_;
};

}  // namespace

void check_loads(const spec& job, std::vector<problem>& problems) { load_checker(job, problems).run(); }

void check_field_names(const spec& job, std::vector<problem>& problems) {
  const fault_list expect(problems);
  std::set<std::string> names;
  for (const std::string& name : job.groups.of<mechanical_keys>().fields.value_or(std::vector<std::string>{}))
    expect(names.insert(name).second, "output.fields", "'{}' is listed twice", name);
}

}  // namespace osteon::physics
