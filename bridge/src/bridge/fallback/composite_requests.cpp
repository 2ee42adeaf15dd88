#include <bridge/fallback/composite_requests.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bridge/front/arena.hpp>
#include <bridge/front/request_lists.hpp>
#include <bridge/inter_cluster/world.hpp>
#include <map>
#include <mutex>
#include <string_view>

namespace osteon::bridge {
namespace {

slots under;  // the functions below this layer

/// The object is created together with the first request of this layer.
struct composites {
  arena<composite> objects;
  std::mutex mutex;
  std::vector<composite*> detached;  ///< active requests that MPI_Request_free has freed
  std::map<MPI_Datatype, int> types_held;
  std::map<MPI_Op, int> operations_held;
  std::vector<MPI_Datatype> types_freed;  ///< types that the program has freed during their use
  std::vector<MPI_Op> operations_freed;
};
std::atomic<composites*> all_composites = nullptr;

/// Test the parts in order. The function uses the functions of `active`, because a part may also be a request of this layer.
bool all_over(composite* c, bool wait) {
  for (; c->unready > 0; sched_yield())  // another thread may call MPI_Pready
    if (!wait) return false;
  for (std::size_t i = 0; i < c->parts.size(); ++i) {
    if (c->over[i]) continue;
    int flag = 1;
    const int e = wait ? active.Wait(&c->parts[i], &c->statuses[i]) : active.Test(&c->parts[i], &flag, &c->statuses[i]);
    if (e != MPI_SUCCESS) c->error = e;
    if (e == MPI_SUCCESS && !flag) return false;
    c->over[i] = true;
  }
  if (c->finish) {
    if (const int e = c->finish()) c->error = e;
    c->finish = nullptr;
  }
  return true;
}

void drop_what_is_over() {
  auto& w = *all_composites.load();
  std::vector<composite*> candidates;
  {
    const std::lock_guard lock(w.mutex);
    candidates.swap(w.detached);
  }
  for (composite* c : candidates) {
    if (all_over(c, false)) {
      drop(c);
    } else {
      const std::lock_guard lock(w.mutex);
      w.detached.push_back(c);
    }
  }
}

struct composite_requests {
  struct pause {
    void wait() {
      if (job_is_joined())
        patience_.wait();
      else
        sched_yield();
    }
    void reset() { patience_.reset(); }
    patience patience_;
  };
  static composite* find(MPI_Request handle) { return find_composite(handle); }
  static bool idle(const composite* c) { return !c->active; }
  static bool is_done(composite* c) { return all_over(c, false); }
  static int close(MPI_Request* handle, composite* c, MPI_Status* status) {
    all_over(c, true);
    const int error = c->error;
    if (status) {
      const int kept = status->MPI_ERROR;
      *status = status_of(c);
      status->MPI_ERROR = kept;
    }
    if (c->start) {
      c->active = false;
    } else {
      drop(c);
      *handle = MPI_REQUEST_NULL;
    }
    return error;
  }
  static MPI_Status status_of(const composite* c) { return c->statuses[c->reported]; }
  static const slots& below() { return under; }
  static bool progress() { return false; }  // the functions of the layer below make progress
  static bool may_block() { return true; }
};

int start_composite(MPI_Request* handle) {
  composite* c = find_composite(*handle);
  if (!c) return under.Start(handle);
  c->parts[0] = MPI_REQUEST_NULL;
  c->over[0] = false;
  c->error = MPI_SUCCESS;
  const int e = c->start(&c->parts[0]);
  c->active = e == MPI_SUCCESS;
  return e;
}

int start_each(int n, MPI_Request list[]) {
  if (!request_lists<composite_requests>::any_own(n, list)) return under.Startall(n, list);
  for (int i = 0; i < n; ++i)
    if (const int e = start_composite(list + i)) return e;
  return MPI_SUCCESS;
}

int free_composite(MPI_Request* handle) {
  composite* c = find_composite(*handle);
  if (!c) return under.Request_free(handle);
  if (!c->active || all_over(c, false)) {
    drop(c);
  } else {
    const std::lock_guard lock(all_composites.load()->mutex);
    all_composites.load()->detached.push_back(c);
  }
  *handle = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int cancel_composite(MPI_Request* handle) {
  composite* c = find_composite(*handle);
  if (!c) return under.Cancel(handle);
  for (std::size_t i = 0; i < c->parts.size(); ++i)
    if (c->active && !c->over[i]) active.Cancel(&c->parts[i]);
  return MPI_SUCCESS;
}

/// If a persistent request uses an object, MPI_Type_free and MPI_Op_free are delayed.
template <auto function, auto held, auto freed, class Handle>
int free_or_keep(Handle* handle, Handle null) {
  {
    auto& w = *all_composites.load();
    const std::lock_guard lock(w.mutex);
    if ((w.*held).contains(*handle)) {
      (w.*freed).push_back(*handle);
      *handle = null;
      return MPI_SUCCESS;
    }
  }
  return (under.*function)(handle);
}

template <auto function, auto held, auto freed, class Handle>
void release(Handle handle) {
  auto& w = *all_composites.load();
  {
    const std::lock_guard lock(w.mutex);
    const auto at = (w.*held).find(handle);
    if (--at->second > 0) return;
    (w.*held).erase(at);
    if (std::erase(w.*freed, handle) == 0) return;
  }
  (under.*function)(&handle);
}

/// After this call, requests may belong to this layer.
void look_at_requests() {
  static std::mutex once;
  const std::lock_guard lock(once);
  if (all_composites) return;
  all_composites = new composites;
  request_lists<composite_requests>::install(active);
  active.Start = start_composite;
  active.Startall = start_each;
  active.Request_free = free_composite;
  active.Cancel = cancel_composite;
  active.Type_free = [](MPI_Datatype* t) {
    return free_or_keep<&slots::Type_free, &composites::types_held, &composites::types_freed>(t, MPI_DATATYPE_NULL);
  };
  active.Op_free = [](MPI_Op* op) {
    return free_or_keep<&slots::Op_free, &composites::operations_held, &composites::operations_freed>(op, MPI_OP_NULL);
  };
}

bool is_predefined_handle(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle) < 4096; }

}  // namespace

composite* find_composite(MPI_Request handle) noexcept {
  const composites* all = all_composites;
  return all && all->objects.holds(handle) ? reinterpret_cast<composite*>(handle) : nullptr;
}

composite* make_composite() {
  if (!all_composites) look_at_requests();
  drop_what_is_over();
  const std::lock_guard lock(all_composites.load()->mutex);
  return all_composites.load()->objects.make();
}

MPI_Request over_at_once() {
  composite* c = make_composite();
  MPI_Status status{};
  empty_status(&status);
  c->add_over(status);
  return handle_of(c);
}

void drop(composite* c) {
  c->kept.reset();  // this call may free types, and freeing a type needs the lock
  c->start = nullptr;
  const std::lock_guard lock(all_composites.load()->mutex);
  all_composites.load()->objects.drop(c);
}

bool spans_clusters(MPI_Comm comm) noexcept { return job_is_joined() && find(comm); }

bool job_spans_clusters() noexcept { return job_is_joined(); }

bool trusts_functions_of_mpi_4() noexcept {
  static const bool trusted = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    vendor().Get_library_version(text, &length);
    const std::string_view version(text);  // for example "MPICH Version:\t4.0.2"
    return !version.starts_with("MPICH Version:") || version.substr(0, 24).find("4.0") == std::string_view::npos;
  }();
  return trusted;
}

void held_handles::hold(MPI_Datatype type) {
  if (is_predefined_handle(type)) return;
  const std::lock_guard lock(all_composites.load()->mutex);
  ++all_composites.load()->types_held[type];
  types_.push_back(type);
}

void held_handles::hold(MPI_Op op) {
  if (is_predefined_handle(op)) return;
  const std::lock_guard lock(all_composites.load()->mutex);
  ++all_composites.load()->operations_held[op];
  operations_.push_back(op);
}

held_handles::~held_handles() {
  for (const MPI_Datatype t : types_) release<&slots::Type_free, &composites::types_held, &composites::types_freed>(t);
  for (const MPI_Op op : operations_)
    release<&slots::Op_free, &composites::operations_held, &composites::operations_freed>(op);
}

void install_fallbacks(slots& s) noexcept {
  under = s;
  install_persistent(s);
  install_large_arrays(s);
  install_send_and_receive(s);
  install_partitioned(s);
  install_inquiries(s);
  install_buffers(s);
  install_sessions(s);
  install_detours(s);
}

}  // namespace osteon::bridge
