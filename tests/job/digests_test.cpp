#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/import/model_key.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/spec/digest_of_keys.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <span>
#include <string>

namespace digests_test {

using namespace osteon;
namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

const fs::path here = fs::path(__FILE__).parent_path();

// The digests that identify checkpoints, results and models of an earlier run. The path of the image and the version of the
// program are removed from the rules of the model, because they differ between machines and releases.
json digests_of(const fs::path& job_file) {
  std::vector<problem> problems;
  const job::spec read = job::read_spec(job_file.string(), problems);
  EXPECT_TRUE(problems.empty()) << job::join(problems);
  json rules = json::parse(job::rules_of_model(read));
  EXPECT_EQ(rules.erase("path"), 1u);
  EXPECT_EQ(rules.erase("version"), 1u);
  const std::string text = rules.dump();
  return {{"state", job::digest_of_keys(read)},
          {"results", job::digest_of_result_keys(read)},
          {"model", sha256_of(std::as_bytes(std::span(text)))}};
}

// Oracle: the digests of the examples as stored in tests/job/digests.json. If these digests change, checkpoints, models and
// finished results of earlier versions are computed again. Keep the digests, unless a key is new or its meaning has changed.
// In that case, write the digests again with OSTEON_WRITE_DIGESTS=1 build/release/tests/test_job digests_test.cpp.
TEST(digests, of_the_examples_are_those_of_earlier_versions) {
  const fs::path stored_in = here / "digests.json";
  json now = json::object();
  std::map<std::string, fs::path> jobs;
  for (const fs::directory_entry& entry : fs::directory_iterator(here / "../../examples"))
    if (entry.path().extension() == ".toml") jobs.emplace(entry.path().filename().string(), entry.path());
  EXPECT_GE(jobs.size(), 13u);
  for (const auto& [name, path] : jobs) now[name] = digests_of(path);
  if (std::getenv("OSTEON_WRITE_DIGESTS") != nullptr) std::ofstream(stored_in) << now.dump(2) << "\n";
  const json stored = json::parse(std::ifstream(stored_in));
  for (const auto& [name, digests] : now.items())
    for (const auto& [what, digest] : digests.items()) EXPECT_EQ(stored[name][what], digest) << name << ", " << what;
}

// Oracle: the contract of a model. Options that change the grey values belong to the rules of the model.
TEST(digests, of_a_model_change_with_coarsening_and_noise) {
  std::vector<problem> problems;
  const std::string text = "[image]\npath = 'a.tif'\n[[material]]\nyoungs_modulus_MPa = 1\npoisson_ratio = 0.3\n";
  const std::string plain = job::rules_of_model(job::read_spec_text(text, "a.toml", problems));
  for (const char* change : {"image.coarsen=2", "image.noise_sd=3.0", "image.noise_blur_voxels=1.0", "image.noise_seed=2",
                             "image.crop_to_solid=true"})
    EXPECT_NE(job::rules_of_model(job::read_spec_text(text, "a.toml", problems, {change})), plain) << change;
  EXPECT_TRUE(problems.empty()) << job::join(problems);
}

// Adds all tables to a job, so that all keys exist, and changes the value of one key.
class changer final : public job::key_visitor {
 public:
  explicit changer(std::size_t which) : which_(which) {}
  void key(const job::key_entry& entry, const job::key_field& value) override {
    if (seen_++ != which_) return;
    changed_ = &entry;
    std::visit([](auto* field) { change(*field); }, value);
  }
  void table(const job::key_table& table, void* owner) override { visit_keys(table, table.open(owner), *this); }
  const job::key_entry* changed() const { return changed_; }  // null if there are fewer keys

 private:
  static void change(std::string& value) { value += "x"; }
  static void change(job::choice_field& value) {
    value.set(value.name() == value.names().back() ? value.names().front() : value.names().back());
  }
  static void change(bool& value) { value = !value; }
  static void change(double& value) { value += 1; }
  static void change(std::int64_t& value) { value += 1; }
  template <class T>
  static void change(std::vector<T>& value) {
    value.emplace_back();
  }
  template <class T>
  static void change(std::optional<T>& value) {
    value.emplace();
  }
  std::size_t which_, seen_ = 0;
  const job::key_entry* changed_ = nullptr;
};

// Oracle: the use that each key states. A digest must contain each value that affects the results, and no other value.
TEST(digests, contain_a_key_by_its_use) {
  constexpr auto none = static_cast<std::size_t>(-1);
  job::spec before;
  changer all(none);
  visit_keys(job::job_keys(), &before, all);
  std::size_t keys = 0, of_model = 0;
  for (;; ++keys) {
    job::spec after;
    changer one(keys);
    visit_keys(job::job_keys(), &after, one);
    if (!one.changed()) break;
    for (const job::key_digest digest : {job::key_digest::results, job::key_digest::state, job::key_digest::model})
      EXPECT_EQ(job::values_of_keys(after, digest) != job::values_of_keys(before, digest), is_in(one.changed()->use, digest))
          << one.changed()->name << " in digest " << static_cast<unsigned>(digest);
    of_model += is_in(one.changed()->use, job::key_digest::model);
  }
  EXPECT_GT(keys, 240u);
  EXPECT_GT(of_model, 40u);  // keys of the image, its segmentation and the materials
}

}  // namespace digests_test
