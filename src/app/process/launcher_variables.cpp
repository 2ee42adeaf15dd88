#include <app/process/launcher_variables.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::app {

namespace {

// Value of the first variable that is set, or -1.
int number_in(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* text = std::getenv(name)) return std::max(0, std::atoi(text));
  return -1;
}

// The list excludes settings of the user (other OMPI_MCA_*, the allocation of Slurm). Python has the same list
// (python/osteon/processes/child_process.py), and tests/python/launcher_variables_test.py compares the two lists.
constexpr std::string_view prefixes[] = {"OMPI_COMM_WORLD_",
                                         "OMPI_APP_CTX_",
                                         "OMPI_NUM_APP_CTX",
                                         "OMPI_UNIVERSE_SIZE",
                                         "OMPI_COMMAND",
                                         "OMPI_ARGV",
                                         "OMPI_FILE_LOCATION",
                                         "OMPI_FIRST_RANKS",
                                         "OMPI_MCA_ess",
                                         "OMPI_MCA_pmix",
                                         "OMPI_MCA_initial_wdir",
                                         "OMPI_MCA_mpi_oversubscribe",
                                         "OMPI_MCA_shmem_RUNTIME",
                                         "OMPI_MCA_orte_app_num",
                                         "OMPI_MCA_orte_bound_at_launch",
                                         "OMPI_MCA_orte_ess_",
                                         "OMPI_MCA_orte_hnp_uri",
                                         "OMPI_MCA_orte_jobfam_",
                                         "OMPI_MCA_orte_launch",
                                         "OMPI_MCA_orte_local_daemon",
                                         "OMPI_MCA_orte_num_nodes",
                                         "OMPI_MCA_orte_precondition_",
                                         "OMPI_MCA_orte_top_session",
                                         "PMIX_",
                                         "PMI_",
                                         "PMI2_",
                                         "PRTE_LAUNCHED",
                                         "HYDI_",
                                         "MPI_LOCAL",
                                         "MV2_COMM_WORLD_",
                                         "PALS_",
                                         "SLURM_PROCID",
                                         "SLURM_LOCALID",
                                         "SLURM_NODEID",
                                         "SLURM_STEP",
                                         "SLURM_TASK_PID",
                                         "SLURM_GTIDS",
                                         "SLURM_LAUNCH_NODE_IPADDR",
                                         "SLURM_SRUN_COMM_",
                                         "SLURM_PMI"};

}  // namespace

std::optional<int> launched_processes() {
  if (const int count = number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); count >= 0) return count;
  const bool pmix = std::getenv("PMIX_RANK"), others = std::getenv("PMI_RANK") || std::getenv("MPI_LOCALNRANKS");
  if (!pmix && !others) return std::nullopt;
  if (const int count = processes_of_step(); count > 0) return count;
  // A PMIx server sets both variables. A shell that srun --pty starts can have a rank without an MPI world.
  if (pmix && !others && !std::getenv("PMIX_NAMESPACE")) return 1;
  return 0;
}

int launched_rank() { return std::max(0, number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})); }

int processes_of_step() { return std::max(0, number_in({"SLURM_STEP_NUM_TASKS"})); }

void drop_launcher_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view p) { return name.starts_with(p); }))
      names.emplace_back(name);
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

}  // namespace osteon::app
