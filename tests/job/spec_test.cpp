#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <osteon/base/suggest.hpp>
#include <osteon/job/spec.hpp>

namespace spec_test {

using namespace osteon;

// A job file that lives as long as the test.
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
)";

TEST(spec, reads_what_is_written_and_keeps_defaults) {
  job_file file(good);
  const job::spec s = file.read();
  EXPECT_TRUE(file.problems.empty()) << file.faults();
  EXPECT_EQ(s.name, "sample");
  EXPECT_EQ(s.output_directory, "sample.out");
  EXPECT_EQ(*s.image.spacing_mm, (std::vector<double>{0.03, 0.02, 0.01}));
  EXPECT_FALSE(s.segment.threshold.has_value());
  EXPECT_FALSE(s.load.strain.has_value());
  ASSERT_EQ(s.materials.size(), 1u);
  EXPECT_EQ(*s.materials[0].youngs_modulus_MPa, 6829);
}

TEST(spec, takes_one_number_as_the_edge_of_a_cube) {
  job_file file("[image]\npath='a'\nspacing_mm = 0.02\n[[material]]\nyoungs_modulus_MPa = 1\n");
  EXPECT_EQ(*file.read().image.spacing_mm, (std::vector<double>{0.02, 0.02, 0.02}));
  EXPECT_TRUE(file.problems.empty()) << file.faults();
}

// Oracle: the rule that all faults are shown at once, each with its line.
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
        ":3: image.spacing_mm: ", ":5: segment.keep: 'largst' is none of", "did you mean 'largest'?",
        ":7: material[1].youngs_modulus_MPa: -5 must be > 0 MPa", ":8: material[1].poisson_ratio: 0.5 must be in (-1, 0.5)",
        ":10: load.strain: expected a finite number", ":11: sovle: unknown key; did you mean 'solve'?"})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\nin\n" << text;
  EXPECT_EQ(file.problems.size(), 8u) << text;
}

TEST(spec, refuses_what_does_not_fit_together) {
  const auto faults = [](const std::string& text) {
    job_file file(text);
    file.read();
    return file.faults();
  };
  EXPECT_NE(faults("physics='heat'\n[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1\n")
                .find("conductivity_W_per_mK: missing"),
            std::string::npos);
  EXPECT_NE(faults("[image]\npath='a'\n").find("material: missing"), std::string::npos);
  EXPECT_NE(faults("physics='heat'\n[image]\npath='a'\n[[material]]\nconductivity_W_per_mK=1\n[load]\ntest='axial_bonded'\n")
                .find("load.test"),
            std::string::npos);
  EXPECT_NE(faults("[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1\nlabel=3\n").find("segment.labels = true"),
            std::string::npos);
  const std::string bone = "[image]\npath='a'\n[[material]]\nyoungs_modulus_MPa=1\n";
  EXPECT_NE(faults(bone + "[output]\nfields=['stres']\n").find("did you mean 'stress'?"), std::string::npos);
  EXPECT_NE(faults(bone + "[render]\nevery=2\n").find("render: unknown key; did you mean 'picture'?"), std::string::npos);
  EXPECT_NE(faults(bone + "[output]\nfields=['sed', 'sed']\n").find("'sed' is named twice"), std::string::npos);
  EXPECT_EQ(faults(bone + "[output]\nfields=['sed', 'strain']\n[picture]\nfield='von_mises'\n"), "");
  const std::string warm = "physics='heat'\n[image]\npath='a'\n[[material]]\nconductivity_W_per_mK=1\n";
  EXPECT_EQ(faults(warm + "[run]\ndecomposition='bricks'\n"), "");
  EXPECT_NE(faults(warm + "[output]\nfields=['sed']\n").find("output.fields: given"), std::string::npos);
  EXPECT_NE(faults(warm + "[picture]\nfield='sed'\n").find("picture.field: given"), std::string::npos);
  EXPECT_NE(faults("image = 3\n").find("expected a table"), std::string::npos);
  EXPECT_NE(faults("material = 3\n").find("expected a list of tables"), std::string::npos);
  EXPECT_NE(faults("[image\n").find("not valid TOML"), std::string::npos);
}

// Oracle: the rule of docs/job.md.
TEST(takes_bricks, where_planes_would_be_few) {
  job::spec job;
  EXPECT_FALSE(job::takes_bricks(job, 128, 8));
  EXPECT_TRUE(job::takes_bricks(job, 127, 8));
  EXPECT_FALSE(job::takes_bricks(job, 3, 1));
  job.physics = "heat";
  EXPECT_TRUE(job::takes_bricks(job, 127, 8));
  job.physics = "elasticity";
  job.run.decomposition = "planes";
  EXPECT_FALSE(job::takes_bricks(job, 127, 8));
  job.run.decomposition = "bricks";
  EXPECT_TRUE(job::takes_bricks(job, 128, 2));
}

TEST(spec, says_when_there_is_no_job_file) {
  std::vector<problem> problems;
  job::read_spec("/nonexistent/job.toml", problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].text.find("cannot read this job file"), std::string::npos);
}

// Invariant: random damage gives faults or a spec, never a crash.
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
  EXPECT_EQ(schema.at("properties").at("solve").at("properties").at("tolerance").at("default"), 1e-6);
  EXPECT_TRUE(schema.at("properties").at("image").at("properties").at("spacing_mm").contains("description"));
}

TEST(suggest, finds_the_nearest_word) {
  EXPECT_EQ(nearest("tolerence", {"tolerance", "threshold"}), "tolerance");
  EXPECT_EQ(nearest("xyz", {"tolerance", "threshold"}), "");
}

}  // namespace spec_test
