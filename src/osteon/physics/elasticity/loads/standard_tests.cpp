#include <osteon/physics/elasticity/loads/standard_tests.hpp>

#include <fmt/format.h>

#include <numbers>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

constexpr std::array<bool, 3> all_axes{true, true, true};

std::array<bool, 3> single_axis(int a) { return {a == 0, a == 1, a == 2}; }
std::array<bool, 3> except(int a) { return {a != 0, a != 1, a != 2}; }

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

// The coordinates of a rigid motion, as bits.
motion_mask along(int a) { return static_cast<motion_mask>(1U << a); }
motion_mask about(int a) { return static_cast<motion_mask>(1U << (3 + a)); }

class test_maker {
 public:
  test_maker(const node_sets& sets, const mechanical_load& load, elastic_test test)
      : sets_(sets),
        load_(load),
        axis_(static_cast<int>(*load.axis)),
        which_{load.faces == loaded_faces::solid, load.depth_mm} {
    across_ = load.direction ? static_cast<int>(*load.direction) : (axis_ + 1) % 3;
    third_ = 3 - axis_ - across_;
    low_ = face(axis_, false);
    high_ = face(axis_, true);
    measure& m = made_.measures;
    m.test = test;
    m.driven = high_;
    m.length_mm = high_->low_mm[axis_] - low_->high_mm[axis_];
    if (!(m.length_mm > 0))
      throw data_error(fmt::format(
          "the loaded faces '{}' and '{}' overlap: the first ends at {:.6g} mm, the second begins at {:.6g} mm; reduce "
          "depth_mm",
          low_->name, high_->name, low_->high_mm[axis_], high_->low_mm[axis_]));
    m.area = area_of(load, sets.part(), static_cast<axis>(axis_),
                     test == elastic_test::confined || test == elastic_test::pure_shear, box_mm());
  }

  standard_test make() {
    using enum elastic_test;
    const elastic_test test = made_.measures.test;
    if (test == bending)
      bend();
    else if (test == torsion)
      twist();
    else if (test == shear)
      slide();
    else if (test == pure_shear)
      shear_evenly();
    else
      press(test);
    return std::move(made_);
  }

 private:
  node_set_ptr face(int across, bool high) const { return sets_.face(static_cast<axis>(across), high, which_); }

  vector3 box_mm() const {
    const index3 n = sets_.part().where.domain;
    const vector3 &h = sets_.grid().spacing_mm, low = sets_.solid_low_mm(), high = sets_.solid_high_mm();
    if (which_.of_solid) return {high.z - low.z, high.y - low.y, high.x - low.x};
    return {static_cast<double>(n.z) * h.z, static_cast<double>(n.y) * h.y, static_cast<double>(n.x) * h.x};
  }

  support& hold(node_set_ptr on, std::array<bool, 3> axes) {
    made_.supports.push_back({std::move(on), axes, {}, {}, {}});
    return made_.supports.back();
  }

  // Displacement of the driven face, or a typical displacement for a solution that is scaled to a load.
  double displacement(double usual_strain) {
    measure& m = made_.measures;
    m.wanted = load_.force_N;
    m.amount = load_.displacement_mm ? *load_.displacement_mm : load_.strain.value_or(usual_strain) * m.length_mm;
    return m.amount;
  }
  double angle() {
    made_.measures.wanted = load_.moment_N_mm;
    made_.measures.turns = true;
    return made_.measures.amount = radians(load_.angle_deg.value_or(1));
  }

  void press(elastic_test test) {
    const bool bonded = test == elastic_test::axial_bonded;
    made_.measures.along = static_cast<axis>(axis_);
    hold(low_, bonded ? all_axes : single_axis(axis_));
    hold(high_, bonded ? all_axes : single_axis(axis_)).move_mm[axis_] = displacement(-0.01);
    if (!bonded) made_.pins = {low_, {across_, third_}, {in_plane(axis_)}};
    if (test == elastic_test::confined)
      for (int a = 0; a < 3; ++a)
        if (a != axis_)
          for (const bool high : {false, true}) hold(face(a, high), single_axis(a));
  }

  void slide() {
    made_.measures.along = static_cast<axis>(across_);
    hold(low_, all_axes);
    hold(high_, all_axes).move_mm[across_] = displacement(0.01);
  }

  // Each face normal to one of the two axes (j) is displaced along the other axis (i) by u_i = gamma x_j / 2. A uniform
  // specimen then has uniform strain.
  void shear_evenly() {
    made_.measures.along = static_cast<axis>(across_);
    const double gamma = displacement(0.01) / made_.measures.length_mm;
    const node_set_ptr left = face(across_, false), right = face(across_, true);
    const double width = right->low_mm[across_] - left->high_mm[across_];
    hold(low_, single_axis(across_)).move_mm[across_] = -gamma * made_.measures.length_mm / 4;
    hold(high_, single_axis(across_)).move_mm[across_] = gamma * made_.measures.length_mm / 4;
    hold(left, single_axis(axis_)).move_mm[axis_] = -gamma * width / 4;
    hold(right, single_axis(axis_)).move_mm[axis_] = gamma * width / 4;
    made_.pins = {low_, {third_, axis_, across_}, {in_plane(across_), in_plane(axis_)}};
  }

  void bend() {
    measure& m = made_.measures;
    m.along = static_cast<axis>(across_);
    m.about_mm = load_.about_mm ? to_vector(*load_.about_mm) : middle_mm();
    const double half = angle() / 2;
    for (const bool high : {false, true}) {
      support& s = hold(high ? high_ : low_, load_.bonded ? all_axes : single_axis(axis_));
      s.turn_rad[across_] = high ? half : -half;
      s.about_mm = m.about_mm;
      s.about_mm[axis_] = s.on->centroid_mm[axis_];
      if (high) m.about_mm = s.about_mm;
    }
    if (!load_.bonded) made_.pins = {low_, {across_, third_}, {in_plane(axis_)}};
  }

  void twist() {
    measure& m = made_.measures;
    m.along = static_cast<axis>(axis_);
    m.about_mm = load_.about_mm ? to_vector(*load_.about_mm) : middle_mm();
    const auto axes = load_.bonded ? all_axes : except(axis_);
    hold(low_, axes);
    support& s = hold(high_, axes);
    s.turn_rad[axis_] = angle();
    s.about_mm = m.about_mm;
    if (!load_.bonded) made_.pins = {low_, {axis_}, {along(axis_)}};
  }

  vector3 middle_mm() const {
    const auto low = static_cast<double>(low_->size), high = static_cast<double>(high_->size);
    vector3 middle;
    for (int a = 0; a < 3; ++a) middle[a] = (low * low_->centroid_mm[a] + high * high_->centroid_mm[a]) / (low + high);
    return middle;
  }

  // Frictionless plates normal to an axis permit motions in their plane.
  motion_mask in_plane(int across) const {
    return static_cast<motion_mask>((along(0) | along(1) | along(2) | about(across)) & ~along(across));
  }

  const node_sets& sets_;
  const mechanical_load& load_;
  int axis_, across_ = 0, third_ = 0;
  face_choice which_;
  node_set_ptr low_, high_;
  standard_test made_;
};

}  // namespace

standard_test make_test(const node_sets& sets, const mechanical_load& load, elastic_test test) {
  return test_maker(sets, load, test).make();
}

nlohmann::ordered_json measured(const measure& m, double load) {
  const double stiffness = load / m.amount;
  if (m.turns)
    return {{"stiffness_N_mm_per_rad", stiffness},
            {"stiffness_N_mm_per_deg", stiffness * std::numbers::pi / 180},
            {m.test == elastic_test::bending ? "bending_stiffness_N_mm2" : "torsional_stiffness_N_mm2",
             stiffness * m.length_mm}};
  const char* modulus = m.test == elastic_test::confined                                      ? "aggregate_modulus_MPa"
                        : m.test == elastic_test::shear || m.test == elastic_test::pure_shear ? "shear_modulus_MPa"
                                                                                              : "apparent_modulus_MPa";
  return {{"stiffness_N_per_mm", stiffness},
          {modulus, stiffness * m.length_mm / m.area.area_mm2},
          {"apparent_area_mm2", m.area.area_mm2},
          {"apparent_area_definition", m.area.definition}};
}

}  // namespace osteon::physics
