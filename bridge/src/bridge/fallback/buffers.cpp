/// @file
/// Buffers of MPI 4.1. The file contains buffers that are attached to a communicator or a session, automatic buffers, and
/// flushing.
///
/// With such a buffer, a buffered send copies the data into memory of this library, and calls MPI_Isend. The address of the
/// program's buffer is only stored until the buffer is detached. If the process has attached a buffer with
/// MPI_Buffer_attach, the underlying MPI executes all calls.
#include <bridge/fallback/composite_requests.hpp>
#include <bridge/inter_cluster/data.hpp>
#include <map>
#include <mutex>
#include <utility>

namespace osteon::bridge {
namespace {

struct on_its_way {
  MPI_Request request = MPI_REQUEST_NULL;
  typed_memory copy;
};
struct attached {
  void* address = nullptr;
  MPI_Count size = 0;
  std::vector<std::shared_ptr<on_its_way>> messages;
};

struct all_buffers {
  std::mutex mutex;
  std::map<const void*, attached> of;  ///< buffers of communicators and sessions; null: buffer of the process
  std::vector<const void*> sessions;   ///< those keys of `of` that are sessions
};
all_buffers& buffers() {
  static all_buffers all;
  return all;
}
slots before_buffers;

/// The buffer of the communicator or of a session, or the automatic buffer of the process. The caller must own the lock.
attached* buffer_for(MPI_Comm comm) {
  auto& all = buffers();
  for (const void* owner : {static_cast<const void*>(comm), all.sessions.empty() ? nullptr : all.sessions.front(),
                            static_cast<const void*>(nullptr)})
    if (const auto at = all.of.find(owner); at != all.of.end()) return &at->second;
  return nullptr;
}

void forget_what_is_over(attached& b) {
  std::erase_if(b.messages, [](const auto& m) {
    int flag = 0;
    return active.Test(&m->request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag;
  });
}

/// @returns true if this function has sent the message; `error` is then the result
bool send_by_copy(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, int& error) {
  {
    const std::lock_guard lock(buffers().mutex);
    if (!buffer_for(comm)) return false;
  }
  auto m = std::make_shared<on_its_way>();
  const auto packed = pack(buffer, count, type);
  m->copy = memory_for(count, type);
  unpack(packed.data(), packed.size(), m->copy.address, count, type);
  error = active.Isend_c(m->copy.address, count, type, dest, tag, comm, &m->request);
  if (error != MPI_SUCCESS) return true;
  const std::lock_guard lock(buffers().mutex);
  if (attached* b = buffer_for(comm)) {
    forget_what_is_over(*b);
    b->messages.push_back(std::move(m));
  }
  return true;
}

template <auto function, class N>
int bsend(const void* buffer, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  int error = MPI_SUCCESS;
  if (send_by_copy(buffer, count, type, dest, tag, comm, error)) return error;
  return (before_buffers.*function)(buffer, count, type, dest, tag, comm);
}

template <auto function, class N>
int ibsend(const void* buffer, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* out) {
  int error = MPI_SUCCESS;
  if (!send_by_copy(buffer, count, type, dest, tag, comm, error))
    return (before_buffers.*function)(buffer, count, type, dest, tag, comm, out);
  if (error == MPI_SUCCESS) *out = over_at_once();
  return error;
}

/// The buffer is selected at the start of the request.
template <auto function, class N>
int bsend_init(const void* buffer, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* out) {
  {
    const std::lock_guard lock(buffers().mutex);
    if (!buffer_for(comm)) return (before_buffers.*function)(buffer, count, type, dest, tag, comm, out);
  }
  composite* c = make_composite();
  c->active = false;
  c->add(MPI_REQUEST_NULL);
  auto held = std::make_shared<held_handles>();
  held->hold(type);
  c->kept = std::move(held);
  c->start = [=](MPI_Request* part) { return active.Ibsend_c(buffer, count, type, dest, tag, comm, part); };
  *out = handle_of(c);
  return MPI_SUCCESS;
}

std::vector<std::shared_ptr<on_its_way>> take_messages(const void* owner) {
  const std::lock_guard lock(buffers().mutex);
  const auto at = buffers().of.find(owner);
  if (at == buffers().of.end()) return {};
  return std::exchange(at->second.messages, {});
}

int flush_own(const void* owner) {
  int error = MPI_SUCCESS;
  for (const auto& m : take_messages(owner))
    if (const int e = active.Wait(&m->request, MPI_STATUS_IGNORE)) error = e;
  return error;
}

int flush_all_and_finalize() {
  std::vector<const void*> owners;
  for (const auto& [owner, b] : buffers().of) owners.push_back(owner);
  for (const void* owner : owners) flush_own(owner);
  return before_buffers.Finalize();
}

/// Call this function after the first buffer has been attached.
void look_at_buffered_sends() {
  if (before_buffers.Finalize) return;
  before_buffers = active;
  active.Bsend = bsend<&slots::Bsend, int>;
  active.Bsend_c = bsend<&slots::Bsend_c, MPI_Count>;
  active.Ibsend = ibsend<&slots::Ibsend, int>;
  active.Ibsend_c = ibsend<&slots::Ibsend_c, MPI_Count>;
  active.Bsend_init = bsend_init<&slots::Bsend_init, int>;
  active.Bsend_init_c = bsend_init<&slots::Bsend_init_c, MPI_Count>;
  active.Finalize = flush_all_and_finalize;
}

int buffer_fault() {
  active.Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_BUFFER);
  return MPI_ERR_BUFFER;
}

int attach_own(const void* owner, bool is_session, void* address, MPI_Count size) {
  auto& all = buffers();
  {
    const std::lock_guard lock(all.mutex);
    look_at_buffered_sends();
    if (all.of.try_emplace(owner, attached{address, address == MPI_BUFFER_AUTOMATIC ? 0 : size, {}}).second) {
      if (is_session) all.sessions.push_back(owner);
      return MPI_SUCCESS;
    }
  }
  return buffer_fault();
}

int detach_own(const void* owner, void* address, MPI_Count* size) {
  const int e = flush_own(owner);
  auto& all = buffers();
  {
    const std::lock_guard lock(all.mutex);
    if (const auto at = all.of.find(owner); at != all.of.end()) {
      *static_cast<void**>(address) = at->second.address;
      *size = at->second.size;
      all.of.erase(at);
      std::erase(all.sessions, owner);
      return e;
    }
  }
  return buffer_fault();
}

int flush_later(const void* owner, MPI_Request* out) {
  composite* c = make_composite();
  auto kept = std::make_shared<std::vector<std::shared_ptr<on_its_way>>>(take_messages(owner));
  for (const auto& m : *kept) c->add(m->request);
  if (kept->empty()) c->add_over({});
  c->kept = std::move(kept);
  *out = handle_of(c);
  return MPI_SUCCESS;
}

// --- of the process ---
decltype(slots::Buffer_attach_c) attach_below;
decltype(slots::Buffer_detach_c) detach_below;

bool process_has_own() {
  const std::lock_guard lock(buffers().mutex);
  return buffers().of.contains(nullptr);
}

int buffer_attach(void* address, MPI_Count size) {
  return address == MPI_BUFFER_AUTOMATIC ? attach_own(nullptr, false, address, size) : attach_below(address, size);
}
int buffer_detach(void* address, MPI_Count* size) {
  return process_has_own() ? detach_own(nullptr, address, size) : detach_below(address, size);
}

/// Detaching a buffer waits for all messages.
int buffer_flush() {
  if (process_has_own()) return flush_own(nullptr);
  void* address = nullptr;
  MPI_Count size = 0;
  if (const int e = detach_below(&address, &size)) return e;
  return address ? attach_below(address, size) : MPI_SUCCESS;
}

int buffer_iflush(MPI_Request* out) {
  if (process_has_own()) return flush_later(nullptr, out);
  if (const int e = buffer_flush()) return e;  // as documented, this call waits
  *out = over_at_once();
  return MPI_SUCCESS;
}

template <class N, auto large>
int with_int_size(const void* owner, void* address, N* size) {
  MPI_Count whole = 0;
  const int e = large(owner, address, &whole);
  *size = static_cast<N>(whole);
  return e;
}

}  // namespace

void install_buffers(slots& s) noexcept {
  if (vendor().Buffer_flush != absent.Buffer_flush) return;
  attach_below = s.Buffer_attach_c;
  detach_below = s.Buffer_detach_c;
  s.Buffer_attach_c = buffer_attach;
  s.Buffer_attach = [](void* b, int n) { return buffer_attach(b, n); };
  s.Buffer_detach_c = buffer_detach;
  s.Buffer_detach = [](void* b, int* n) {
    return with_int_size<int, [](const void*, void* a, MPI_Count* m) { return buffer_detach(a, m); }>(nullptr, b, n);
  };
  s.Buffer_flush = buffer_flush;
  s.Buffer_iflush = buffer_iflush;
  s.Comm_attach_buffer = [](MPI_Comm c, void* b, int n) { return attach_own(c, false, b, n); };
  s.Comm_attach_buffer_c = [](MPI_Comm c, void* b, MPI_Count n) { return attach_own(c, false, b, n); };
  s.Comm_detach_buffer = [](MPI_Comm c, void* b, int* n) { return with_int_size<int, detach_own>(c, b, n); };
  s.Comm_detach_buffer_c = [](MPI_Comm c, void* b, MPI_Count* n) { return detach_own(c, b, n); };
  s.Comm_flush_buffer = [](MPI_Comm c) { return flush_own(c); };
  s.Comm_iflush_buffer = [](MPI_Comm c, MPI_Request* out) { return flush_later(c, out); };
  s.Session_attach_buffer = [](MPI_Session o, void* b, int n) { return attach_own(o, true, b, n); };
  s.Session_attach_buffer_c = [](MPI_Session o, void* b, MPI_Count n) { return attach_own(o, true, b, n); };
  s.Session_detach_buffer = [](MPI_Session o, void* b, int* n) { return with_int_size<int, detach_own>(o, b, n); };
  s.Session_detach_buffer_c = [](MPI_Session o, void* b, MPI_Count* n) { return detach_own(o, b, n); };
  s.Session_flush_buffer = [](MPI_Session o) { return flush_own(o); };
  s.Session_iflush_buffer = [](MPI_Session o, MPI_Request* out) { return flush_later(o, out); };
}

}  // namespace osteon::bridge
