#pragma once
/// @file
/// Mechanical tests, and the keys of their loads, sets, supports, forces and load cases.
#include <optional>
#include <osteon/job/choices.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>
#include <vector>

namespace osteon::physics {

/// Mechanical tests. The enumerators before `custom` are tests that drive one face of the specimen.
enum class elastic_test { axial_bonded, uniaxial, confined, shear, pure_shear, bending, torsion, custom, homogenise };
inline auto choice_names(elastic_test) {
  return choices<"axial_bonded", "uniaxial", "confined", "shear", "pure_shear", "bending", "torsion", "custom",
                 "homogenise">();
}

/// Faces loaded by a test: faces of the image, or of the bounding box of the solid.
enum class loaded_faces { image, solid };
inline auto choice_names(loaded_faces) { return choices<"image", "solid">(); }

/// Reference areas of the apparent stress.
enum class loaded_area { outline, box, solid_box, solid };
inline auto choice_names(loaded_area) { return choices<"outline", "box", "solid_box", "solid">(); }

/// Keys of a test.
struct drive_spec {
  optional_choice<osteon::axis> direction;
  choice<loaded_faces> faces = loaded_faces::image;
  double depth_mm = 0;
  optional_choice<loaded_area> area;  ///< absent: outline, or box for tests that constrain the sides
  std::optional<double> area_mm2;
  bool bonded = false;
  std::optional<std::vector<double>> about_mm;
  std::optional<double> strain, displacement_mm, force_N, angle_deg, moment_N_mm;
  std::optional<std::vector<double>> gravity_m_per_s2;
};

/// Keys of the load of [load] or of a load case.
struct mechanical_load : drive_spec {
  std::optional<std::string> test;
  optional_choice<osteon::axis> axis;
};

/// Methods of selecting the nodes of a set.
enum class set_select { face, plane, disk, box, material, image, voxels, nodes, points, brush };
inline auto choice_names(set_select) {
  return choices<"face", "plane", "disk", "box", "material", "image", "voxels", "nodes", "points", "brush">();
}

/// Box with the selected face: the image, or the bounding box of the solid.
enum class faces_of { image, solid };
inline auto choice_names(faces_of) { return choices<"image", "solid">(); }

/// Distribution of a force over the nodes of a set.
enum class force_spread { equal, area };
inline auto choice_names(force_spread) { return choices<"equal", "area">(); }

/// Fields of an elastic result (output.fields).
enum class elastic_field {
  displacement,
  strain,
  stress,
  principal_stress,
  principal_strain,
  principal_direction,
  von_mises,
  sed,
  sed_integrated,
  effective_strain,
  stiffness_sensitivity,
  neck_energy
};
inline auto choice_names(elastic_field) {
  return choices<"displacement", "strain", "stress", "principal_stress", "principal_strain", "principal_direction",
                 "von_mises", "sed", "sed_integrated", "effective_strain", "stiffness_sensitivity", "neck_energy">();
}

/// Fields of the picture (picture.field).
enum class elastic_picture_field { sed, von_mises, effective_strain, principal_strain_1 };
inline auto choice_names(elastic_picture_field) {
  return choices<"sed", "von_mises", "effective_strain", "principal_strain_1">();
}

/// Selection of nodes of the specimen. Entries with the same name form one set.
struct set_spec {
  std::string name;
  optional_choice<set_select> select;
  std::optional<std::string> within;  ///< name of a set; the selection is intersected with this set
  std::optional<std::string> face;    ///< face of the image or of the solid
  choice<faces_of> of = faces_of::image;
  optional_choice<osteon::axis> axis;
  std::optional<double> at_mm;
  std::optional<double> depth_mm;
  std::optional<std::vector<double>> centre_mm, normal, low_mm, high_mm;  ///< z, y, x
  std::optional<double> radius_mm, thickness_mm;
  std::optional<std::string> material, image;
  std::vector<std::int64_t> labels;
  std::vector<std::vector<std::int64_t>> voxels, nodes;
  std::vector<std::vector<double>> points_mm;
  bool surface = false;
};

/// Prescribed displacements of a set.
struct support_spec {
  std::string on, fix;
  std::optional<double> move_z_mm, move_y_mm, move_x_mm;
  std::optional<std::vector<double>> rotate_deg, about_mm;  ///< z, y, x
};

/// Forces on a set. Lists are in the order z, y, x.
struct force_spec {
  std::string on;
  std::optional<std::vector<double>> force_N, node_force_N, toward_mm;
  std::optional<double> magnitude_N, pressure_MPa;
  choice<force_spread> spread = force_spread::equal;
};

/// A load case.
struct case_spec {
  std::string name;
  mechanical_load load;  ///< complete_cases() sets a missing axis
  std::vector<support_spec> supports;
  std::vector<force_spec> forces;
};

/// Pistoia's failure criterion.
struct pistoia_spec {
  double critical_strain = 0.007;
  double critical_volume = 0.02;
};

/// Sets, loads and load cases of a job.
struct mechanical_keys {
  drive_spec drive;  ///< keys of [load]
  std::vector<set_spec> sets;
  std::vector<support_spec> supports;
  std::vector<force_spec> forces;
  std::vector<case_spec> cases;
  pistoia_spec pistoia;
  std::optional<std::vector<std::string>>
      fields;  ///< names of elastic_field in output.fields; absent: default_elastic_fields()
};

/// The load of a job without cases.
mechanical_load job_load(const spec& job);

/// Return the test of [load] or of a load case. If the key is absent, return the default test. @param supports supports of
/// the load case
elastic_test test_of(const mechanical_load& load, const std::vector<support_spec>& supports);
elastic_test test_of(const spec& job);

/// Return true if the job computes the effective stiffness tensor of a block of material.
bool is_homogenisation(const spec& job);

/// Tests that drive one face of the specimen.
std::vector<load_test> tests_of_one_face();

/// All mechanical tests.
std::vector<load_test> elastic_tests();

/// Names of the tests driven by a displacement, of the tests driven by an angle, and of all tests that drive one face.
std::vector<std::string> pushing_tests();
std::vector<std::string> turning_tests();
std::vector<std::string> driving_tests();
/// In jobs of a physics, accept the keys of tests that drive one face. @param tables prefixes of the keys: `load.`,
/// `case.`
void accept_drive_keys(key_table& job, const std::string& physics, const std::vector<std::string>& tables);

/// Set a missing axis of a load case to load.axis.
void complete_cases(spec& job);

/// Images and labels used by sets.
std::vector<wanted_labels> labels_of_sets(const spec& job);

/// The field selected by picture.field, or its default.
elastic_picture_field shown_field_of(const spec& job);
/// Values of picture.field for physics with displacements.
std::vector<const char*> shown_elastic_fields();

/// Concatenation of two lists.
template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Register the keys, unless another physics has already registered these keys.
void register_load_keys(key_table& job);

}  // namespace osteon::physics
