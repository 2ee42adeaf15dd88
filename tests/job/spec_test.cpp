#include <gtest/gtest.h>

#include <unistd.h>
#include <common/suggest.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/job/spec/synonyms.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>

namespace spec_test {

using namespace osteon;

// A job file that exists during the test.
class job_file {
 public:
  explicit job_file(const std::string& text)
      : path_(testing::TempDir() + "osteon_spec_" + std::to_string(getpid()) + ".toml") {
    std::ofstream(path_) << text;
  }
  ~job_file() { std::remove(path_.c_str()); }
  job::spec read() {
    problems.clear();
    return job::read_spec(path_, problems);
  }
  std::string faults() const { return job::join(problems); }
  std::vector<problem> problems;

 private:
  std::string path_;
};

constexpr const char* good = R"(
name = "sample"
[image]
path = "bone.tif"
spacing_mm = [0.03, 0.02, 0.01]
[[material]]
youngs_modulus_MPa = 6829
poisson_ratio = 0.3
)";

TEST(spec, reads_given_keys_and_keeps_defaults) {
  job_file file(good);
  const job::spec s = file.read();
  EXPECT_TRUE(file.problems.empty()) << file.faults();
  EXPECT_EQ(s.name, "sample");
  EXPECT_EQ(s.output_directory, "sample.out");
  EXPECT_EQ(*s.image.spacing_mm, (std::vector<double>{0.03, 0.02, 0.01}));
  EXPECT_FALSE(s.segment.threshold.has_value());
  EXPECT_FALSE(s.groups.of<physics::mechanical_keys>().drive.strain.has_value());
  ASSERT_EQ(s.materials.size(), 1u);
  EXPECT_EQ(*s.materials[0].youngs_modulus_MPa, 6829);
}

TEST(spec, takes_one_number_as_the_edge_of_a_cube) {
  job_file file("[image]\npath='a'\nspacing_mm = 0.02\n[[material]]\nyoungs_modulus_MPa = 1\npoisson_ratio = 0.3\n");
  EXPECT_EQ(*file.read().image.spacing_mm, (std::vector<double>{0.02, 0.02, 0.02}));
  EXPECT_TRUE(file.problems.empty()) << file.faults();
}

// Oracle: the rule that all faults are reported at once, each with its line.
TEST(spec, collects_all_faults_with_their_lines) {
  job_file file(R"([image]
pth = "bone.tif"
spacing_mm = [0.02, 0, 0.02]
[segment]
keep = "largst"
[[material]]
youngs_modulus_MPa = -5
poisson_ratio = 0.5
[load]
strain = "much"
[sovle]
tolerance = 1
)");
  file.read();
  const std::string text = file.faults();
  for (const char* expected :
       {":2: image.pth: unknown key; did you mean 'path'?", "image.path: missing",
        ":3: image.spacing_mm: ", ":5: segment.keep: 'largst' is not one of", "did you mean 'largest'?",
        ":7: material[1].youngs_modulus_MPa: -5 must be > 0 MPa", ":8: material[1].poisson_ratio: 0.5 must be in (-1, 0.5)",
        ":10: load.strain: expected a finite number", ":11: sovle: unknown key; did you mean 'solve'?"})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\nin\n" << text;
  EXPECT_EQ(file.problems.size(), 8u) << text;
}

// Oracle: the rule that no property of a material has a default.
TEST(spec, poissons_ratio_has_no_default) {
  const auto faults = [](const std::string& text) {
    job_file file("[image]\npath='a'\n" + text);
    file.read();
    return file.faults();
  };
  for (const char* table : {"[[material]]\nyoungs_modulus_MPa=1\n", "[density_law]\nslope=1\ncoefficient_MPa=1\n",
                            "[modulus_image]\npath='e'\n"})
    EXPECT_NE(faults(table).find("poisson_ratio: missing; required by physics = \"elasticity\""), std::string::npos)
        << table << faults(table);
  EXPECT_EQ(faults("[modulus_image]\npath='e'\n[poisson_image]\npath='n'\n"), "");
  EXPECT_NE(
      faults("[modulus_image]\npath='e'\npoisson_ratio=0.3\n[poisson_image]\npath='n'\n").find("remove one of the two"),
      std::string::npos);
}

TEST(spec, rejects_contradictory_keys) {
  const auto faults = [](const std::string& text) {
    job_file file(text);
    file.read();
    return file.faults();
  };
  EXPECT_NE(faults("physics='heat'\n[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1\npoisson_ratio = 0.3\n")
                .find("conductivity_W_per_mK: missing"),
            std::string::npos);
  EXPECT_NE(faults("[image]\npath='a'\n").find("material: missing"), std::string::npos);
  EXPECT_NE(faults("physics='heat'\n[image]\npath='a'\n[[material]]\nconductivity_W_per_mK=1\n[load]\ntest='axial_bonded'\n")
                .find("load.test"),
            std::string::npos);
  EXPECT_NE(faults("[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1\npoisson_ratio = 0.3\nlabel=3\n")
                .find("segment.labels = true"),
            std::string::npos);
  const std::string bone = "[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1\npoisson_ratio = 0.3\n";
  EXPECT_NE(faults(bone + "[output]\nfields=['stres']\n").find("did you mean 'stress'?"), std::string::npos);
  EXPECT_NE(faults(bone + "[render]\nevery=2\n").find("render: unknown key; did you mean 'picture'?"), std::string::npos);
  EXPECT_NE(faults(bone + "[output]\nfields=['sed', 'sed']\n").find("'sed' is listed twice"), std::string::npos);
  EXPECT_EQ(faults(bone + "[output]\nfields=['sed', 'strain']\n[picture]\nfield='von_mises'\n"), "");
  const std::string warm = "physics='heat'\n[image]\npath='a'\n[[material]]\nconductivity_W_per_mK=1\n";
  EXPECT_EQ(faults(warm + "[run]\ndecomposition='bricks'\n"), "");
  EXPECT_NE(faults(warm + "[output]\nfields=['sed']\n")
                .find("output.fields: belongs to physics = \"elasticity\" or \"thermo_elasticity\""),
            std::string::npos);
  EXPECT_NE(faults(warm + "[picture]\nfield='sed'\n").find("picture.field: belongs to physics = "), std::string::npos);
  EXPECT_NE(faults("image = 3\n").find("expected a table"), std::string::npos);
  EXPECT_NE(faults("material = 3\n").find("expected a list of tables"), std::string::npos);
  EXPECT_NE(faults("[image\n").find("not valid TOML"), std::string::npos);
}

// Oracle: the rule of docs/reference/job.md.
TEST(uses_bricks, where_planes_would_be_few) {
  job::spec job;
  EXPECT_FALSE(job::uses_bricks(job, 128, 8));
  EXPECT_TRUE(job::uses_bricks(job, 127, 8));
  EXPECT_FALSE(job::uses_bricks(job, 3, 1));
  job.physics = "heat";
  EXPECT_TRUE(job::uses_bricks(job, 127, 8));
  job.physics = "elasticity";
  job.run.decomposition = job::cut_of_image::planes;
  EXPECT_FALSE(job::uses_bricks(job, 127, 8));
  job.run.decomposition = job::cut_of_image::bricks;
  EXPECT_TRUE(job::uses_bricks(job, 128, 2));
}

TEST(spec, says_when_there_is_no_job_file) {
  std::vector<problem> problems;
  job::read_spec("/nonexistent/job.toml", problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].text.find("cannot read this job file"), std::string::npos);
}

// Invariant: random damage results in faults or in a spec, never in a crash.
TEST(spec, survives_damaged_files) {
  std::uint32_t state = 1;
  const auto next = [&] { return state = state * 1664525U + 1013904223U; };
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text = good;
    for (int flips = 1 + static_cast<int>(next() >> 30); flips > 0; --flips)
      text[(next() >> 8) % text.size()] = static_cast<char>(next() >> 24);
    if (trial % 3 == 0) text.resize((next() >> 8) % text.size());
    job_file file(text);
    file.read();
    SUCCEED();
  }
}

TEST(schema, names_every_table_and_is_json) {
  const auto schema = nlohmann::json::parse(job::json_schema());
  for (const char* key : {"name", "physics", "image", "segment", "material", "density_law", "modulus_image", "poisson_image",
                          "load", "solve", "pistoia", "picture", "output", "run"})
    EXPECT_TRUE(schema.at("properties").contains(key)) << key;
  EXPECT_EQ(schema.at("properties").at("solve").at("properties").at("max_iterations").at("default"), 500);
  EXPECT_TRUE(schema.at("properties").at("image").at("properties").at("spacing_mm").contains("description"));
}

TEST(suggest, finds_the_nearest_word) {
  EXPECT_EQ(nearest("tolerence", {"tolerance", "threshold"}), "tolerance");
  EXPECT_EQ(nearest("xyz", {"tolerance", "threshold"}), "");
}

// Oracle: the meaning of the words. By spelling alone, `compression` would be nearest to torsion.
TEST(synonyms, words_of_other_programs_lead_home) {
  const auto fault = [](const std::string& text) {
    job_file file("[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1000\npoisson_ratio = 0.3\n" + text);
    file.read();
    return file.faults();
  };
  for (const auto& [text, word] :
       std::vector<std::pair<std::string, std::string>>{{"[load]\ntest='compression'\n", "axial_bonded"},
                                                        {"[load]\ntest='Tension'\n", "axial_bonded"},
                                                        {"[load]\ntest='simple-shear'\n", "shear"},
                                                        {"[load]\ntest='flexure'\n", "bending"},
                                                        {"[load]\ntest='homogenization'\n", "homogenise"},
                                                        {"[load]\naxis='Z'\n", "z"},
                                                        {"[segment]\nkeep='none'\n", "all"},
                                                        {"[output]\nfields=['vonMises']\n", "von_mises"},
                                                        {"[picture]\nfield='mises'\n", "von_mises"},
                                                        {"[picture]\ncolormap='vik'\n", "colour_map"},
                                                        {"[solver]\ntolerance=1e-6\n", "solve"},
                                                        {"[segmentation]\nthreshold=1\n", "segment"},
                                                        {"[solve]\nmaxiter=5\n", "max_iterations"}})
    EXPECT_NE(fault(text).find("did you mean '" + word + "'?"), std::string::npos) << text << fault(text);
  EXPECT_NE(fault("[segment]\nstrain=1\n").find("the key belongs to [[case]] or [load]"), std::string::npos);
  EXPECT_NE(fault("[[case]]\nname='a'\n[[case.support]]\nnodes='z_low'\n").find("did you mean 'on'?"), std::string::npos);
  job_file units("[image]\npath='a'\nvoxel_size=1\n[[material]]\nyoungs_modulus_GPa=17\nnu=0.3\n");
  units.read();
  for (const char* word : {"'spacing_mm'", "'youngs_modulus_MPa'? The unit is part of the name", "'poisson_ratio'"})
    EXPECT_NE(units.faults().find(std::string("did you mean ") + word), std::string::npos) << units.faults();
}

// Oracle: the tests and properties of the physics of the job, determined by hand. Tests and properties of another physics
// would be misleading.
TEST(spec, names_tests_and_properties_of_the_own_physics_only) {
  const auto faults = [](const std::string& text) {
    job_file file(text);
    file.read();
    return file.faults();
  };
  const std::string image = "[image]\npath='a'\nspacing_mm=1\n";
  const std::string heat = faults("physics='heat'\n" + image + "[load]\ntest='axail'\n");
  EXPECT_NE(heat.find("'axail' is not one of conduction, heat_transfer, conductivity_tensor"), std::string::npos) << heat;
  EXPECT_EQ(heat.find("axial_bonded"), std::string::npos) << heat;
  EXPECT_TRUE(heat.ends_with("material: missing; add [[material]] with conductivity_W_per_mK")) << heat;
  const std::string elastic = faults(image + "[load]\ntest='axail'\n");
  EXPECT_NE(elastic.find("'axail' is not one of axial_bonded, uniaxial"), std::string::npos) << elastic;
  EXPECT_EQ(elastic.find("conduction"), std::string::npos) << elastic;
  EXPECT_NE(elastic.find("add [[material]] with youngs_modulus_MPa and poisson_ratio"), std::string::npos) << elastic;
  const std::string condition = faults(image + "[load]\nboundary_condition='kubc'\n");
  EXPECT_NE(condition.find("belongs to test = \"homogenise\", not to \"axial_bonded\"; remove the key or change the test"),
            std::string::npos)
      << condition;
}

// Oracle: a misspelled path would leave its key without a scope.
TEST(scopes, are_those_of_keys_that_there_are) {
  job::key_table keys;
  job::register_core_keys(keys);
  for (const job::physics_entry* p : job::all_physics())
    if (p->keys) p->keys(keys);
  EXPECT_EQ(keys.close_scopes(), std::vector<std::string>{});
}

// Oracle: the tests, kinds and switches in the descriptions of the keys. Limits follow the fault of a missing key.
TEST(scopes, of_keys_are_tests_kinds_and_switches) {
  const auto faults = [](const std::string& text) {
    job_file file("[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1000\npoisson_ratio = 0.3\n" + text);
    file.read();
    return file.faults();
  };
  for (const auto& [text, fault] : std::vector<std::pair<std::string, std::string>>{
           {"[load]\ntest='bending'\nforce_N=1\n",
            "load.force_N: belongs to test = \"axial_bonded\", \"uniaxial\", \"confined\", \"shear\" or \"pure_shear\", not "
            "to "
            "\"bending\"; remove the key or change the test"},
           {"[[case]]\nname='a'\ntest='torsion'\nstrain=0.1\n", "case[1].strain: belongs to test = "},
           {"[[case]]\nname='a'\ntest='custom'\n[[case.support]]\non='z_low'\nfix='zyx'\n", "the specimen has no load"},
           {"[[boundary]]\nface='z'\n", "boundary: belongs to physics = \"heat\""},
           {"[flow]\n", "flow: belongs to physics = "},
           {"[picture]\nfield='speed'\n",
            "picture.field: 'speed' is not available for physics = \"elasticity\"; use 'sed', "},
           {"[load]\ntest='conduction'\n",
            "load.test: 'conduction' is not available for physics = \"elasticity\"; use 'axial_bonded', "},
           {"[[set]]\nname='a'\nselect='brush'\npoints_mm=[[1, 2, 3]]\n",
            "set[1].radius_mm: missing; required by select = \"brush\" (> 0 mm)"},
           {"[[set]]\nname='a'\nselect='points'\npoints_mm=[[1, 2]]\n",
            "set[1].points_mm: has 2 values; give three, [z, y, x]"}})
    EXPECT_NE(faults(text).find(fault), std::string::npos) << text << faults(text);
  EXPECT_TRUE(faults("[load]\ntest='homogenise'\n[segment]\ndrop_unsupported=true\n")
                  .ends_with("not to \"homogenise\"; use segment.keep = \"largest\", or remove the key"));
  EXPECT_EQ(faults("[load]\naxis='y'\nlow_K=300\n[[case]]\nname='a'\ntest='torsion'\nangle_deg=1\n"), "");
}

// Oracle: the tests and kinds in the descriptions of the keys. The values are the defaults of docs/reference/job.md.
TEST(scopes, report_unused_keys_at_their_defaults) {
  const auto doubts = [](const std::string& text) {
    job_file file("[image]\npath='a'\nspacing_mm=0.02\n" + text +
                  "[[material]]\nyoungs_modulus_MPa=1000\npoisson_ratio = 0.3\n");
    const job::spec s = file.read();
    EXPECT_TRUE(file.problems.empty()) << file.faults();
    return job::join(job::doubts(s));
  };
  EXPECT_EQ(doubts("[[image.step]]\nkind='gaussian'\nsigma_mm=0.1\nmethod='sauvola'\n"),
            "image.step[1].method: belongs to kind = \"local_threshold\", not to \"gaussian\"; remove the key");
  EXPECT_TRUE(doubts("[load]\ntest='homogenise'\n[segment]\ndrop_unsupported=false\n")
                  .starts_with("segment.drop_unsupported: belongs to test = "));
  EXPECT_EQ(doubts("[load]\nstrain=-0.01\n[segment]\ndrop_unsupported=false\n"), "");
}

// Oracle: every word in the table is an existing key or value. Any other word could never be suggested.
TEST(synonyms, all_keys_are_known_by_table) {
  const auto all = job::keys_by_table();
  EXPECT_EQ(all.at("load").front(), "test");
  EXPECT_NE(std::find(all.at("").begin(), all.at("").end(), "material"), all.at("").end());
  EXPECT_EQ(all.at("case.support").front(), "on");
}

// Oracle: the contract. A load without effect is a fault, also if the job contains a force of zero.
TEST(spec, refuses_loads_of_nothing) {
  const std::string held =
      "[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1e4\npoisson_ratio = 0.3\n[[support]]\non='z_low'\nfix='zyx'\n";
  for (const auto& [load, faulty] :
       std::vector<std::pair<std::string, bool>>{{"", true},
                                                 {"[[force]]\non='z_high'\nforce_N=[0, 0, 0]\n", true},
                                                 {"[[force]]\non='z_high'\npressure_MPa=0\n", true},
                                                 {"[[support]]\non='z_high'\nfix='zyx'\nrotate_deg=[0, 0, 0]\n", true},
                                                 {"[[force]]\non='z_high'\nforce_N=[0, 0, 1]\n", false},
                                                 {"[[force]]\non='z_high'\npressure_MPa=-2\n", false}}) {
    job_file file(held + load);
    file.read();
    EXPECT_EQ(file.faults().find("the specimen has no load") != std::string::npos, faulty) << load << file.faults();
  }
}

// Oracle: the limits of doubts.hpp. The values are typical of a first job written by hand.
TEST(doubts, are_of_values_that_are_hardly_meant) {
  const auto doubts_in = [](const std::string& text) {
    job_file file(text);
    const job::spec s = file.read();
    EXPECT_TRUE(file.problems.empty()) << file.faults();
    std::string all = job::join(job::doubts(s)) + "\n" + job::join(job::doubts_of_size(s, {0.02, 0.02, 0.02}, {50, 50, 50}));
    return all == "\n" ? std::string() : all;
  };
  const std::string image = "[image]\npath='a'\nspacing_mm=0.02\n",
                    bone = image + "[[material]]\npoisson_ratio=0.3\nyoungs_modulus_MPa=";
  EXPECT_EQ(doubts_in(bone + "6829\n[load]\nstrain=-0.01\n"), "");
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {bone + "6.829e9\n",
            "material[1].youngs_modulus_MPa: 6.829e+09 MPa exceeds the modulus of diamond; if the value is in Pa, "
            "write 6829"},
           {bone + "17\n", "if the value is in GPa, write 17000"},
           {bone + "17000\n[load]\nstrain=-1.0\n", "load.strain: -1 is a strain of 100 %"},
           {bone + "17000\n[load]\nstrain=-1.0\n", "-1 % is -0.01"},
           {bone + "17000\n[load]\ndisplacement_mm=-0.5\n", "load.displacement_mm: -0.5 mm over 1 mm is a strain of 50 %"},
           {bone + "17000\n[[support]]\non='z_low'\nfix='zyx'\n[[support]]\non='z_high'\nmove_z_mm=-2\n",
            "support[2].move_z_mm: -2 mm over 1 mm is a strain of 200 %"},
           {bone + "17000\n[pistoia]\ncritical_strain=0.7\n", "pistoia.critical_strain: 0.7 corresponds to 70 %"},
           {bone + "17000\ndensity_kg_per_m3=1.9\n", "if the value is in g/cm3, write 1900"},
           {bone + "17000\n[solve]\ntolerance=0.1\n", "solve.tolerance: 0.1 is unusually large"},
           {"physics='heat'\n" + image + "[[material]]\nconductivity_W_per_mK=0.5\n[load]\nlow_K=-20\nhigh_K=37\n",
            "load.low_K: -20 K is below absolute zero"},
           {"[image]\npath='a'\nspacing_mm=34\n[[material]]\nyoungs_modulus_MPa=17000\npoisson_ratio = 0.3\n",
            "if the value is in micrometres, write 0.034"}})
    EXPECT_NE(doubts_in(text).find(said), std::string::npos) << said << "\nin\n" << doubts_in(text);
}

// Oracle: a name is a folder in the working directory of osteon. The tested names refer to other places or affect a
// terminal.
TEST(spec, refuses_names_that_lead_elsewhere_or_cannot_be_shown) {
  for (const std::string name : {"../evil", "/tmp/evil", "a/b", "..", ".", "\\u001b]0;x\\u0007", "a\\nb", "\\u202egpj"}) {
    job_file file("name = \"" + name +
                  "\"\n[image]\npath = \"a.tif\"\n[[material]]\nyoungs_modulus_MPa = 1\npoisson_ratio = 0.3\n");
    file.read();
    ASSERT_EQ(file.problems.size(), 1u) << name << ": " << file.faults();
    EXPECT_NE(file.faults().find(":1: name: "), std::string::npos) << file.faults();
  }
  job_file file(
      "name = \"пример 骨 1.5 (b)\"\n[image]\npath = \"a.tif\"\n[[material]]\nyoungs_modulus_MPa = 1\npoisson_ratio = "
      "0.3\n");
  file.read();
  EXPECT_TRUE(file.problems.empty()) << file.faults();
}

// Oracle: a key of 40,000 parts is a fault with its line. A recursive parser would end the program.
TEST(spec, rejects_deep_nesting_before_parsing) {
  std::string key = "a";
  for (int i = 0; i < 40000; ++i) key += ".a";
  job_file file(std::string(good) + key + " = 1\n");
  file.read();
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.faults().find(":9: a key has more parts than"), std::string::npos) << file.faults();
}

// Oracle: the same file with the present spelling.
TEST(spec, takes_older_spellings_with_a_hint) {
  const std::string heat = "physics='heat'\n[image]\npath='a'\n[[material]]\nconductivity_W_per_mK=1\n";
  const std::string elastic =
      "[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1e4\npoisson_ratio = 0.3\n[load]\ntest='homogenise'\n";
  const std::string tensor = heat + "[load]\ntest='conductivity_tensor'\n";
  const struct {
    std::string older, present, key, hint;
  } pairs[] = {
      {heat + "[[boundary]]\nface='z-low'\ntemperature_K=1\n", heat + "[[boundary]]\nface='z_low'\ntemperature_K=1\n",
       "boundary[1].face", "'z-low' was renamed to 'z_low'"},
      {elastic + "boundary='periodic'", elastic + "boundary_condition='periodic'", "load.boundary",
       "'boundary' was renamed to 'boundary_condition'"},
      {tensor + "surroundings='uniform'", tensor + "boundary_condition='uniform'", "load.surroundings",
       "'surroundings' was renamed to 'boundary_condition'"},
  };
  for (const auto& [older, present, key, hint] : pairs) {
    const auto read = [](const std::string& text) {
      job_file file(text);
      job::spec found = file.read();
      EXPECT_TRUE(file.problems.empty()) << file.faults();
      return found;
    };
    const job::spec before = read(older), now = read(present);
    EXPECT_EQ(job::digest_of_keys(before), job::digest_of_keys(now));
    EXPECT_TRUE(now.older_spellings.empty());
    const auto doubts = job::doubts(before);
    ASSERT_EQ(doubts.size(), 1u);
    EXPECT_EQ(doubts[0].where, key);
    EXPECT_EQ(doubts[0].text, hint);
  }
}

// Oracle: the contract. If a key had two values, one value would be lost.
TEST(spec, refuses_a_key_by_two_names) {
  job_file file(
      "[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1e4\npoisson_ratio = "
      "0.3\n[load]\ntest='homogenise'\nboundary='kubc'\n"
      "boundary_condition='periodic'\n");
  file.read();
  ASSERT_EQ(file.problems.size(), 1u) << file.faults();
  EXPECT_NE(file.faults().find(":8: load.boundary: duplicates boundary_condition; keep boundary_condition"),
            std::string::npos)
      << file.faults();
}

}  // namespace spec_test
