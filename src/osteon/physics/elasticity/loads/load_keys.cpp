#include <osteon/physics/elasticity/loads/load_keys.hpp>

#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

// Keys common to [load] and [[case]].
void add_drive_keys(key_list<drive_spec> t) {
  t("direction", &drive_spec::direction,
    "shear: direction of displacement of the driven face. bending: axis of rotation of the faces. Default: the axis after "
    "load.axis in the cyclic order z, y, x.");
  t("faces", &drive_spec::faces, "Loaded faces. image: faces of the image. solid: faces of the bounding box of the solid.");
  t("depth_mm", &drive_spec::depth_mm,
    "Depth of the loaded layer below each face, as in a grip: all nodes of the layer belong to the face. 0: only the nodes "
    "on the face.",
    {.range = at_least(0, "mm")});
  t("area", &drive_spec::area,
    "Reference area of apparent stress and modulus. outline: convex hull of the solid's projection along the axis. box: "
    "loaded faces of the image or of the bounding box (key faces). solid_box: bounding box of the solid, as in FAIM "
    "(n88directmechanics). solid: mean cross-section of the solid. Default: outline if it covers less than 98 % of the box, "
    "otherwise box; confined and pure_shear use box.");
  t("area_mm2", &drive_spec::area_mm2,
    "Reference area of apparent stress and modulus in mm2, > 0, for example from a measured diameter.",
    {.range = positive("mm2")});
  t("bonded", &drive_spec::bonded,
    "bending, torsion: the faces are rigid plates. Otherwise in-plane displacements (bending) or axial displacements "
    "(torsion) are free, as in beam theory.");
  t("about_mm", &drive_spec::about_mm,
    "bending, torsion: point on the axis of rotation [z, y, x]. Default: mean position of the nodes of both faces.",
    {.is_vector = true});
  t("strain", &drive_spec::strain,
    "Displacement of the driven face divided by the distance between the faces (shear: engineering strain); negative: "
    "compression. Default if no other load measure is specified: -0.01 (shear: 0.01, thermo_elasticity: 0).");
  t("displacement_mm", &drive_spec::displacement_mm, "Displacement of the driven face in mm.");
  t("force_N", &drive_spec::force_N, "Force on the driven face in N; the linear solution is scaled to this force.");
  t("angle_deg", &drive_spec::angle_deg,
    "bending, torsion: angle between the faces in degrees; displacements are linear in the angle. Default without "
    "moment_N_mm: 1.");
  t("moment_N_mm", &drive_spec::moment_N_mm,
    "bending, torsion: moment on the driven face in N mm; the linear solution is scaled to this moment.");
  t("gravity_m_per_s2", &drive_spec::gravity_m_per_s2,
    "Gravitational acceleration [z, y, x] in m/s2; requires density_kg_per_m3 of the material.", {.is_vector = true});
}

void add_set_keys(key_list<set_spec> t) {
  t("name", &set_spec::name, "Name of the set.");
  t("select", &set_spec::select,
    "Selection of the nodes. face: face of the image or of the bounding box. plane: plane normal to axis at at_mm. disk: "
    "disk with centre_mm, normal, radius_mm, thickness_mm. box: box from low_mm to high_mm. material: corners of the voxels "
    "of a material. image: corners of voxels with given labels in another image. voxels: corners of listed voxels. nodes: "
    "listed nodes. points: nodes closest to points_mm. brush: nodes within radius_mm of the polyline points_mm; several "
    "strokes are entries of the same name.");
  t("face", &set_spec::face, "face: name of the face.",
    {.choices = {"z_low", "z_high", "y_low", "y_high", "x_low", "x_high"}, .kinds = {only(set_select::face).needed()}});
  t("of", &set_spec::of, "face: a face of the image (image), or of the bounding box of the solid (solid).",
    {.kinds = {only(set_select::face)}});
  t("axis", &set_spec::axis, "plane: axis normal to the plane.", {.kinds = {only(set_select::plane).needed()}});
  t("at_mm", &set_spec::at_mm, "plane: coordinate along axis in mm.", {.kinds = {only(set_select::plane).needed()}});
  t("depth_mm", &set_spec::depth_mm,
    "face: depth of included nodes; default: 0. plane: distance of included nodes on both sides; default: half a voxel.",
    {.range = at_least(0, "mm"), .kinds = {only(set_select::face, set_select::plane)}});
  t("centre_mm", &set_spec::centre_mm, "disk: centre [z, y, x].",
    {.is_vector = true, .kinds = {only(set_select::disk).needed()}});
  t("normal", &set_spec::normal, "disk: normal [z, y, x] of any length.",
    {.is_vector = true, .kinds = {only(set_select::disk).needed()}});
  t("radius_mm", &set_spec::radius_mm, "disk, brush: radius in mm.",
    {.range = positive("mm"), .kinds = {only(set_select::disk, set_select::brush).needed()}});
  t("thickness_mm", &set_spec::thickness_mm, "disk: thickness, half on each side of centre_mm.",
    {.range = positive("mm"), .kinds = {only(set_select::disk).needed()}});
  t("low_mm", &set_spec::low_mm, "box: low corner [z, y, x].",
    {.is_vector = true, .kinds = {only(set_select::box).needed()}});
  t("high_mm", &set_spec::high_mm, "box: high corner [z, y, x].",
    {.is_vector = true, .kinds = {only(set_select::box).needed()}});
  t("material", &set_spec::material, "material: name of the material.", {.kinds = {only(set_select::material).needed()}});
  t("image", &set_spec::image,
    "image: path of an image with the shape of the scan, relative to the job file. The image is cropped with the scan.",
    {.kinds = {only(set_select::image).needed()}});
  t("labels", &set_spec::labels, "image: labels of the selected voxels; only solid voxels contribute nodes.",
    {.kinds = {only(set_select::image).needed()}});
  t("voxels", &set_spec::voxels, "voxels: indices [[z, y, x], ...] from 0 in the cropped image; all must be solid.",
    {.is_vector = true, .kinds = {only(set_select::voxels).needed()}});
  t("nodes", &set_spec::nodes,
    "nodes: indices [[z, y, x], ...]; node 0 is the low corner of voxel 0. All must belong to the solid.",
    {.is_vector = true, .kinds = {only(set_select::nodes).needed()}});
  t("points_mm", &set_spec::points_mm,
    "points: positions [[z, y, x], ...], each within a voxel diagonal of a node. brush: polyline of a stroke; a single "
    "point selects a ball.",
    {.is_vector = true, .kinds = {only(set_select::points, set_select::brush).needed()}});
  t("within", &set_spec::within,
    "Name of another set; only nodes of both sets are selected, for example the nodes of a material on a face of the "
    "image.");
  t("surface", &set_spec::surface, "Select only nodes on the surface of the solid, including the faces of the image.");
}

void add_support_keys(key_list<support_spec> t) {
  t("on", &support_spec::on, "Name of the set.");
  t("fix", &support_spec::fix, "Constrained axes, for example \"zyx\"; the axes of move_..._mm are also constrained.");
  t("move_z_mm", &support_spec::move_z_mm, "Prescribed displacement along z.");
  t("move_y_mm", &support_spec::move_y_mm, "Prescribed displacement along y.");
  t("move_x_mm", &support_spec::move_x_mm, "Prescribed displacement along x.");
  t("rotate_deg", &support_spec::rotate_deg,
    "Rotation angles [z, y, x] about the axes (right-handed). The displacements are linear in the angles; only components "
    "along constrained axes are prescribed.",
    {.is_vector = true});
  t("about_mm", &support_spec::about_mm, "Centre of rotation [z, y, x]. Default: mean position of the nodes of the set.",
    {.is_vector = true});
}

void add_force_keys(key_list<force_spec> t) {
  t("on", &force_spec::on, "Name of the set.");
  t("force_N", &force_spec::force_N, "Total force [z, y, x], distributed over the set.", {.is_vector = true});
  t("node_force_N", &force_spec::node_force_N, "Force [z, y, x] on each node of the set.", {.is_vector = true});
  t("toward_mm", &force_spec::toward_mm,
    "Point [z, y, x] towards which the force on every node acts, as for a muscle, with magnitude_N.", {.is_vector = true});
  t("magnitude_N", &force_spec::magnitude_N,
    "toward_mm: sum of the magnitudes of the nodal forces; negative: away from the point.");
  t("pressure_MPa", &force_spec::pressure_MPa,
    "Pressure on free voxel faces with all four nodes in the set; positive: into the solid.");
  t("spread", &force_spec::spread,
    "Distribution of the force. equal: the same force on every node. area: proportional to the free surface of a node, "
    "which preserves a uniform traction.");
}

void add_case_keys(key_table& table) {
  table.keys<case_spec>()("name", &case_spec::name, "Name of the case: letters, digits and _.", {.use = key_use::files});
  auto t = table.keys_in<mechanical_load, case_spec>(&case_spec::load);
  std::vector<std::string> names = driving_tests();
  names.push_back(name_of(elastic_test::custom));
  t("test", &mechanical_load::test, "Test of the case, as load.test.", {.choices = names});
  t("axis", &mechanical_load::axis, "Axis of the case. Default: load.axis.");
  add_drive_keys(table.keys_in<drive_spec, case_spec>([](case_spec& c) -> drive_spec& { return c.load; }));
  add_support_keys(
      table.list<case_spec>("support", "Prescribed displacements in this case.", &case_spec::supports).keys<support_spec>());
  add_force_keys(table.list<case_spec>("force", "Forces in this case.", &case_spec::forces).keys<force_spec>());
}

}  // namespace

mechanical_load job_load(const spec& job) { return {job.groups.of<mechanical_keys>().drive, job.load.test, job.load.axis}; }

elastic_test test_of(const mechanical_load& load, const std::vector<support_spec>& supports) {
  return value_named<elastic_test>(load.test.value_or(""))
      .value_or(supports.empty() ? elastic_test::axial_bonded : elastic_test::custom);
}

elastic_test test_of(const spec& job) { return test_of(job_load(job), job.groups.of<mechanical_keys>().supports); }

bool is_homogenisation(const spec& job) { return test_of(job) == elastic_test::homogenise; }

std::vector<std::string> pushing_tests() {
  using enum elastic_test;
  return names_of(axial_bonded, uniaxial, confined, shear, pure_shear);
}
std::vector<std::string> turning_tests() { return names_of(elastic_test::bending, elastic_test::torsion); }
std::vector<std::string> driving_tests() {
  std::vector<std::string> all;
  for (const load_test& test : tests_of_one_face()) all.push_back(test.name);
  return all;
}

void accept_drive_keys(key_table& job, const std::string& physics, const std::vector<std::string>& tables) {
  for (const std::string& at : tables) {
    job.accept({physics, names_of(elastic_test::shear, elastic_test::pure_shear, elastic_test::bending)},
               {at + "direction"});
    job.accept({physics, pushing_tests()},
               {at + "area", at + "area_mm2", at + "strain", at + "displacement_mm", at + "force_N"});
    job.accept({physics, turning_tests()}, {at + "bonded", at + "about_mm", at + "angle_deg", at + "moment_N_mm"});
  }
}

elastic_picture_field shown_field_of(const spec& job) {
  return value_named<elastic_picture_field>(job.picture.field.value_or("")).value_or(elastic_picture_field::sed);
}

std::vector<const char*> shown_elastic_fields() {
  const auto names = choice_names(elastic_picture_field{});
  return {names.begin(), names.end()};
}

std::vector<load_test> tests_of_one_face() {
  return {
      {"axial_bonded",
       "rigid plates bonded to both faces of the axis, one of them displaced",
       {"compression", "compressive", "compress", "axialcompression", "uniaxialcompression", "tension", "tensile", "axial",
        "bonded", "press", "pull", "push", "stretch", "plates", "platen", "platens", "strain", "displacement"}},
      {"uniaxial",
       "as axial_bonded with frictionless plates",
       {"frictionless", "unconfined", "sliding", "roller", "rollers", "uniaxialfrictionless"}},
      {"confined", "as uniaxial with constrained sides", {"oedometer", "constrained", "confinedcompression", "guided"}},
      {"shear", "displacement of one bonded plate along direction", {"simpleshear", "slidingshear", "shearing"}},
      {"pure_shear", "symmetric shear displacement of the faces normal to axis and direction", {"symmetricshear"}},
      {"bending", "rotation of the faces about direction", {"bend", "flexure", "flexural", "purebending", "cantilever"}},
      {"torsion", "rotation of the driven face about axis", {"twist", "twisting", "torque"}},
  };
}

std::vector<load_test> elastic_tests() {
  std::vector<load_test> tests = tests_of_one_face();
  tests.push_back({"custom",
                   "only [[support]], [[force]] and gravity",
                   {"force", "forces", "support", "supports", "userdefined", "user", "threepointbending", "fourpointbending",
                    "indentation"}});
  tests.push_back({"homogenise",
                   "effective stiffness tensor from six mean strains",
                   {"homogenize", "homogenization", "homogenisation", "stiffnesstensor", "effectivestiffness", "rve", "kubc",
                    "effectiveproperties"}});
  return tests;
}

void complete_cases(spec& job) {
  if (!job.groups.has<mechanical_keys>()) return;
  for (case_spec& c : job.groups.of<mechanical_keys>().cases)
    if (!c.load.axis.has_value()) c.load.axis = job.load.axis;
}

std::vector<wanted_labels> labels_of_sets(const spec& job) {
  std::vector<wanted_labels> all;
  for (const set_spec& s : job.groups.of<mechanical_keys>().sets)
    if (s.image) all.push_back({*s.image, s.labels});
  return all;
}

void register_load_keys(key_table& job) {
  if (job.has_table("set")) return;  // registered by another physics with the same loads
  add_drive_keys(job.table("load", "")
                     .keys_in<drive_spec, spec>([](spec& s) -> auto& { return s.groups.of<mechanical_keys>().drive; }, 10));
  add_set_keys(job.list<spec>(
                      "set",
                      "Set of nodes, referenced by `on`. Entries of the same name form a union; `within` forms an "
                      "intersection. The faces of the image are predefined sets: z_low, z_high, y_low, y_high, x_low, "
                      "x_high. Positions are in mm along the image axes and do not depend on crops. Their origin is the "
                      "origin of the image file, or the low corner of the image if the file has none.",
                      [](spec& s) -> auto& { return s.groups.of<mechanical_keys>().sets; }, 80)
                   .keys<set_spec>());
  add_support_keys(job.list<spec>(
                          "support", "Prescribed displacements of a set in all load cases.",
                          [](spec& s) -> auto& { return s.groups.of<mechanical_keys>().supports; }, 100)
                       .keys<support_spec>());
  add_force_keys(job.list<spec>(
                        "force", "Forces on a set in all load cases.",
                        [](spec& s) -> auto& { return s.groups.of<mechanical_keys>().forces; }, 110)
                     .keys<force_spec>());
  key_table& cases = job.list<spec>(
      "case",
      "Load case. A job solves several cases; cases with the same constrained nodes share the solver setup. `cases` in "
      "summary.json contains the answers; names of fields end with the name of the case.",
      [](spec& s) -> auto& { return s.groups.of<mechanical_keys>().cases; }, 120);
  cases.test = [](const spec& s, void* element) {
    const auto& one = *static_cast<const case_spec*>(element);
    const auto& shared = s.groups.of<mechanical_keys>().supports;
    return name_of(test_of(one.load, one.supports.empty() ? shared : one.supports));
  };
  add_case_keys(cases);
  const auto field_names = choice_names(elastic_field{});
  job.table("output", "")
      .keys_in<mechanical_keys, spec>([](spec& s) -> auto& { return s.groups.of<mechanical_keys>(); }, 10)(
          "fields", &mechanical_keys::fields,
          "Fields of an elasticity result. displacement: displacement of the nodes. strain: strain at voxel centres. "
          "stress: stress at voxel centres. principal_stress: three fields, from _1 (largest) to _3. principal_strain: "
          "three fields, from _1 (largest) to _3. principal_direction: three fields, of the principal stresses _1 to _3. "
          "von_mises: von Mises stress at voxel centres. sed: strain energy density at voxel centres. sed_integrated: mean "
          "strain energy density of the voxel. effective_strain: sqrt(2 SED / E) at voxel centres. stiffness_sensitivity: "
          "derivative of the stiffness with respect to the modulus of a voxel. neck_energy: fraction of the strain energy "
          "in voxels that are the only connection between others, 0 elsewhere. Default: displacement, sed, "
          "effective_strain, von_mises.",
          {.choices = {field_names.begin(), field_names.end()}});
  const std::string elastic = "elasticity";
  std::vector<std::string> of_specimen = driving_tests();
  of_specimen.push_back(name_of(elastic_test::custom));
  job.accept({elastic, of_specimen}, {"support", "force", "segment.drop_unsupported", "load.gravity_m_per_s2"});
  of_specimen.push_back(name_of(elastic_test::homogenise));
  job.accept({elastic, of_specimen},
             {"case", "load.faces", "load.depth_mm", "output.fields", "picture.field", "density_law", "modulus_image"});
  job.accept({elastic, {name_of(elastic_test::homogenise)}}, {"load.boundary_condition"});
  accept_drive_keys(job, elastic, {"load.", "case."});
  auto t = job.table("pistoia",
                     "Failure load (Pistoia): load, with its sign, at which the effective strain exceeds critical_strain in "
                     "the fraction critical_volume of the solid.",
                     180, key_use::files)
               .keys_in<pistoia_spec, spec>([](spec& s) -> auto& { return s.groups.of<mechanical_keys>().pistoia; });
  t("critical_strain", &pistoia_spec::critical_strain, "Critical effective strain sqrt(2 SED / E) at voxel centres.",
    {.range = positive("")});
  t("critical_volume", &pistoia_spec::critical_volume, "Fraction of the solid that exceeds critical_strain at failure.",
    {.range = between(0, 1)});
}

}  // namespace osteon::physics
