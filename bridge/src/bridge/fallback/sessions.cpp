/// @file
/// Sessions for an MPI library without sessions, and for jobs over clusters. All sessions use the same MPI_COMM_WORLD.
#include <strings.h>

#include <bridge/fallback/composite_requests.hpp>
#include <bridge/front/arena.hpp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace osteon::bridge {
namespace {

struct session {
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
};

struct all_sessions {
  arena<session> objects;
  std::mutex mutex;
  std::map<MPI_Errhandler, MPI_Session_errhandler_function*> functions;  ///< session functions of error handlers
  std::map<MPI_Errhandler, int>
      returned;            ///< for each other handler: number of times that a session has returned the handler
  bool began_mpi = false;  ///< true if this layer has called MPI_Init
};
all_sessions& sessions() {
  static all_sessions all;
  return all;
}

session* find_session(MPI_Session handle) {
  return sessions().objects.holds(handle) ? reinterpret_cast<session*>(handle) : nullptr;
}

/// Report an invalid session handle as an error without an object.
int no_session() {
  active.Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_SESSION);
  return MPI_ERR_SESSION;
}

constexpr const char* sets[] = {"mpi://WORLD", "mpi://SELF"};

MPI_Comm comm_of_set(const char* name) {
  if (strcasecmp(name, sets[0]) == 0) return MPI_COMM_WORLD;
  return strcasecmp(name, sets[1]) == 0 ? MPI_COMM_SELF : MPI_COMM_NULL;
}

int call_handler(MPI_Session handle, int code);

int session_init(MPI_Info, MPI_Errhandler handler, MPI_Session* out) {
  auto& all = sessions();
  const std::lock_guard lock(all.mutex);
  int ready = 0, provided = 0;
  active.Initialized(&ready);
  if (!ready) {
    if (const int e = active.Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided)) return e;
    all.began_mpi = true;
    // MPI_Finalize is called at exit. A further session is possible, but MPI_Init cannot follow MPI_Finalize.
    std::atexit([] {
      int over = 0;
      active.Finalized(&over);
      if (!over) active.Finalize();
    });
  }
  session* s = all.objects.make();
  s->handler = handler;
  *out = reinterpret_cast<MPI_Session>(s);
  return MPI_SUCCESS;
}

int session_finalize(MPI_Session* handle) {
  session* s = find_session(*handle);
  if (!s) return no_session();
  const std::lock_guard lock(sessions().mutex);
  sessions().objects.drop(s);
  *handle = MPI_SESSION_NULL;
  return MPI_SUCCESS;
}

int get_info(MPI_Session handle, MPI_Info* info) { return find_session(handle) ? active.Info_create(info) : no_session(); }

int get_num_psets(MPI_Session handle, MPI_Info, int* n) {
  if (!find_session(handle)) return no_session();
  *n = static_cast<int>(std::size(sets));
  return MPI_SUCCESS;
}

int get_nth_pset(MPI_Session handle, MPI_Info, int n, int* length, char* name) {
  if (!find_session(handle)) return no_session();
  if (n < 0 || n >= static_cast<int>(std::size(sets))) return call_handler(handle, MPI_ERR_ARG);
  if (*length > 0) std::snprintf(name, static_cast<std::size_t>(*length), "%s", sets[n]);
  *length = static_cast<int>(std::strlen(sets[n])) + 1;
  return MPI_SUCCESS;
}

int get_pset_info(MPI_Session handle, const char* name, MPI_Info* info) {
  if (!find_session(handle)) return no_session();
  const MPI_Comm comm = comm_of_set(name);
  if (comm == MPI_COMM_NULL) return call_handler(handle, MPI_ERR_ARG);
  int n = 0;
  active.Comm_size(comm, &n);
  if (const int e = active.Info_create(info)) return e;
  return active.Info_set(*info, "mpi_size", std::to_string(n).c_str());
}

int group_from_pset(MPI_Session handle, const char* name, MPI_Group* out) {
  if (!find_session(handle)) return no_session();
  const MPI_Comm comm = comm_of_set(name);
  return comm == MPI_COMM_NULL ? call_handler(handle, MPI_ERR_ARG) : active.Comm_group(comm, out);
}

/// If several communicators of one group are created at the same time, their texts distinguish the communicators.
int tag_of(const char* text) {
  std::uint32_t hash = 2166136261u;
  for (; *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 16777619u;
  return static_cast<int>(hash % 32768u);
}

int comm_from_group(MPI_Group group, const char* text, MPI_Info info, MPI_Errhandler handler, MPI_Comm* out) {
  if (const int e = active.Comm_create_group(MPI_COMM_WORLD, group, tag_of(text), out)) return e;
  if (*out == MPI_COMM_NULL) return MPI_SUCCESS;
  if (info != MPI_INFO_NULL) active.Comm_set_info(*out, info);
  return active.Comm_set_errhandler(*out, handler);
}

int intercomm_from_groups(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader, const char* text,
                          MPI_Info info, MPI_Errhandler handler, MPI_Comm* out) {
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  int leader = 0;
  if (const int e = comm_from_group(local, text, MPI_INFO_NULL, handler, &side)) return e;
  active.Comm_group(MPI_COMM_WORLD, &all);
  active.Group_translate_ranks(remote, 1, &remote_leader, all, &leader);
  active.Group_free(&all);
  const int e = active.Intercomm_create(side, local_leader, MPI_COMM_WORLD, leader, tag_of(text), out);
  active.Comm_free(&side);
  if (e != MPI_SUCCESS) return e;
  if (info != MPI_INFO_NULL) active.Comm_set_info(*out, info);
  return active.Comm_set_errhandler(*out, handler);
}

// --- error handlers: objects of the underlying MPI that call functions of this library ---
void never_called(MPI_Comm*, int*, ...) {}

int create_errhandler(MPI_Session_errhandler_function* f, MPI_Errhandler* out) {
  const int e = active.Comm_create_errhandler(never_called, out);
  const std::lock_guard lock(sessions().mutex);
  if (e == MPI_SUCCESS) sessions().functions[*out] = f;
  return e;
}

int set_errhandler(MPI_Session handle, MPI_Errhandler handler) {
  session* s = find_session(handle);
  if (!s) return no_session();
  s->handler = handler;
  return MPI_SUCCESS;
}

/// The program frees its handle, while the session keeps its own handle. Handlers of sessions are therefore never freed in
/// the layer below. If this layer has returned a handle, the handler is not freed either.
int get_errhandler(MPI_Session handle, MPI_Errhandler* handler) {
  const session* s = find_session(handle);
  if (!s) return no_session();
  *handler = s->handler;
  const std::lock_guard lock(sessions().mutex);
  ++sessions().returned[*handler];
  return MPI_SUCCESS;
}

decltype(slots::Errhandler_free) free_below;

int errhandler_free(MPI_Errhandler* handler) {
  {
    const std::lock_guard lock(sessions().mutex);
    const auto at = sessions().returned.find(*handler);
    const bool was_returned = at != sessions().returned.end() && at->second > 0;
    if (was_returned) --at->second;
    if (was_returned || sessions().functions.contains(*handler)) return *handler = MPI_ERRHANDLER_NULL, MPI_SUCCESS;
  }
  return free_below(handler);
}

int call_handler(MPI_Session handle, int code) {
  const session* s = find_session(handle);
  const MPI_Errhandler handler = s ? s->handler : MPI_ERRORS_ARE_FATAL;
  if (handler == MPI_ERRORS_RETURN) return code;
  MPI_Session_errhandler_function* f = nullptr;
  {
    const std::lock_guard lock(sessions().mutex);
    if (const auto at = sessions().functions.find(handler); at != sessions().functions.end()) f = at->second;
  }
  if (f)
    f(&handle, &code);
  else
    active.Abort(MPI_COMM_WORLD, code);
  return code;
}

int call_errhandler(MPI_Session handle, int code) {
  if (!find_session(handle)) return no_session();
  call_handler(handle, code);
  return MPI_SUCCESS;
}

decltype(slots::Init) init_below;
decltype(slots::Init_thread) init_thread_below;

/// The program calls MPI_Init after a session has already initialised MPI.
int init_thread(int* argc, char*** argv, int required, int* provided) {
  if (!sessions().began_mpi) return init_thread_below(argc, argv, required, provided);
  sessions().began_mpi = false;
  return active.Query_thread(provided);
}
int init(int* argc, char*** argv) {
  if (!sessions().began_mpi) return init_below(argc, argv);
  sessions().began_mpi = false;
  return MPI_SUCCESS;
}

}  // namespace

void install_sessions(slots& s) noexcept {
  if (vendor().Session_init != absent.Session_init && !job_spans_clusters()) return;
  init_below = s.Init;
  init_thread_below = s.Init_thread;
  free_below = s.Errhandler_free;
  s.Init = init;
  s.Init_thread = init_thread;
  s.Errhandler_free = errhandler_free;
  s.Session_init = session_init;
  s.Session_finalize = session_finalize;
  s.Session_get_info = get_info;
  s.Session_get_num_psets = get_num_psets;
  s.Session_get_nth_pset = get_nth_pset;
  s.Session_get_pset_info = get_pset_info;
  s.Group_from_session_pset = group_from_pset;
  s.Comm_create_from_group = comm_from_group;
  s.Intercomm_create_from_groups = intercomm_from_groups;
  s.Session_create_errhandler = create_errhandler;
  s.Session_set_errhandler = set_errhandler;
  s.Session_get_errhandler = get_errhandler;
  s.Session_call_errhandler = call_errhandler;
}

}  // namespace osteon::bridge
