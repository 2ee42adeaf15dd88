#include <app/process/srun.hpp>

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <app/process/launcher_variables.hpp>
#include <cstdlib>
#include <filesystem>
#include <osteon/base/stopwatch.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/job/system_info.hpp>
#include <sstream>

namespace osteon::app {

namespace {

namespace fs = std::filesystem;

bool is_open_mpi(const std::string& mpi) { return mpi.find("Open MPI") != std::string::npos; }

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

bool offers(const std::string& list, const std::string& type) {
  std::istringstream stream(list);
  for (std::string word; stream >> word;)
    if (word == type) return true;
  return false;
}

// Path of the loaded library of Open MPI, which the bridge may have loaded; empty without one.
std::string loaded_open_mpi() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        if (object->dlpi_name && fs::path(object->dlpi_name).filename().string().starts_with("libmpi.so"))
          *static_cast<std::string*>(found) = object->dlpi_name;
        return 0;
      },
      &path);
  return path;
}

// True if Open MPI lacks the components for PMI-1 and PMI-2. Open MPI 5 has no such components. The components of Open MPI 4
// are files in a folder of the library; without these files the answer is unknown, and the result is false.
bool lacks_pmi(const std::string& mpi) {
  if (mpi.find("Open MPI v5") != std::string::npos) return true;
  const std::string library = loaded_open_mpi();
  if (library.empty()) return false;
  std::error_code failed;
  const fs::path folder = fs::canonical(library, failed).parent_path();
  bool has_components = false;
  for (const fs::path& place : {folder / "openmpi", folder / "openmpi3", folder / "openmpi/lib/openmpi3"}) {
    for (const auto& entry : fs::directory_iterator(place, failed)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("mca_pmix_s1") || name.starts_with("mca_pmix_s2")) return false;
      has_components = has_components || name.starts_with("mca_pmix_");
    }
  }
  return has_components;
}

}  // namespace

std::string mpi_type_of_srun(const std::string& mpi) {
  if (is_open_mpi(mpi)) return "pmix";
  return mpi.find("CRAY") != std::string::npos ? "cray_shasta" : "pmi2";
}

std::string wrong_mpi_of_step(const std::string& mpi) {
  if (processes_of_step() <= 1 || is_set("OMPI_COMM_WORLD_SIZE")) return "";
  const bool pmi = is_set("PMI_RANK") && !is_set("PMIX_NAMESPACE");
  if (pmi && is_open_mpi(mpi) && lacks_pmi(mpi))
    return fmt::format("{} does not support the interface PMI-2 of this step; use srun --mpi={}", mpi,
                       mpi_type_of_srun(mpi));
  // MPICH reports the options of its build. Intel MPI uses PMIx only on request. Other libraries are unknown.
  const bool is_mpich = mpi.starts_with("MPICH ") && job::mpi_library().find("pmix") == std::string::npos;
  const bool is_intel = mpi.find("Intel(R) MPI") != std::string::npos && own_variable("I_MPI_PMI") != "pmix";
  if (!pmi && is_set("PMIX_NAMESPACE") && (is_mpich || is_intel))
    return fmt::format("{} does not support the interface PMIx of this step; use srun --mpi={}", mpi, mpi_type_of_srun(mpi));
  return "";
}

bool is_launched_for_open_mpi(const std::string& mpi) {
  return is_set("OMPI_COMM_WORLD_SIZE") && (mpi.starts_with("MPICH ") || mpi.find("Intel(R) MPI") != std::string::npos);
}

srun_choice choose_srun(const std::optional<allocation>& batch, const std::string& mpi) {
  // srun would wait for the end of the prolog, which has no list of hosts.
  if (is_set("SLURM_SCRIPT_CONTEXT")) return {"", "srun cannot start steps in a prolog or epilog"};
  if (!batch || batch->system != batch_system::slurm || is_set("OSTEON_MPIRUN")) return {};
  const std::string type = is_set("SLURM_MPI_TYPE") ? std::getenv("SLURM_MPI_TYPE") : mpi_type_of_srun(mpi);
  constexpr double longest_answer_s = 10;
  const stopwatch clock;
  const job::program_result list =
      job::run_program({"srun", "--mpi=list"}, [&] { return clock.seconds() > longest_answer_s; });
  if (list.exit_code == 127) return {"", "srun is not installed on this host"};
  if (list.exit_code != 0) return {"", fmt::format("srun --mpi=list failed: {}", list.err.substr(0, list.err.find('\n')))};
  // Versions of Slurm write the list to either stream.
  if (!offers(list.out + " " + list.err, type))
    return {"", fmt::format("srun does not offer --mpi={}, which {} requires", type, mpi)};
  return {type, ""};
}

std::vector<std::string> srun_command(const srun_choice& choice, const allocation& batch, int ranks, int threads) {
  int places = 0;
  for (const int cores : batch.cores) places += cores / std::max(threads, 1);
  const bool fits = batch.cores.empty() || ranks <= places;
  // In a step, srun would wait for the end of that step. Older versions of Slurm ignore this variable.
  setenv("SLURM_OVERLAP", "1", 1);
  // Variables of the job would override the options: -N and -n of the script, and --export=NONE.
  std::vector<std::string> words{
      "srun",
      "--mpi=" + choice.mpi_type,
      fmt::format("--nodes={}", std::min<std::size_t>(batch.hosts.size(), static_cast<std::size_t>(ranks))),
      fmt::format("--ntasks={}", ranks),
      "--cpu-bind=none",
      "--quiet",
      "--kill-on-bad-exit=1",
      "--export=ALL"};
  words.push_back(fits ? fmt::format("--cpus-per-task={}", threads) : "--overcommit");
  for (const char* name : {"SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_NTASKS", "SLURM_NPROCS",
                           "SLURM_CPUS_PER_TASK", "SLURM_DISTRIBUTION", "SLURM_HOSTFILE"})
    unsetenv(name);
  return words;
}

}  // namespace osteon::app
