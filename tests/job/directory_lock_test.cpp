#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <osteon/base/error.hpp>
#include <osteon/job/pipeline/directory_lock.hpp>

namespace directory_lock_test {

namespace fs = std::filesystem;
using osteon::job::directory_lock;

class lock : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "osteon-lock-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = name;
  }
  void TearDown() override { fs::remove_all(base_); }
  std::string at(const char* name) const { return (base_ / name).string(); }
  fs::path base_;
};

// Invariant: while a front end or one of its ranks is alive, no other job begins.
TEST_F(lock, is_held_by_a_front_and_its_ranks) {
  const std::string folder = at("out");
  std::optional<directory_lock> front(folder), ranks;
  EXPECT_THROW(directory_lock other(folder), osteon::usage_error);
  EXPECT_THROW(directory_lock other(folder, directory_lock::part::of_ranks), osteon::usage_error);
  front->release_to_ranks();
  ranks.emplace(folder, directory_lock::part::of_ranks);
  front.reset();
  EXPECT_THROW(directory_lock other(folder), osteon::usage_error);
  ranks.reset();
  EXPECT_NO_THROW(directory_lock other(folder));
}

// Oracle: the target of a link in the folder is not created.
TEST_F(lock, follows_no_link) {
  fs::create_directories(at("out"));
  fs::create_symlink(at("elsewhere"), at("out/.lock"));
  EXPECT_THROW(directory_lock held(at("out")), osteon::usage_error);
  EXPECT_FALSE(fs::exists(at("elsewhere")));
}

// Invariant: files created by a failed job are removed. Existing files and useful files remain.
TEST_F(lock, removes_its_own_folders) {
  {
    directory_lock held(at("a/b/out"));
    std::ofstream(at("a/b/out/model.nc")) << "model";
    held.remove_without_results(false);
    EXPECT_TRUE(fs::exists(at("a/b/out/model.nc")));
    held.remove_without_results(true);
    EXPECT_FALSE(fs::exists(at("a")));
    EXPECT_TRUE(fs::exists(base_));
  }
  {
    directory_lock held(at("c"));
    fs::create_directories(at("c/checkpoint"));
    held.remove_without_results(true);
    EXPECT_TRUE(fs::exists(at("c/checkpoint")));
  }
  fs::create_directories(at("d"));
  directory_lock held(at("d"));
  held.remove_without_results(true);
  EXPECT_TRUE(fs::exists(at("d")));
}

// Invariant: if a folder is removed while it is being locked, the new folder is locked.
TEST_F(lock, follows_a_folder_that_is_made_anew) {
  const std::string folder = at("out");
  directory_lock first(folder);
  first.remove_without_results(true);
  directory_lock second(folder);
  EXPECT_TRUE(fs::exists(folder));
  EXPECT_THROW(directory_lock third(folder), osteon::usage_error);
}

}  // namespace directory_lock_test
