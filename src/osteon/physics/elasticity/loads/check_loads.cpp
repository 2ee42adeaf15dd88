#include <osteon/physics/elasticity/loads/check_loads.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <common/suggest.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>

namespace osteon::physics {

namespace {

const std::vector<std::string> face_sets{"z_low", "z_high", "y_low", "y_high", "x_low", "x_high"};

class load_checker {
 public:
  explicit load_checker(const spec& job) : job_(job) {}

  std::vector<problem> run() {
    check_sets();
    check_supports(job_.groups.of<mechanical_keys>().supports, "");
    check_forces(job_.groups.of<mechanical_keys>().forces, "");
    if (is_homogenisation(job_)) check_homogenisation();
    if (job_.groups.of<mechanical_keys>().cases.empty())
      check_test(job_.load, job_.groups.of<mechanical_keys>().supports, job_.groups.of<mechanical_keys>().forces, "load.");
    else
      check_cases();
    return std::move(problems_);
  }

 private:
  using list = std::optional<std::vector<double>>;

  void expect(bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems_.push_back({where, text});
  }
  void expect_three(const list& value, const std::string& where) {
    expect(!value || value->size() == 3, where,
           fmt::format("{} values; give three, [z, y, x]", value.value_or(std::vector<double>{}).size()));
  }

  void check_sets() {
    for (std::size_t n = 0; n < job_.groups.of<mechanical_keys>().sets.size(); ++n) {
      const set_spec& s = job_.groups.of<mechanical_keys>().sets[n];
      const std::string at = fmt::format("set[{}].", n + 1);
      expect(!s.name.empty(), at + "name", "missing: the name by which [[support]] and [[force]] mean this set");
      expect(std::find(face_sets.begin(), face_sets.end(), s.name) == face_sets.end(), at + "name",
             fmt::format("'{}' is the name of a face of the image; choose another", s.name));
      names_.insert(s.name);
      check_selection(s, at);
      check_coarsening(s);
    }
    names_.insert(face_sets.begin(), face_sets.end());
    for (std::size_t n = 0; n < job_.groups.of<mechanical_keys>().sets.size(); ++n)
      if (const set_spec& s = job_.groups.of<mechanical_keys>().sets[n]; s.within) {
        const std::string at = fmt::format("set[{}].within", n + 1);
        check_set_name(*s.within, at);
        std::set<std::string> seen;
        expect(!reaches(*s.within, s.name, seen), at,
               fmt::format("'{}' is itself within '{}'; a set cannot lie within what it defines", *s.within, s.name));
      }
  }

  // Whether a set is `wanted`, or made by way of it.
  bool reaches(const std::string& from, const std::string& wanted, std::set<std::string>& seen) const {
    if (from == wanted) return true;
    if (!seen.insert(from).second) return false;
    return std::any_of(job_.groups.of<mechanical_keys>().sets.begin(), job_.groups.of<mechanical_keys>().sets.end(),
                       [&](const set_spec& s) { return s.name == from && s.within && reaches(*s.within, wanted, seen); });
  }

  // Voxels that are named by their numbers would be others in a coarser image.
  void check_coarsening(const set_spec& s) {
    if (!s.image && s.voxels.empty() && s.nodes.empty()) return;
    const std::string text =
        fmt::format("given, but the set '{}' names voxels of the image as it is; remove one of the two", s.name);
    expect(job_.image.coarsen <= 1, "image.coarsen", text);
    expect(!job_.uncertainty || !job_.uncertainty->voxel_size, "uncertainty.voxel_size", text);
  }

  void check_selection(const set_spec& s, const std::string& at) {
    if (!s.select) {
      expect(false, at + "select", "missing: face, plane, disk, box, material, image, voxels, nodes, points or brush");
      return;
    }
    struct requirement {
      const char* key;
      set_select select;
      bool given, needed;
    };
    for (const requirement& r : {requirement{"face", set_select::face, s.face.has_value(), true},
                                 {"axis", set_select::plane, s.axis.has_value(), true},
                                 {"at_mm", set_select::plane, s.at_mm.has_value(), true},
                                 {"centre_mm", set_select::disk, s.centre_mm.has_value(), true},
                                 {"normal", set_select::disk, s.normal.has_value(), true},
                                 {"thickness_mm", set_select::disk, s.thickness_mm.has_value(), true},
                                 {"low_mm", set_select::box, s.low_mm.has_value(), true},
                                 {"high_mm", set_select::box, s.high_mm.has_value(), true},
                                 {"material", set_select::material, s.material.has_value(), true},
                                 {"image", set_select::image, s.image.has_value(), true},
                                 {"labels", set_select::image, !s.labels.empty(), true},
                                 {"voxels", set_select::voxels, !s.voxels.empty(), true},
                                 {"nodes", set_select::nodes, !s.nodes.empty(), true},
                                 {"of", set_select::face, s.of != faces_of::image, false}}) {
      expect(r.given || !r.needed || s.select != r.select, at + r.key,
             fmt::format("missing: select = \"{}\" needs it", s.select.name()));
      expect(!r.given || s.select == r.select, at + r.key,
             fmt::format("belongs to select = \"{}\", not to \"{}\"", name_of(r.select), s.select.name()));
    }
    struct shared_key {
      const char* key;
      set_select one, other;
      bool given, needed;
    };
    for (const shared_key& k : {shared_key{"depth_mm", set_select::face, set_select::plane, s.depth_mm.has_value(), false},
                                {"radius_mm", set_select::disk, set_select::brush, s.radius_mm.has_value(), true},
                                {"points_mm", set_select::points, set_select::brush, !s.points_mm.empty(), true}}) {
      const bool belongs = s.select == k.one || s.select == k.other;
      expect(k.given || !k.needed || !belongs, at + k.key,
             fmt::format("missing: select = \"{}\" needs it", s.select.name()));
      expect(!k.given || belongs, at + k.key,
             fmt::format("belongs to select = \"{}\" or \"{}\", not to \"{}\"", name_of(k.one), name_of(k.other),
                         s.select.name()));
    }
    for (const auto& [key, value] : {std::pair<const char*, const list&>{"centre_mm", s.centre_mm},
                                     {"normal", s.normal},
                                     {"low_mm", s.low_mm},
                                     {"high_mm", s.high_mm}})
      expect_three(value, at + key);
    expect(!s.normal || s.normal->size() != 3 || std::hypot((*s.normal)[0], (*s.normal)[1], (*s.normal)[2]) > 0,
           at + "normal", "[0, 0, 0] is no direction");
    if (s.low_mm && s.high_mm && s.low_mm->size() == 3 && s.high_mm->size() == 3)
      for (std::size_t a = 0; a < 3; ++a)
        expect((*s.low_mm)[a] <= (*s.high_mm)[a], at + "high_mm",
               fmt::format("{} along {} lies below low_mm = {}", (*s.high_mm)[a], "zyx"[a], (*s.low_mm)[a]));
    const auto triples = [&](const auto& items, const char* key) {
      for (const auto& item : items)
        if (item.size() != 3) {
          expect(false, at + key, fmt::format("[{}]: give three numbers each, [[z, y, x], ...]", fmt::join(item, ", ")));
          return;
        }
    };
    triples(s.voxels, "voxels");
    triples(s.nodes, "nodes");
    triples(s.points_mm, "points_mm");
  }

  void check_set_name(const std::string& on, const std::string& where) {
    if (on.empty()) return expect(false, where, "missing: the set, e.g. on = \"z_high\"");
    expect(names_.count(on) > 0, where,
           fmt::format("there is no set '{}'{}; sets are {}", on,
                       did_you_mean(on, std::vector<std::string>(names_.begin(), names_.end())), fmt::join(names_, ", ")));
  }

  void check_supports(const std::vector<support_spec>& supports, const std::string& prefix) {
    for (std::size_t n = 0; n < supports.size(); ++n) {
      const support_spec& s = supports[n];
      const std::string at = fmt::format("{}support[{}].", prefix, n + 1);
      check_set_name(s.on, at + "on");
      expect(s.fix.find_first_not_of("zyx") == std::string::npos, at + "fix",
             fmt::format("'{}': name the held axes by the letters z, y, x", s.fix));
      expect(!s.fix.empty() || s.move_z_mm || s.move_y_mm || s.move_x_mm, at + "fix",
             s.rotate_deg ? "missing: name the axes that are prescribed, e.g. fix = \"zyx\" for a rigid plate"
                          : "missing: this support holds nothing; give fix or move_..._mm");
      expect_three(s.rotate_deg, at + "rotate_deg");
      expect_three(s.about_mm, at + "about_mm");
      expect(!s.about_mm || s.rotate_deg, at + "about_mm", "given without rotate_deg");
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
             fmt::format("{} of force_N, node_force_N, toward_mm and pressure_MPa are given; give one", kinds));
      expect(f.toward_mm.has_value() == f.magnitude_N.has_value(), at + "magnitude_N",
             f.toward_mm ? "missing: how strongly toward_mm pulls" : "belongs to toward_mm, which is not given");
      expect(f.spread == force_spread::equal || f.force_N || f.toward_mm, at + "spread",
             "belongs to force_N or toward_mm: the others spread by themselves");
      expect_three(f.force_N, at + "force_N");
      expect_three(f.node_force_N, at + "node_force_N");
      expect_three(f.toward_mm, at + "toward_mm");
    }
  }

  void check_cases() {
    const load_spec& l = job_.load;
    expect(!l.test && !l.strain && !l.displacement_mm && !l.force_N && !l.angle_deg && !l.moment_N_mm &&
               !l.gravity_m_per_s2 && !l.direction && !l.about_mm,
           "load.test", "[load] says what is done although there are [[case]]s; move it into them (load.axis may stay)");
    std::set<std::string> names;
    for (std::size_t n = 0; n < job_.groups.of<mechanical_keys>().cases.size(); ++n) {
      const case_spec& c = job_.groups.of<mechanical_keys>().cases[n];
      const std::string at = fmt::format("case[{}].", n + 1);
      expect(!c.name.empty() && std::all_of(c.name.begin(), c.name.end(),
                                            [](unsigned char x) { return x < 128 && (std::isalnum(x) || x == '_'); }),
             at + "name", fmt::format("'{}': give a name of letters, digits and _; it ends the names of fields", c.name));
      expect(names.insert(c.name).second, at + "name", fmt::format("'{}' is the name of two cases", c.name));
      check_supports(c.supports, at);
      check_forces(c.forces, at);
      auto supports = job_.groups.of<mechanical_keys>().supports;
      supports.insert(supports.end(), c.supports.begin(), c.supports.end());
      auto forces = job_.groups.of<mechanical_keys>().forces;
      forces.insert(forces.end(), c.forces.begin(), c.forces.end());
      check_test(c.load, supports, forces, at);
    }
  }

  void check_homogenisation() {
    expect(job_.groups.of<mechanical_keys>().supports.empty() && job_.groups.of<mechanical_keys>().forces.empty(), "support",
           "[[support]] and [[force]] do not go with load.test = \"homogenise\", which holds and moves the faces by itself");
    expect(!job_.load.gravity_m_per_s2, "load.gravity_m_per_s2", "does not go with test = \"homogenise\"");
    expect(!job_.segment.drop_unsupported, "segment.drop_unsupported",
           "does not go with load.test = \"homogenise\", which has no supports; use segment.keep = \"largest\"");
  }

  void check_test(const load_spec& l, const std::vector<support_spec>& supports, const std::vector<force_spec>& forces,
                  const std::string& at) {
    const std::string test = test_of(l, supports);
    const bool turns = test == "bending" || test == "torsion", custom = test == "custom";
    const bool pushes = !turns && !custom && test != "homogenise";
    const bool needs_direction = test == "shear" || test == "pure_shear" || test == "bending";
    for (const char* other : {"conduction", "heat_transfer", "conductivity_tensor", "free_expansion"})
      expect(test != other, at + "test",
             fmt::format("'{}' does not go with physics = \"elasticity\"; use 'axial_bonded'", other));
    const int measures = l.strain.has_value() + l.displacement_mm.has_value() + l.force_N.has_value() +
                         l.angle_deg.has_value() + l.moment_N_mm.has_value();
    const auto given = [&](const std::optional<double>& value, const char* key, bool fits) {
      expect(!value || fits, at + key, fmt::format("does not go with test = \"{}\"", test));
      expect(!value || *value != 0, at + key, "must not be 0: nothing would happen");
    };
    given(l.strain, "strain", pushes);
    given(l.displacement_mm, "displacement_mm", pushes);
    given(l.force_N, "force_N", pushes);
    given(l.angle_deg, "angle_deg", turns);
    given(l.moment_N_mm, "moment_N_mm", turns);
    expect(!l.strain || std::abs(*l.strain) <= 1, at + "strain",
           fmt::format("{} must be in [-1, 1] and not 0, e.g. -0.01 for 1 % compression", l.strain.value_or(0)));
    expect(measures <= 1, at + "strain", fmt::format("{} measures drive the test; give one", measures));
    expect(!l.direction || needs_direction, at + "direction", fmt::format("does not go with test = \"{}\"", test));
    expect(!needs_direction || !l.direction || !(l.axis == *l.direction), at + "direction",
           fmt::format("'{}' is the axis of the test; give one across it", l.axis.name()));
    expect(!l.bonded || turns, at + "bonded",
           fmt::format("does not go with test = \"{}\"; axial_bonded, shear are, uniaxial is not", test));
    expect(!l.about_mm || turns, at + "about_mm", fmt::format("does not go with test = \"{}\"", test));
    expect(!l.area || !l.area_mm2, at + "area", "given together with area_mm2; remove one of the two");
    expect(!(l.area || l.area_mm2) || pushes, at + (l.area ? "area" : "area_mm2"),
           fmt::format("does not go with test = \"{}\", which has no apparent stress; remove it", test));
    expect_three(l.about_mm, at + "about_mm");
    expect_three(l.gravity_m_per_s2, at + "gravity_m_per_s2");
    expect(!custom || !supports.empty(), at + "test", "'custom' needs a [[support]]: nothing holds the specimen");
    const auto pulls = [](const list& f) { return f && std::any_of(f->begin(), f->end(), [](double n) { return n != 0; }); };
    bool moved = pulls(l.gravity_m_per_s2) || std::any_of(forces.begin(), forces.end(), [&](const force_spec& f) {
                   return pulls(f.force_N) || pulls(f.node_force_N) || f.magnitude_N.value_or(0) != 0 ||
                          f.pressure_MPa.value_or(0) != 0;
                 });
    for (const support_spec& s : supports)
      moved |= s.move_z_mm.value_or(0) != 0 || s.move_y_mm.value_or(0) != 0 || s.move_x_mm.value_or(0) != 0 ||
               pulls(s.rotate_deg);
    expect(!custom || moved, at + "test", "nothing loads the specimen; add a [[force]], a move_..._mm or gravity_m_per_s2");
    expect(!(l.force_N || l.moment_N_mm) || !moved, at + (l.force_N ? "force_N" : "moment_N_mm"),
           "scales the solution, so no other load may act; drive the test by a displacement or an angle, or use custom");
    if (!l.gravity_m_per_s2) return;
    expect(!job_.materials.empty() && !job_.density_law && !job_.modulus_image, at + "gravity_m_per_s2",
           "needs density_kg_per_m3, which only a [[material]] has");
    for (std::size_t n = 0; n < job_.materials.size(); ++n) {
      const auto& density = job_.materials[n].density_kg_per_m3;
      const std::string where = fmt::format("material[{}].density_kg_per_m3", n + 1);
      expect(density.has_value(), where, "missing: gravity_m_per_s2 needs it, in kg/m3");
    }
  }

  const spec& job_;
  std::set<std::string> names_;
  std::vector<problem> problems_;
};

}  // namespace

std::string test_of(const load_spec& load, const std::vector<support_spec>& supports) {
  if (load.test) return *load.test;
  return supports.empty() ? "axial_bonded" : "custom";
}

bool is_homogenisation(const spec& job) { return job.load.test == "homogenise"; }

std::vector<problem> check_loads(const spec& job) { return load_checker(job).run(); }

}  // namespace osteon::physics
