#include <native/world.hpp>

#include <unistd.h>

#include <common/run_folder.hpp>
#include <cstdlib>
#include <map>
#include <optional>
#include <osteon/base/error.hpp>
#include <string>
#include <string_view>

namespace osteon::native {

namespace {

bool began = false;
std::optional<run_folder> folder_of_mpi;  // this folder exists until MPI is finalised

// Return true if a launcher started this process. A launcher creates a folder for its processes.
bool is_launched() { return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMIX_RANK") || std::getenv("PMI_RANK"); }

// Restores the environment variables that MPI_Init sets. Without this class, programs that Python starts later (for example
// mpirun) would join this world as ranks.
class same_environment {
 public:
  same_environment() : before_(now()) {}
  ~same_environment() {
    for (const auto& [name, value] : now()) {
      const auto old = before_.find(name);
      if (old == before_.end())
        unsetenv(name.c_str());
      else if (old->second != value)
        setenv(name.c_str(), old->second.c_str(), 1);
    }
  }
  same_environment(const same_environment&) = delete;
  same_environment& operator=(const same_environment&) = delete;

 private:
  using variables = std::map<std::string, std::string>;
  static variables now() {
    variables found;
    for (char** entry = environ; entry && *entry; ++entry) {
      const std::string_view text(*entry);
      const auto equals = text.find('=');
      if (equals != std::string_view::npos) found.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return found;
  }
  variables before_;
};

}  // namespace

MPI_Comm world() {
  int is_ended = 0, is_begun = 0;
  MPI_Finalized(&is_ended);
  if (is_ended)
    throw machine_error("MPI is finalised in this process and cannot be initialised again; call osteon before MPI_Finalize");
  MPI_Initialized(&is_begun);
  if (!is_begun) {
    const same_environment kept;
    // With these variables, a process without a launcher starts no daemon (Open MPI 4), and the user root is allowed, as in
    // containers.
    if (!std::getenv("OMPI_COMM_WORLD_SIZE")) setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    std::optional<tmpdir_of_run> meanwhile;
    if (!is_launched()) meanwhile.emplace(folder_of_mpi.emplace());
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    began = true;
  }
  return MPI_COMM_SELF;
}

MPI_Comm communicator_of(const std::vector<int>& ranks) {
  static std::map<std::vector<int>, MPI_Comm> known;
  int is_ended = 0, is_begun = 0;
  MPI_Finalized(&is_ended);
  MPI_Initialized(&is_begun);
  if (began && !is_ended)
    throw usage_error(
        "osteon initialised MPI in this process before mpi4py, which may use another library; import mpi4py.MPI before the "
        "first call of osteon");
  if (!is_begun || is_ended)
    throw usage_error(
        "the communicator belongs to another MPI library than that of osteon; build mpi4py and osteon with the same MPI, "
        "or use run = {\"ranks\": N}");
  const auto found = known.find(ranks);
  if (found != known.end()) return found->second;
  MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &made);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return known[ranks] = made;
}

void end_world() {
  int is_ended = 0;
  MPI_Finalized(&is_ended);
  if (began && !is_ended) MPI_Finalize();
  began = false;
  folder_of_mpi.reset();
}

}  // namespace osteon::native
