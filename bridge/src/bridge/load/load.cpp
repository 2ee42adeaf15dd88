/// @file
/// Find the MPI library of the vendor, load the library in a name space of its own, and fill the slots.
#include <dlfcn.h>

#include <bridge/adapter/interface.hpp>
#include <bridge/fallback/composite_requests.hpp>
#include <bridge/front/front.hpp>
#include <bridge/inter_cluster/world.hpp>
#include <bridge/load/extremes.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace osteon::bridge {

slots vendor_slots;

namespace {

static_assert(sizeof(slots) == slot_count * sizeof(void*));

/// The variable is set before main, and therefore before this file is initialised dynamically. The variable is therefore
/// local to a function.
std::string& vendor_label() {
  static std::string label;
  return label;
}

[[noreturn]] void give_up(const std::string& text) {
  // Environment variables that launchers set. MPI cannot be queried, because the MPI library has not yet been loaded.
  int rank = 0;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const std::string rank_text = variable(name); !rank_text.empty()) rank = std::atoi(rank_text.c_str());
  report_once(text, rank);
  std::_Exit(70);
}

std::string library_folder() {
  Dl_info here{};
  if (!dladdr(reinterpret_cast<void*>(&give_up), &here)) return ".";
  return std::filesystem::path(here.dli_fname).parent_path().string();
}

/// The launcher determines the MPI library of this process. Without a launcher, the first available adapter is used.
std::string guess_vendor() {
  const auto here = [](const std::string& name) {
    return std::filesystem::exists(library_folder() + "/osteon_mpi_" + name + ".so");
  };
  if (!variable("OMPI_COMM_WORLD_SIZE").empty()) return here("ompi4") ? "ompi4" : "ompi5";
  if (!variable("PMI_FD").empty() || !variable("PMI_PORT").empty() || !variable("PMI_RANK").empty()) return "mpich4";
  for (const char* name : {"ompi4", "mpich4", "ompi5"})
    if (here(name)) return name;
  give_up("no adapter in " + library_folder() + "; set OSTEON_MPI to the adapter or the ABI library to use");
}

void* load(const std::string& path) {
  // With DEEPBIND, calls of MPI_X inside the vendor bind to the vendor, although this library precedes the vendor in the
  // program.
  share_environ();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) give_up(std::string("cannot load the vendor's MPI: ") + dlerror());
  share_environ();
  return library;
}

void take(void* const* functions) {
  auto* slot = reinterpret_cast<void**>(&vendor_slots);
  const auto* none = reinterpret_cast<void* const*>(&absent);
  for (int i = 0; i < slot_count; ++i) slot[i] = functions[i] ? functions[i] : none[i];
}

void load_vendor() {
  std::string& label = vendor_label();
  label = variable("OSTEON_MPI");
  if (label.empty()) label = guess_vendor();
  const auto colon = label.find(":/");
  const std::string name = label.substr(0, colon);
  // If the library of the vendor is also given, load this library first. An adapter requests a library by its name (SONAME).
  // If a library with this name is already loaded, the adapter uses this library.
  void* below = colon == std::string::npos ? nullptr : load(label.substr(colon + 1));
  void* library = load(name.find('/') != std::string::npos ? name : library_folder() + "/osteon_mpi_" + name + ".so");
  if (below && dlsym(library, "MPI_Init") != dlsym(below, "MPI_Init"))
    give_up(label + ": the adapter is for libraries of another name; for MPICH's and Intel's libmpi.so.12 use mpich");
  if (auto* own = reinterpret_cast<osteon_mpi_adapter_function*>(dlsym(library, "osteon_mpi_adapter_of_vendor"))) {
    const osteon_mpi_adapter* adapter = own();
    if (adapter->count != slot_count) give_up(label + " was built for another version of the bridge");
    take(adapter->functions);
    return;
  }
  if (!dlsym(library, "MPI_Abi_get_version"))
    give_up(label + " is neither an adapter nor a library with the standard MPI ABI (no MPI_Abi_get_version)");
  void* functions[slot_count];
  for (int i = 0; i < slot_count; ++i) functions[i] = dlsym(library, (std::string("PMPI_") + slot_names[i]).c_str());
  take(functions);
}

/// The function runs before main, because MPI functions may be called before MPI_Init.
__attribute__((constructor)) void start() {
  load_vendor();
  correct_extremes(vendor_slots);
  install_without_vendor(vendor_slots);
  active = vendor_slots;
  install_inter_cluster(active);
  install_fallbacks(active);
}

}  // namespace

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void report_once(const std::string& text, int rank) noexcept {
  if (rank > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  std::string lines = text.empty() ? "" : "osteon bridge: ";
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += "osteon bridge: ";
  }
  if (!text.empty()) std::fprintf(stderr, "%s\n", lines.c_str());
  std::fflush(stderr);
}

const std::string& vendor_name() noexcept { return vendor_label(); }

}  // namespace osteon::bridge
