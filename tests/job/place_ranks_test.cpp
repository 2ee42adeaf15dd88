#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <osteon/base/stopwatch.hpp>
#include <osteon/job/placement/place_ranks.hpp>
#include <osteon/physics/heat/entry.hpp>
#include <string>
#include <vector>

namespace place_ranks_test {

using namespace osteon;

struct lines : log_sink {
  std::vector<std::string> notes;
  void note(std::string_view words) override { notes.emplace_back(words); }
};

// Oracle: the rule for one host. No link is measured, no graph is requested, and ranks keep their order. One line reports
// this result. CPU time below the time of one frame of a film is negligible compared with a job.
TEST(place_ranks, one_host_costs_nothing_that_can_be_felt) {
  const std::filesystem::path cache = std::filesystem::temp_directory_path() / "osteon_no_cache_is_made";
  std::filesystem::remove_all(cache);
  setenv("OSTEON_CACHE", cache.c_str(), 1);
  const job::spec job;
  bool asked = false;
  double least = 1;
  for (int n = 0; n < 3; ++n) {
    lines log;
    const double begin = cpu_seconds();
    const job::placed_ranks placed = job::place_ranks(
        MPI_COMM_WORLD, job,
        [&] {
          asked = true;
          return std::pair{placement::graph{}, std::string{}};
        },
        [](MPI_Comm) { return 1.0; }, log);
    least = std::min(least, cpu_seconds() - begin);
    EXPECT_EQ(placed.comm(), MPI_COMM_WORLD);
    ASSERT_EQ(log.notes.size(), 1U);
    EXPECT_NE(log.notes[0].find("on one host, not reordered"), std::string::npos) << log.notes[0];
  }
  EXPECT_FALSE(asked);
  EXPECT_FALSE(std::filesystem::exists(cache));
  EXPECT_LT(least, 0.04);
  RecordProperty("cpu_ms", std::to_string(1e3 * least));
}

// Oracle: the rule. One candidate is always a run without binding. The selected binding is reported.
TEST(place_ranks, measured_binding_is_found_by_a_trial) {
  job::spec job;
  job.run.bind = "measured";
  lines log;
  job::place_ranks(
      MPI_COMM_WORLD, job, [] { return std::pair{placement::graph{}, std::string{}}; }, physics::seconds_of_heat_iteration,
      log);
  ASSERT_EQ(log.notes.size(), 1U);
  const std::string& line = log.notes[0];
  EXPECT_NE(line.find("bound by trial (none "), std::string::npos) << line;
  EXPECT_NE(line.find(" ms"), std::string::npos) << line;
  EXPECT_EQ(line.find("none 0.0 ms"), std::string::npos) << line;
}

}  // namespace place_ranks_test
