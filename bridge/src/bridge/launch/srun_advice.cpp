#include <fmt/format.h>

#include <algorithm>
#include <bridge/launch/srun_advice.hpp>
#include <filesystem>
#include <sstream>

namespace osteon::bridge::launch {

namespace {

std::vector<std::string> launcher_words(const join_cluster& c) {
  std::vector<std::string> words;
  for (const auto* list : {&c.launcher, &c.options})
    for (const std::string& entry : *list) {  // several options may be in one text
      std::istringstream text(entry);
      for (std::string word; text >> word;) words.push_back(word);
    }
  return words;
}

bool has_option(const join_cluster& c, const char* option, const char* variable) {
  const std::vector<std::string> words = launcher_words(c);
  return c.environment.count(variable) != 0 ||
         std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.rfind(option, 0) == 0; });
}

}  // namespace

bool is_started_by_srun(const join_cluster& c) {
  return std::any_of(c.launcher.begin(), c.launcher.end(),
                     [](const std::string& word) { return std::filesystem::path(word).filename() == "srun"; });
}

std::vector<std::string> srun_advice(const join_plan& plan) {
  std::vector<std::string> advice;
  for (std::size_t i = 0; i < plan.clusters.size(); ++i) {
    const join_cluster& c = plan.clusters[i];
    if (!is_started_by_srun(c)) continue;
    if (!has_option(c, "--mpi", "SLURM_MPI_TYPE"))
      advice.push_back(
          fmt::format("cluster '{}': srun without --mpi= uses Slurm's default, which may be none; then processes do not "
                      "find each other: add --mpi=pmix or another option of `srun --mpi=list`",
                      c.name));
    const auto shares = [&](const join_cluster& other) { return is_started_by_srun(other) && other.prefix == c.prefix; };
    // Groups of a heterogeneous job have their own hosts.
    const bool waits = !has_option(c, "--exact", "SLURM_EXACT") && !has_option(c, "--overlap", "SLURM_OVERLAP") &&
                       !has_option(c, "--het-group", "SLURM_HET_GROUP") &&
                       !has_option(c, "--pack-group", "SLURM_PACK_GROUP");
    const auto other = std::find_if(plan.clusters.begin(), plan.clusters.end(),
                                    [&](const join_cluster& o) { return &o != &c && shares(o); });
    if (waits && other != plan.clusters.end())
      advice.push_back(
          fmt::format("cluster '{}': srun without --exact uses the whole allocation, so that '{}' in the same allocation "
                      "would wait for its end; add --exact to both",
                      c.name, other->name));
  }
  return advice;
}

}  // namespace osteon::bridge::launch
