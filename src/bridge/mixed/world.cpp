/// @file
/// Begin and end of a joined job.
#include "mixed/world.hpp"
#include "mixed/schedule.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <bridge/wire/settings.hpp>
#include <charconv>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace osteon::bridge {

joined_world& world() {
  static joined_world w;
  return w;
}

namespace {

/// What must be equal everywhere, because data between clusters travel as they lie in memory.
std::string representation() {
  return fmt::format("{} long={} long-double={} wchar={} bool={}",
                     std::endian::native == std::endian::little ? "little" : "big", sizeof(long), sizeof(long double),
                     sizeof(wchar_t), sizeof(bool));
}

int vendor_tag_limit() {
  int* limit = nullptr;
  int flag = 0;
  vendor().Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
  return flag ? *limit : 32767;
}

/// With more processes on this machine than cores, one that waits must let the others run.
bool should_yield(const wire::world_info& info) {
  if (const char* told = std::getenv("OSTEON_BRIDGE_YIELD"); told && *told) return std::strcmp(told, "1") == 0;
  const std::string& here = info.processes[static_cast<std::size_t>(info.rank)].host;
  const auto neighbours =
      std::count_if(info.processes.begin(), info.processes.end(), [&](const auto& p) { return p.host == here; });
  return neighbours > sysconf(_SC_NPROCESSORS_ONLN);
}

void join_others() {
  auto& w = world();
  wire::settings how = wire::settings_from_environment();
  vendor().Comm_rank(MPI_COMM_WORLD, &how.local_rank);
  vendor().Comm_size(MPI_COMM_WORLD, &how.local_size);
  const std::string own = representation();
  w.link = wire::endpoint::join(how, fmt::format("{};{}", vendor_tag_limit(), own));
  const wire::world_info& info = w.link->world();
  w.first_local = info.clusters[static_cast<std::size_t>(info.cluster)].first_rank;
  w.yielding = should_yield(info);
  w.tag_limit = INT32_MAX;
  for (const auto& process : info.processes) {
    const auto semicolon = process.facts.find(';');
    int limit = 32767;
    std::from_chars(process.facts.data(), process.facts.data() + semicolon, limit);
    w.tag_limit = std::min(w.tag_limit, limit);
    const std::string theirs = process.facts.substr(semicolon + 1);
    if (theirs != own)
      throw usage_error(
          fmt::format("data of cluster {} ({}) and of cluster {} ({}) lie differently in memory; use machines of one kind",
                      info.clusters[static_cast<std::size_t>(info.cluster)].name, own,
                      info.clusters[static_cast<std::size_t>(process.cluster)].name, theirs));
  }
  vendor().Comm_group(MPI_COMM_WORLD, &w.vendor_group);
  std::vector<int> everyone(info.processes.size());
  std::iota(everyone.begin(), everyone.end(), 0);
  w.everyone = make_communicator(0, std::move(everyone), MPI_COMM_WORLD, true);
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  int granted = MPI_THREAD_SINGLE;
  const int e = vendor().Init_thread(argc, argv, std::min<int>(required, MPI_THREAD_SERIALIZED), &granted);
  if (e != MPI_SUCCESS) return e;
  if (provided) *provided = std::min<int>(granted, MPI_THREAD_SERIALIZED);
  linked([&] { return join_others(), 0; });
  return MPI_SUCCESS;
}

int finalize() {
  auto& w = world();
  active.Barrier(MPI_COMM_WORLD);
  patience p;
  while (
      std::any_of(w.moving.begin(), w.moving.end(), [](const request* r) { return r->kind == request::what_kind::send; })) {
    if (progress())
      p.reset();
    else
      p.wait();
  }
  vendor().Comm_free(&w.everyone->shadow);
  vendor().Group_free(&w.vendor_group);
  linked([&] { return w.link->close(), 0; });
  w.finalized = true;
  return vendor().Finalize();
}

int abort_all(MPI_Comm comm, int code) {
  auto& w = world();
  if (w.link && find(comm)) w.link->abort(fmt::format("MPI_Abort({}) by rank {}", code, w.everyone ? w.everyone->rank : -1));
  return vendor().Abort(find(comm) ? find(comm)->local : comm, code);
}

int library_version(char* text, int* length) {
  const int e = vendor().Get_library_version(text, length);
  const std::string whole =
      fmt::format("osteon bridge over {}", std::string(text, static_cast<std::size_t>(std::max(*length, 0))));
  std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "%s", whole.c_str());
  *length = static_cast<int>(std::strlen(text));
  return e;
}

/// MPI_Buffer_detach waits for what MPI_Bsend has on its way.
template <auto function, class N>
int detach(void* address, N* size) {
  patience p;
  while (std::any_of(world().moving.begin(), world().moving.end(), [](const request* r) { return r->detached; })) {
    if (progress())
      p.reset();
    else
      p.wait();
  }
  return (vendor().*function)(address, size);
}

}  // namespace

void install_mixed(slots& s) noexcept {
  if (!wire::joined_by_environment()) return;
  install_guards(s);
  install_point_to_point(s);
  install_completion(s);
  install_collectives(s);
  install_communicators(s);
  install_groups(s);
  s.Init = [](int* argc, char*** argv) { return init_thread(argc, argv, MPI_THREAD_SINGLE, nullptr); };
  s.Init_thread = init_thread;
  s.Query_thread = [](int* level) {
    const int e = vendor().Query_thread(level);
    *level = std::min<int>(*level, MPI_THREAD_SERIALIZED);
    return e;
  };
  s.Finalize = finalize;
  s.Abort = abort_all;
  s.Get_library_version = library_version;
  s.Buffer_detach = detach<&slots::Buffer_detach, int>;
  s.Buffer_detach_c = detach<&slots::Buffer_detach_c, MPI_Count>;
}

}  // namespace osteon::bridge
