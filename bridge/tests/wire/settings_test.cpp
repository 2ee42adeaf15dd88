#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <bridge/wire/choices.hpp>
#include <bridge/wire/job_key.hpp>
#include <bridge/wire/settings.hpp>
#include <filesystem>
#include <fstream>

namespace settings_test {

using namespace osteon::bridge;
using namespace osteon::bridge::wire;

std::string all(const std::vector<osteon::problem>& faults) {
  std::string text;
  for (const osteon::problem& p : faults) text += p.where + ": " + p.text + "\n";
  return text;
}

// Oracle: the table of bridge/docs/wire.md.
TEST(settings, every_wrong_value_is_named_with_its_limit) {
  std::vector<osteon::problem> faults;
  read_settings({{"streams", "40"},
                 {"cut_s", "soon"},
                 {"short", "0"},
                 {"ackmark", "2.5"},
                 {"tls", "yes"},
                 {"progress", "threads"},
                 {"ports", "7100-7000"},
                 {"zstd_below_mbit", "nan"}},
                faults);
  const std::string text = all(faults);
  for (const char* part :
       {"streams: 40 must be in 1 .. 16", "cut_s: 'soon' is not a number", "short: 0 must be in 1 .. 4194304",
        "ackmark: 2.5 must be an integer", "tls: 'yes' must be on or off", "progress: 'threads' must be thread or polling",
        "ports: '7100-7000' is an empty range", "zstd_below_mbit: 'nan' is not a number"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(faults.size(), 8);
}

// Oracle: computed by hand.
TEST(settings, good_values_are_taken) {
  std::vector<osteon::problem> faults;
  const settings s = read_settings(
      {{"streams", "4"}, {"cut_s", "2.5"}, {"eager", "1e6"}, {"tls", "off"}, {"ports", "7000"}, {"hiwater", "100"}}, faults);
  EXPECT_EQ(all(faults), "");
  EXPECT_EQ(s.streams, 4);
  EXPECT_EQ(s.cut_seconds, 2.5);
  EXPECT_EQ(s.eager_bytes, 1000000);
  EXPECT_FALSE(s.tls);
  faults.clear();
  read_settings({{"hiwater", "10"}}, faults);
  EXPECT_EQ(all(faults), "ackmark: 64 is above hiwater = 10: senders would wait forever\n");
}

// Oracle: the table of bridge/docs/bridge.md.
TEST(settings, choices_are_checked_likewise) {
  std::vector<osteon::problem> faults;
  read_choices({{"mode", "byte"}, {"yield", "on"}, {"short", "-1"}, {"reductions", "ranks"}}, faults);
  const std::string text = all(faults);
  for (const char* part :
       {"mode: 'byte' is not one of: direct, bytes", "yield: 'on' is not one of: 0, 1", "short: '-1' must be a number"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(faults.size(), 3);
}

std::string fault_of_file(const std::string& path) {
  try {
    read_key_file(path);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

// Oracle: computed by hand; the modes of a file.
TEST(settings, a_key_file_is_private_and_long_enough) {
  const std::string path = testing::TempDir() + "osteon_key_" + std::to_string(getpid());
  const auto write = [&](const std::string& line, mode_t mode) {
    std::filesystem::remove(path);
    std::ofstream(path) << line << "\n";
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
  };
  const std::string good(32, 'k');
  write(good, 0600);
  EXPECT_EQ(read_key_file(path), good);
  for (const mode_t mode : {0644, 0640, 0604, 0620}) {
    write(good, mode);
    EXPECT_NE(fault_of_file(path).find("is readable by others (mode 6"), std::string::npos) << fault_of_file(path);
  }
  write("12345678", 0600);
  EXPECT_NE(fault_of_file(path).find("has 8 characters; at least 22 are required"), std::string::npos)
      << fault_of_file(path);
  std::filesystem::remove(path);
  EXPECT_NE(fault_of_file(path).find("cannot be read"), std::string::npos);
  EXPECT_EQ(new_key().size(), 64);
  EXPECT_NE(new_key(), new_key());
}

}  // namespace settings_test
