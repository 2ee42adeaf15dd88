#include <gtest/gtest.h>

#include <algorithm>
#include <osteon/base/stopwatch.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/io/voxfe/script.hpp>

#include "io/voxfe_sample.hpp"

namespace voxfe_script_test {

using namespace osteon;
using namespace osteon::io::voxfe;

script parsed(const std::string& text) {
  std::vector<problem> faults;
  script s = parse_script(text, "s", faults);
  for (const problem& p : faults) ADD_FAILURE() << p.where << ": " << p.text;
  return s;
}

std::vector<problem> faults_of(const std::string& text) {
  std::vector<problem> faults;
  parse_script(text, "s", faults);
  return faults;
}

voxfe_files beam() {  // three voxels along x
  voxfe_files f;
  f.script =
      "VOXEL_SIZE 0.5 0.5 0.5 1\nLOAD_MATERIALS_FILE mat\nLOAD_MCTSCAN 3 1 1 model\nSELECTION_OF_NODES\n"
      "SELECT_NODE_FILE nodes\n";
  f.materials = "7 1000 0.3 1\n9 2000 0.25 0\n";
  f.model = "3\n1 7 1 1 1\n2 9 2 1 1\n3 7 3 1 1\n";
  f.constraints = "SELECT_NODE_3D 1 1 1 0 0 0 1 1 1\nSELECT_NODE_3D 4 1 2 1.5 0 -2 0 0 0\n";
  return f;
}

std::string error_of(const voxfe_files& files, reading_options how = {}) {
  const voxfe_folder folder(files);
  try {
    const script s = read_script(folder.script(), how);
    read_whole_model(s, how);
  } catch (const data_error& e) {
    return e.what();
  }
  return "";
}

// Oracle: the grammar of docs/reference/voxfe.md. Both spellings of a command have an equal meaning.
TEST(VoxfeScript, both_versions_and_all_aliases_are_read) {
  const script old = parsed(
      "\xEF\xBB\xBF  LOAD_MATERIALS_FILE ./m.txt\r\n\r\nVOXEL_SIZE 0.1 0.2 0.3  2\r\nALGORITHM_FEA JAPCG\r\nMAX_ITER 500\r\n"
      "MIN_ITER 3\r\nTOLERANCE 1e-09\r\nLOAD_MCTSCAN 4 5 6  ./a b.model\r\nSELECTION_OF_NODES\r\n"
      "  SELECT_NODE_FILE ./c.txt\r\nCOMPUTE_SED\r\nPRINT_X d.txt\r\nPRINT_FULL_STRAIN e.txt\r\nREACTION r.txt\r\n"
      "PRINT_SED s.csv");
  const script young = parsed(
      "# a comment\nset_script_version 2\nSET_VOXEL_SIZE 0.1 0.2 0.3 2\nLOAD_MATERIALS ./m.txt\nSET_ALGORITHM_FEA JAPCG\n"
      "SET_MAX_ITER 500\nSET_MIN_ITER 3\nSET_TOLERANCE +1e-9\nLOAD_MODEL 4 5 6 77 ./a b.model\nLOAD_CONSTRAINTS ./c.txt\n"
      "COMPUTE_SED true\nPRINT_DISPLACEMENTS d.txt\nPRINT_FULL_STRAIN e.txt\nREACTION r.txt\nPRINT_SED s.csv\n");
  EXPECT_EQ(old.version, 1);
  EXPECT_EQ(young.version, 2);
  EXPECT_EQ(young.elements, 77);
  EXPECT_FALSE(old.results.with_places);
  EXPECT_TRUE(young.results.with_places);
  for (const script* s : {&old, &young}) {
    EXPECT_EQ(s->voxel_size, (std::array{0.1, 0.2, 0.3}));
    EXPECT_EQ(s->scale, 2);
    EXPECT_EQ(s->shape(), (index3{6, 5, 4}));
    EXPECT_EQ(s->model_file, "./a b.model");
    EXPECT_EQ(s->materials_file, "./m.txt");
    EXPECT_EQ(s->constraints_file, "./c.txt");
    EXPECT_EQ(s->max_iterations, 500);
    EXPECT_EQ(s->min_iterations, 3);
    EXPECT_EQ(s->tolerance, 1e-9);
    EXPECT_TRUE(s->compute_sed);
    EXPECT_EQ(s->results.displacement + s->results.strain + s->results.reaction + s->results.sed, "d.txte.txtr.txts.csv");
    EXPECT_TRUE(s->notes.empty());
  }
}

// Oracle: determined by hand. A TOML file may also begin with a word that is a command.
TEST(VoxfeScript, is_recognised_by_its_first_word) {
  EXPECT_TRUE(is_voxfe_script("\n# x\n  load_model 1 1 1 m\n"));
  EXPECT_TRUE(is_voxfe_script("SELECTION_OF_NODES"));
  EXPECT_FALSE(is_voxfe_script("tolerance = 1\n"));
  EXPECT_FALSE(is_voxfe_script("name = \"VOXEL_SIZE\"\n"));
  EXPECT_FALSE(is_voxfe_script(""));
}

// Oracle: determined by hand. The test has inline materials of both kinds. A material line replaces the material with its
// number.
TEST(VoxfeScript, inline_materials_and_nodes_are_read) {
  const script s = parsed(
      "YOUNG_MODULUS 1 17000\nPOISSON_RATIO 1 0.3\nMATERIAL 2 METAL 2e5 0.28 #aa00ff\nMATERIAL 1 BONE 18000 0.31 PASSIVE\n"
      "SELECT_NODE_MODE force_mask\nSELECT_NODE_3D 1 2 3 0.5 -1e-3 0 0 1 0\nPRESERVE_NODE_3D 4 5 6 0 0 0 0 0 0\n"
      "COMPUTE_SED off\nCOMPUTE_SED no\nVISUALISE now\n");
  ASSERT_EQ(s.materials.size(), 2U);
  EXPECT_EQ(s.materials[0], (material_row{1, "BONE", 18000, 0.31, false}));
  EXPECT_EQ(s.materials[1], (material_row{2, "METAL", 2e5, 0.28, true}));
  ASSERT_EQ(s.lines.size(), 2U);
  EXPECT_EQ(s.lines[0].node, (std::array<std::int64_t, 3>{1, 2, 3}));
  EXPECT_EQ(s.lines[0].value, (std::array{0.5, -1e-3, 0.0}));
  EXPECT_EQ(s.lines[0].flag, (std::array{false, true, false}));
  EXPECT_TRUE(s.lines[1].preserve);
  EXPECT_FALSE(s.compute_sed);
  EXPECT_EQ(s.dialect, flag_dialect::force_mask);
  ASSERT_EQ(s.notes.size(), 2U);  // one note is about a repeated command, and one about a command of another program
  EXPECT_NE(s.notes[1].find("s:10"), std::string::npos) << s.notes[1];
  EXPECT_NE(s.notes[1].find("VISUALISE"), std::string::npos);
}

// Oracle: the written numbers. Each material occurs twice, in opposite orders, and the last value counts.
TEST(VoxfeScript, many_materials_keep_their_numbers_and_last_values) {
  constexpr int count = 65000;
  const auto number = [](int i) { return 7 * i % count; };  // each number once, in random order
  std::string text = "VOXEL_SIZE 1 1 1 1\n";
  for (int id = 0; id < count; ++id) text += "YOUNG_MODULUS " + std::to_string(number(id)) + " 5\n";
  for (int id = count - 1; id >= 0; --id)
    text += "YOUNG_MODULUS " + std::to_string(number(id)) + " " + std::to_string(1000 + id) + "\n";
  std::vector<problem> faults;
  const script s = parse_script(text, "s", faults);
  EXPECT_TRUE(faults.empty());
  ASSERT_EQ(s.materials.size(), count);
  for (int id = 0; id < count; ++id) {
    const material_row& row = s.materials[static_cast<std::size_t>(id)];
    ASSERT_EQ(row.id, number(id));
    ASSERT_EQ(row.youngs_modulus, 1000 + id);
  }
}

// Oracle: ten times as many materials take about ten times as long. With a search through the rows for each line, the time
// would be a hundred times as long. The test measures CPU time and uses the minimum of three measurements, so that other
// programs on the machine have no effect.
TEST(VoxfeScript, time_to_read_materials_grows_with_their_number) {
  const auto seconds_of = [](int count) {
    std::string text = "VOXEL_SIZE 1 1 1 1\n";
    for (int id = 0; id < count; ++id) text += "YOUNG_MODULUS " + std::to_string(id) + " 5\n";
    double least = 1e9;
    for (int turn = 0; turn < 3; ++turn) {
      const double began = cpu_seconds();
      std::vector<problem> faults;
      EXPECT_EQ(parse_script(text, "s", faults).materials.size(), static_cast<std::size_t>(count));
      least = std::min(least, cpu_seconds() - began);
    }
    return least;
  };
  const double few = seconds_of(6500), many = seconds_of(65000);
  EXPECT_LT(many, 35 * few);
}

// Oracle: determined by hand. Each line has a different fault. All faults are reported with their lines.
TEST(VoxfeScript, faults_contain_line_value_and_expectation) {
  const auto faults = faults_of(
      "VOXEL_SIZE 0.1 -1 0.1 1\nVOXEL_SIZE 0.1 0.1 0.1 0\nMAX_ITER many\nTOLERANCE 0\nLOAD_MCTSCAN 0 1 1 m\n"
      "LOAD_MCTSCAN 1 1 1\nSELECT_NODE_3D 1 1 1 0 0 0 1 1 2\nSELECT_NODE_3D 1 1 1 0 nan 0 1 1 1\nMATERIAL 99999 A 1 0.3\n"
      "SELECT_NODE_3D 1 1 1 0 0 0 1 1 1 5\nMAX_ITER 1e3\nPRINT_X\n");
  ASSERT_EQ(faults.size(), 12U);
  for (std::size_t i = 0; i < faults.size(); ++i) EXPECT_EQ(faults[i].where, "s:" + std::to_string(i + 1)) << faults[i].text;
  EXPECT_NE(faults[0].text.find("-1"), std::string::npos);
  EXPECT_NE(faults[2].text.find("('many') must be a whole number"), std::string::npos) << faults[2].text;
}

// Oracle: determined by hand. For a thousand bad lines, twenty lines and the word "more" are reported.
TEST(VoxfeScript, messages_are_bounded) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "MAX_ITER x\n";
  EXPECT_EQ(faults_of(text).size(), 21U);
}

// Oracle: the voxels, materials and node lines of the beam, determined by hand.
TEST(VoxfeModel, is_read_with_its_materials_and_conditions) {
  const voxfe_folder folder(beam());
  const script s = read_script(folder.script());
  const whole_model m = read_whole_model(s);
  EXPECT_EQ(m.material, (std::vector<material_number>{1, 2, 1}));
  EXPECT_EQ(m.header.active_per_plane, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(m.header.materials[2].youngs_modulus_MPa, 2000);
  EXPECT_EQ(m.header.spacing_mm, (vector3{0.5, 0.5, 0.5}));
  ASSERT_EQ(m.header.conditions.size(), 2U);
  EXPECT_EQ(m.header.conditions[0], (voxel::node_condition{{0, 0, 0}, {true, true, true}, {}, false}));
  EXPECT_EQ(m.header.conditions[1], (voxel::node_condition{{1, 0, 3}, {}, {-2, 0, 1.5}, false}));
}

// Oracle: the beam of the previous test, written in the variants found in practice.
TEST(VoxfeModel, base_and_column_order_are_found_out) {
  const voxfe_files base_one = beam();
  voxfe_files base_zero = base_one, turned = base_one, with_size = base_one, narrow = base_one;
  base_zero.model = "3\n1 7 0 0 0\n2 9 1 0 0\n3 7 2 0 0\n";
  base_zero.constraints = "SELECT_NODE_3D 0 0 0 0 0 0 1 1 1\nSELECT_NODE_3D 3 0 1 1.5 0 -2 0 0 0\n";
  turned.model = "3\n1 1 1 1 7\n2 2 1 1 9\n3 3 1 1 7\n";
  with_size.model = "\r\n0.5 0.5 0.5\r\n3\r\n1 7 1 1 1\r\n\r\n2 9 2 1 1\r\n3 7 3 1 1";
  const auto read = [](const voxfe_files& f) {
    const voxfe_folder folder(f);
    return read_whole_model(read_script(folder.script()));
  };
  const whole_model expected = read(base_one);
  for (const voxfe_files& f : {base_zero, turned, with_size}) {
    const whole_model m = read(f);
    EXPECT_EQ(m.material, expected.material) << f.model;
    EXPECT_EQ(m.header.conditions, expected.header.conditions) << f.model;
  }
  // Only a node determines the base. The grid is wider than the extent of the elements, so that the elements fit both bases.
  narrow.script.replace(narrow.script.find("3 1 1"), 5, "5 5 5");
  narrow.model = "1\n1 7 2 2 2\n";
  narrow.constraints = "SELECT_NODE_3D 0 2 2 0 0 0 1 1 1\n";
  EXPECT_EQ(read(narrow).layout.base, 0);
  narrow.constraints = "SELECT_NODE_3D 6 2 2 0 0 0 1 1 1\n";
  EXPECT_EQ(read(narrow).layout.base, 1);
}

// Oracle: determined by hand for both dialects of the flags.
TEST(VoxfeModel, flags_of_forces_lock_or_choose) {
  voxfe_files f = beam();
  f.constraints =
      "SELECT_NODE_3D 1 1 1 0 0 0 1 1 1\nSELECT_NODE_3D 4 1 1 3 5 7 1 0 0\nSELECT_NODE_3D 4 2 1 3 5 7 0 0 1\n"
      "SELECT_NODE_3D 4 2 2 3 5 7 0 0 0\n";
  const auto read = [](const voxfe_files& files) {
    const voxfe_folder folder(files);
    return read_whole_model(read_script(folder.script())).header.conditions;
  };
  const auto mask = read(f);  // most forces carry flags
  EXPECT_EQ(mask[1].force_N, (vector3{0, 0, 3}));
  EXPECT_EQ(mask[2].force_N, (vector3{7, 0, 0}));
  EXPECT_EQ(mask[1].held, (std::array{false, false, false}));
  f.script += "SELECT_NODE_MODE lock_flags\n";
  const auto lock = read(f);
  EXPECT_EQ(lock[1].held, (std::array{false, false, true}));
  EXPECT_EQ(lock[1].force_N, vector3{});
  EXPECT_EQ(lock[3].force_N, (vector3{7, 5, 3}));
}

// Oracle: 1 m is 1000 mm, and 1 MPa is 1e6 Pa. The reader reports implausible units.
TEST(VoxfeModel, units_are_converted_and_doubtful_ones_refused) {
  voxfe_files f = beam();
  f.script.replace(f.script.find("0.5 0.5 0.5"), 11, "5e-4 5e-4 5e-4");
  f.materials = "7 1e9 0.3 1\n9 2e9 0.25 0\n";
  EXPECT_NE(error_of(f).find("--units m"), std::string::npos);
  const voxfe_folder folder(f);
  const reading_options how{unit_system::m_Pa, true, -1};
  const whole_model m = read_whole_model(read_script(folder.script(), how), how);
  EXPECT_DOUBLE_EQ(m.header.spacing_mm.x, 0.5);
  EXPECT_DOUBLE_EQ(m.header.materials[1].youngs_modulus_MPa, 1000);
  voxfe_files ones = beam();
  ones.script.replace(ones.script.find("0.5 0.5 0.5"), 11, "1 1 1");
  EXPECT_NE(error_of(ones).find("VOXEL_SIZE 1 1 1"), std::string::npos);
  EXPECT_EQ(error_of(ones, {unit_system::mm_MPa, true, -1}), "");
}

// Oracle: determined by hand. The messages contain the file, the line, the value and the remedy.
TEST(VoxfeModel, faults_name_file_line_value_and_remedy) {
  const auto expect = [](const char* model, const char* words) {
    voxfe_files f = beam();
    f.model = model;
    const std::string text = error_of(f);
    EXPECT_NE(text.find(words), std::string::npos) << words << "\nin: " << text;
  };
  expect("3\n1 7 1 1 1\n2 9 two 1 1\n3 7 3 1 1\n", "model:3: element '2 9 two 1 1' must be five integers");
  expect("3\n1 7 1 1 1\n2 8 2 1 1\n3 7 3 1 1\n", "model:3: material 8 is not in the table of 2 materials");
  expect("3\n1 7 1 1 1\n2 9 2 1 1\n3 7 3 2 1\n", "model:4: y = 2 is outside of the grid of 3 x 1 x 1");
  expect("3\n1 7 1 1 1\n2 9 2 1 1\n3 7 2 1 1\n", "model:4: duplicate element of a voxel");
  expect("3\n1 7 1 1 1\n2 9 2 1 1\n", "3 elements are declared, but");
  expect("2\n1 7 1 1 1\n2 9 2 1 1\n3 7 3 1 1\n", "2 elements are declared, but 3 found");
  expect("999999999\n1 7 1 1 1\n", "999999999 elements are declared, but the following 10 bytes contain at most 1");
  expect("1 7 1 1 1\n", "the number of elements must precede the elements");
  expect("\n\n", "missing number of elements");
  expect("0.5 0.5 0.4\n1\n1 7 1 1 1\n", "the voxel size 0.4 along z differs");
  voxfe_files nodes = beam();
  nodes.constraints = "SELECT_NODE_3D 1 1 1 0 0 0 1 1 1\nSELECT_NODE_3D 4 1 3 0 1 0 0 0 0\n";
  EXPECT_NE(error_of(nodes).find("nodes:2: z = 3 is not a node"), std::string::npos) << error_of(nodes);
  voxfe_files wide = beam();
  wide.script.replace(wide.script.find("3 1 1"), 5, "9000 9000 9000");
  EXPECT_NE(error_of(wide).find("improbable"), std::string::npos);
  voxfe_files lost = beam();
  lost.script.replace(lost.script.find("model"), 5, "nowhere");
  EXPECT_NE(error_of(lost).find("cannot read"), std::string::npos);
}

}  // namespace voxfe_script_test
