/// @file
/// Start and end of a joined job.
#include <bridge/inter_cluster/world.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bridge/inter_cluster/agreement.hpp>
#include <bridge/inter_cluster/schedule.hpp>
#include <bridge/wire/settings.hpp>
#include <chrono>
#include <common/run_folder.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <numeric>
#include <thread>

namespace osteon::bridge {

constinit world_place the_world;

namespace {
constinit bool joined = false;
}

bool job_is_joined() noexcept { return joined; }

void fatal(const std::string& text) noexcept {
  int rank = 0;
  vendor().Comm_rank(MPI_COMM_WORLD, &rank);
  // If the start-up server was notified, the server prints the text. Otherwise, this process prints the text.
  const bool notified = world().link && world().link->abort(text);
  report_once(notified ? "" : text, rank);
  vendor().Abort(MPI_COMM_WORLD, 70);
  std::_Exit(70);
}

void communicator_use::end() noexcept {
  if (used_ && --used_->users == 0 && used_->freed) world().communicators.drop(used_);
}

int raise(communicator* c, int error_class) noexcept {
  vendor().Comm_call_errhandler(c->freed ? world().everyone->local : c->local, error_class);
  return error_class;
}

int refuse_over_clusters(communicator* c, const char* function) noexcept {
  return refuse(c->local, std::string(function) + " is not supported on a communicator that spans clusters");
}

int cluster_of(int world_rank) noexcept {
  const wire::world_info& info = world().link->world();
  return world().bytes ? world_rank : info.processes[static_cast<std::size_t>(world_rank)].cluster;
}

namespace {

int vendor_tag_limit() {
  int* limit = nullptr;
  int flag = 0;
  vendor().Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
  return flag ? *limit : 32767;
}

/// If this machine has more processes than cores, a waiting process must yield its core.
bool should_yield(const wire::world_info& info, const wire::choices& c) {
  if (c.yields) return *c.yields;
  const std::string& here = info.processes[static_cast<std::size_t>(info.rank)].host;
  const auto neighbours =
      std::count_if(info.processes.begin(), info.processes.end(), [&](const auto& p) { return p.host == here; });
  return neighbours > sysconf(_SC_NPROCESSORS_ONLN);
}

void join_others(const wire::choices& c) {
  auto& w = world();
  wire::settings options = wire::settings_from_environment();
  vendor().Comm_rank(MPI_COMM_WORLD, &options.local_rank);
  vendor().Comm_size(MPI_COMM_WORLD, &options.local_size);
  w.in_order_of_ranks = c.order_of_ranks;
  w.link = wire::endpoint::join(options, own_facts(vendor_tag_limit(), c));
  const wire::world_info& info = w.link->world();
  w.yielding = should_yield(info, c);
  w.first_local = info.clusters[static_cast<std::size_t>(info.cluster)].first_rank;
  const agreement all = agree_on(info, c);
  w.tag_limit = all.tag_limit;
  w.external32 = all.external32;
  if (info.rank == 0 && !all.warning.empty()) std::fprintf(stderr, "osteon bridge: %s\n", all.warning.c_str());
  MPI_Comm here = MPI_COMM_WORLD;
  if (c.bytes) {
    if (c.threads && info.clusters.size() > 1 && w.yielding)
      throw usage_error(
          "OSTEON_BRIDGE_PROGRESS=threads over several clusters requires a core per process, because waiting threads of one "
          "MPI block those of another; use polling");
    w.bytes = std::make_unique<carrier>(c.short_bytes, c.threads, w.first_local);
    w.first_local = info.rank;
    vendor().Comm_dup(MPI_COMM_SELF, &here);
  } else {
    w.local_size = static_cast<unsigned>(options.local_size);
  }
  vendor().Comm_group(here, &w.vendor_group);
  std::vector<int> everyone(info.processes.size());
  std::iota(everyone.begin(), everyone.end(), 0);
  w.everyone = make_communicator(0, std::move(everyone), here, true);
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  int granted = MPI_THREAD_SINGLE;
  wire::choices c;
  std::string fault;
  try {
    c = wire::choices_from_environment();
  } catch (const usage_error& e) {
    fault = e.what();
  }
  const bool threads = c.bytes && c.threads;
  const int e = vendor().Init_thread(
      argc, argv, threads ? MPI_THREAD_MULTIPLE : std::min<int>(required, MPI_THREAD_SERIALIZED), &granted);
  restore_tmpdir();  // `osteon join` has started the launcher with a folder of its own
  if (e != MPI_SUCCESS) return e;
  if (!fault.empty()) fatal(fault);
  if (threads && granted != MPI_THREAD_MULTIPLE)
    fatal("OSTEON_BRIDGE_PROGRESS=threads requires MPI_THREAD_MULTIPLE, which the underlying MPI does not provide");
  if (provided) *provided = std::min<int>(granted, MPI_THREAD_SERIALIZED);
  linked([&] { return join_others(c), 0; });
  return MPI_SUCCESS;
}

// End of a process with a thread that does not return from the library: without the destructors of the library.
void leave_at_once(int code, void*) {
  std::fflush(nullptr);
  std::_Exit(code);
}

/// MPI_Finalize of the library. MPICH 4.0 over the TCP transport of UCX does not always return: one process waits for its
/// peer to close a connection, while the peer waits in a barrier of the launcher, in which it does not serve connections.
/// All processes of the job have taken leave before, so that nothing is lost if such a process ends after some seconds.
int finalize_vendor() {
  constexpr std::chrono::seconds patience_with_vendor{5};
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
  int length = 0;
  vendor().Get_library_version(library.data(), &length);
  if (std::strstr(library.data(), "ch4:ucx") == nullptr) return vendor().Finalize();
  std::packaged_task<int()> task([] { return vendor().Finalize(); });
  std::future<int> ended = task.get_future();
  std::thread(std::move(task)).detach();
  if (ended.wait_for(patience_with_vendor) == std::future_status::ready) return ended.get();
  on_exit(leave_at_once, nullptr);  // functions that are registered later run earlier
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
  if (w.bytes) vendor().Comm_free(&w.everyone->local);
  w.bytes.reset();
  vendor().Group_free(&w.vendor_group);
  linked([&] { return w.link->close(), 0; });
  w.finalized = true;
  return finalize_vendor();
}

int abort_all(MPI_Comm comm, int code) {
  auto& w = world();
  if (w.link && find(comm)) w.link->abort(fmt::format("MPI_Abort({}) by rank {}", code, w.everyone ? w.everyone->rank : -1));
  return vendor().Abort(find(comm) ? MPI_COMM_WORLD : comm, code);
}

int library_version(char* text, int* length) {
  const int e = vendor().Get_library_version(text, length);
  const std::string whole =
      fmt::format("osteon bridge over {}", std::string(text, static_cast<std::size_t>(std::max(*length, 0))));
  std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "%s", whole.c_str());
  *length = static_cast<int>(std::strlen(text));
  return e;
}

/// MPI_Buffer_detach waits for pending messages of MPI_Bsend.
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

void install_inter_cluster(slots& s) noexcept {
  joined = wire::joined_by_environment();
  if (!joined) return;
  new (&the_world.object) joined_world;
  install_guards(s);
  install_point_to_point(s);
  install_completion(s);
  install_collectives(s);
  install_communicators(s);
  install_groups(s);
  install_cartesian(s);
  install_graphs(s);
  install_intercommunicators(s);
  install_neighbors(s);
  s.Init = [](int* argc, char*** argv) { return init_thread(argc, argv, MPI_THREAD_SINGLE, nullptr); };
  s.Init_thread = init_thread;
  s.Query_thread = [](int* level) {
    const int e = vendor().Query_thread(level);
    *level = std::min<int>(*level, MPI_THREAD_SERIALIZED);
    return e;
  };
  s.Finalize = finalize;
  s.Finalized = [](int* flag) {
    *flag = world().finalized;
    return MPI_SUCCESS;
  };
  s.Abort = abort_all;
  s.Get_library_version = library_version;
  s.Buffer_detach = detach<&slots::Buffer_detach, int>;
  s.Buffer_detach_c = detach<&slots::Buffer_detach_c, MPI_Count>;
}

}  // namespace osteon::bridge
