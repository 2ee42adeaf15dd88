/// @file
/// Messages on communicators that span clusters. The vendor sends messages inside the own cluster. The link sends messages
/// to other clusters.
#include <bridge/inter_cluster/schedule.hpp>
#include <bridge/inter_cluster/world.hpp>
#include <cstring>

namespace osteon::bridge {
namespace {

/// Sends for which the program does not wait, such as MPI_Bsend, and freed requests.
void let_go(request* r) {
  if (r->done)
    world().requests.drop(r);
  else
    r->detached = true;
}

bool bad_peer(const communicator* c, int peer) { return peer < 0 || peer >= c->size(); }

/// Fast path for messages inside the own cluster. The function returns the communicator of the vendor, and the rank in this
/// communicator. If the fast path is not possible, the rank is -1. The function has few instructions with short
/// dependencies, because the function is called for each small message.
struct shortcut {
  MPI_Comm comm;
  int rank;
  shortcut(MPI_Comm given, int peer) : comm(given), rank(-1) {
    const joined_world& w = world();
    if (!may_block()) [[unlikely]]
      return;
    if (given == MPI_COMM_WORLD) [[likely]] {  // in MPI_COMM_WORLD, the ranks of a cluster are consecutive
      const auto below = static_cast<unsigned>(peer - w.first_local);
      if (below < w.local_size) [[likely]]
        rank = static_cast<int>(below);
    } else if (const communicator* c = find(given)) {
      comm = c->local;
      if (static_cast<std::size_t>(peer) < c->local_of.size()) rank = c->local_of[static_cast<std::size_t>(peer)];
    } else {
      rank = peer;
    }
  }
};

/// MPI_Send and its variants. For communicators of the vendor, `function` is called. The function blocks in the vendor only
/// if blocking is permitted.
template <auto function, auto nonblocking, bool synchronous, bool buffered, class N>
[[gnu::noinline]] int send_any(const void* buffer, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  communicator* c = find(comm);
  if (c && dest != MPI_PROC_NULL) {
    if (bad_peer(c, dest)) return raise(c, MPI_ERR_RANK);
    if (tag < 0 || tag > world().tag_limit) return raise(c, MPI_ERR_TAG);
    if (!c->is_local(dest)) {
      if (buffered) {
        let_go(start_send(c, buffer, count, type, dest, tag, false, true));
        return MPI_SUCCESS;
      }
      return complete(start_send(c, buffer, count, type, dest, tag, synchronous), nullptr);
    }
    dest = c->local_of[static_cast<std::size_t>(dest)];
  }
  const MPI_Comm below = c ? c->local : comm;
  if (buffered || may_block()) return (vendor().*function)(buffer, count, type, dest, tag, below);
  MPI_Request r = MPI_REQUEST_NULL;
  const int e = (vendor().*nonblocking)(buffer, count, type, dest, tag, below, &r);
  return e != MPI_SUCCESS ? e : active.Wait(&r, MPI_STATUS_IGNORE);
}

/// Send a message. In the common case, the receiver is in the own cluster, and this thread has no other work. In this case,
/// the function executes only a few instructions.
template <auto function, auto nonblocking, bool synchronous, bool buffered, class N>
int send(const void* buffer, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (const shortcut s(comm, dest); s.rank >= 0 && tag >= 0 && tag <= world().tag_limit) [[likely]]
    return (vendor().*function)(buffer, count, type, s.rank, tag, s.comm);
  return send_any<function, nonblocking, synchronous, buffered, N>(buffer, count, type, dest, tag, comm);
}

template <auto function, bool synchronous, class N>
int isend(const void* buffer, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* out) {
  communicator* c = find(comm);
  if (!c) return (vendor().*function)(buffer, count, type, dest, tag, comm, out);
  if (dest == MPI_PROC_NULL) return (vendor().*function)(buffer, count, type, dest, tag, c->local, out);
  if (bad_peer(c, dest)) return raise(c, MPI_ERR_RANK);
  if (tag < 0 || tag > world().tag_limit) return raise(c, MPI_ERR_TAG);
  if (c->is_local(dest))
    return (vendor().*function)(buffer, count, type, c->local_of[static_cast<std::size_t>(dest)], tag, c->local, out);
  *out = handle_of(start_send(c, buffer, count, type, dest, tag, synchronous));
  return MPI_SUCCESS;
}

template <class N>
int ibsend(const void* buffer, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* out) {
  communicator* c = find(comm);
  if (c && dest >= 0 && !bad_peer(c, dest) && !c->is_local(dest)) {
    const int e = active.Bsend_c(buffer, count, type, dest, tag, comm);
    return e != MPI_SUCCESS ? e : vendor().Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, out);
  }
  if (c && bad_peer(c, dest) && dest != MPI_PROC_NULL) return raise(c, MPI_ERR_RANK);
  const int to = c && dest >= 0 ? c->local_of[static_cast<std::size_t>(dest)] : dest;
  return vendor().Ibsend_c(buffer, count, type, to, tag, c ? c->local : comm, out);
}

int check_receive(communicator* c, int source, int tag) {
  if (source != MPI_ANY_SOURCE && bad_peer(c, source)) return raise(c, MPI_ERR_RANK);
  if (tag != MPI_ANY_TAG && tag < 0) return raise(c, MPI_ERR_TAG);
  return MPI_SUCCESS;
}

template <auto function, auto nonblocking, class N>
[[gnu::noinline]] int recv_any(void* buffer, N count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                               MPI_Status* status) {
  communicator* c = find(comm);
  if (c && source != MPI_PROC_NULL) {
    if (const int e = check_receive(c, source, tag)) return e;
    return complete(start_receive(c, buffer, count, type, source, tag), status);
  }
  const MPI_Comm below = c ? c->local : comm;
  if (source == MPI_PROC_NULL || may_block()) return (vendor().*function)(buffer, count, type, source, tag, below, status);
  MPI_Request r = MPI_REQUEST_NULL;
  const int e = (vendor().*nonblocking)(buffer, count, type, source, tag, below, &r);
  return e != MPI_SUCCESS ? e : active.Wait(&r, status);
}

template <auto function, auto nonblocking, class N>
int recv(void* buffer, N count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (const shortcut s(comm, source); s.rank >= 0 && (tag >= 0 || tag == MPI_ANY_TAG)) [[likely]] {
    if (!status) return (vendor().*function)(buffer, count, type, s.rank, tag, s.comm, MPI_STATUS_IGNORE);
    const int e = (vendor().*function)(buffer, count, type, s.rank, tag, s.comm, status);
    status->MPI_SOURCE = source;
    return e;
  }
  return recv_any<function, nonblocking, N>(buffer, count, type, source, tag, comm, status);
}

template <auto function, class N>
int irecv(void* buffer, N count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* out) {
  communicator* c = find(comm);
  if (!c || source == MPI_PROC_NULL) return (vendor().*function)(buffer, count, type, source, tag, c ? c->local : comm, out);
  if (const int e = check_receive(c, source, tag)) return e;
  *out = handle_of(start_receive(c, buffer, count, type, source, tag));
  return MPI_SUCCESS;
}

int sendrecv(const void* out, MPI_Count n_out, MPI_Datatype out_type, int dest, int send_tag, void* in, MPI_Count n_in,
             MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request r = MPI_REQUEST_NULL;
  int e = active.Irecv_c(in, n_in, in_type, source, receive_tag, comm, &r);
  if (e != MPI_SUCCESS) return e;
  e = active.Send_c(out, n_out, out_type, dest, send_tag, comm);
  const int f = active.Wait(&r, status);
  return e != MPI_SUCCESS ? e : f;
}

template <auto function, class N>
int sendrecv_entry(const void* out, N n_out, MPI_Datatype out_type, int dest, int send_tag, void* in, N n_in,
                   MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  if (!find(comm) && may_block())
    return (vendor().*function)(out, n_out, out_type, dest, send_tag, in, n_in, in_type, source, receive_tag, comm, status);
  return sendrecv(out, n_out, out_type, dest, send_tag, in, n_in, in_type, source, receive_tag, comm, status);
}

template <auto function, class N>
int sendrecv_replace(void* buffer, N count, MPI_Datatype type, int dest, int send_tag, int source, int receive_tag,
                     MPI_Comm comm, MPI_Status* status) {
  if (!find(comm) && may_block())
    return (vendor().*function)(buffer, count, type, dest, send_tag, source, receive_tag, comm, status);
  const std::vector<std::byte> packed = pack(buffer, count, type);
  const typed_memory copy = memory_for(count, type);
  unpack(packed.data(), packed.size(), copy.address, count, type);
  return sendrecv(copy.address, count, type, dest, send_tag, buffer, count, type, source, receive_tag, comm, status);
}

// --- probing ---
void describe(const wire::message& m, MPI_Status* status) {
  if (!status) return;
  status->MPI_SOURCE = m.fields.lsrank;
  status->MPI_TAG = m.fields.tag;
  vendor().Status_set_elements_x(status, MPI_BYTE, static_cast<MPI_Count>(m.total));
  vendor().Status_set_cancelled(status, 0);
}

void to_rank(communicator* c, MPI_Status* status) {
  if (status && status->MPI_SOURCE >= 0) status->MPI_SOURCE = c->rank_of[static_cast<std::size_t>(status->MPI_SOURCE)];
}

/// Both kinds of probe. With `out`, the message is removed from its queue.
int probe(int source, int tag, communicator* c, int* flag, MPI_Message* out, MPI_Status* status) {
  if (const int e = check_receive(c, source, tag)) return e;
  progress();
  *flag = 0;
  std::deque<unexpected>::iterator at;
  if (source == MPI_ANY_SOURCE || !c->is_local(source)) {
    if (auto* queue = find_waiting(c, source, tag, at)) {
      *flag = 1;
      describe(at->message, status);
      if (out) {
        matched* m = world().messages.make();
        m->comm = c;
        m->remote = std::make_unique<wire::message>(std::move(at->message));
        queue->erase(at);
        *out = reinterpret_cast<MPI_Message>(m);
      }
      return MPI_SUCCESS;
    }
    if (source != MPI_ANY_SOURCE) return MPI_SUCCESS;
  }
  const int from = source == MPI_ANY_SOURCE ? source : c->local_of[static_cast<std::size_t>(source)];
  MPI_Message below = MPI_MESSAGE_NULL;
  const int e =
      out ? vendor().Improbe(from, tag, c->local, flag, &below, status) : vendor().Iprobe(from, tag, c->local, flag, status);
  if (e != MPI_SUCCESS || !*flag) return e;
  to_rank(c, status);
  if (out) {
    matched* m = world().messages.make();
    m->comm = c;
    m->vendor = below;
    *out = reinterpret_cast<MPI_Message>(m);
  }
  return MPI_SUCCESS;
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  communicator* c = find(comm);
  if (c && source != MPI_PROC_NULL) return probe(source, tag, c, flag, nullptr, status);
  progress();
  return vendor().Iprobe(source, tag, c ? c->local : comm, flag, status);
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  communicator* c = find(comm);
  if (c && source != MPI_PROC_NULL) return probe(source, tag, c, flag, message, status);
  progress();
  return vendor().Improbe(source, tag, c ? c->local : comm, flag, message, status);
}

template <class F>
int until_found(F&& look) {
  int flag = 0;
  patience p;
  for (;;) {
    const int e = look(&flag);
    if (e != MPI_SUCCESS || flag) return e;
    p.wait();
  }
}

int blocking_probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return until_found([&](int* flag) { return iprobe(source, tag, comm, flag, status); });
}

int mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return until_found([&](int* flag) { return improbe(source, tag, comm, flag, message, status); });
}

int imrecv(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* out) {
  if (!world().messages.holds(*message)) return vendor().Imrecv_c(buffer, count, type, message, out);
  auto* m = reinterpret_cast<matched*>(*message);
  request* r = world().requests.make();
  r->comm = m->comm;
  r->active = true;
  r->buffer = buffer;
  r->count = count;
  r->type = kept_type(type);
  int e = MPI_SUCCESS;
  if (m->remote)
    receive_matched(r, *m->remote);
  else
    e = vendor().Imrecv_c(buffer, count, type, &m->vendor, &r->vendor);
  world().messages.drop(m);
  *message = MPI_MESSAGE_NULL;
  *out = handle_of(r);
  return e;
}

int mrecv(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  if (!world().messages.holds(*message)) return vendor().Mrecv_c(buffer, count, type, message, status);
  MPI_Request r = MPI_REQUEST_NULL;
  const int e = imrecv(buffer, count, type, message, &r);
  return e != MPI_SUCCESS ? e : complete(find(r), status);
}

// --- persistent requests ---
request* prepared(communicator* c, void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag) {
  request* r = world().requests.make();
  r->comm = c;
  r->buffer = buffer;
  r->count = count;
  r->type = kept_type(type);
  r->peer = peer;
  r->tag = tag;
  r->persistent = true;
  return r;
}

template <auto function, int mode, class N>
int send_init(const void* buffer, N count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* out) {
  communicator* c = find(comm);
  if (!c || dest == MPI_PROC_NULL) return (vendor().*function)(buffer, count, type, dest, tag, c ? c->local : comm, out);
  if (bad_peer(c, dest)) return raise(c, MPI_ERR_RANK);
  if (c->is_local(dest))
    return (vendor().*function)(buffer, count, type, c->local_of[static_cast<std::size_t>(dest)], tag, c->local, out);
  request* r = prepared(c, const_cast<void*>(buffer), count, type, dest, tag);
  r->kind = request::what_kind::send;
  r->mode = mode;
  *out = handle_of(r);
  return MPI_SUCCESS;
}

template <auto function, class N>
int recv_init(void* buffer, N count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* out) {
  communicator* c = find(comm);
  if (!c || source == MPI_PROC_NULL) return (vendor().*function)(buffer, count, type, source, tag, c ? c->local : comm, out);
  if (const int e = check_receive(c, source, tag)) return e;
  request* r = prepared(c, buffer, count, type, source, tag);
  *out = handle_of(r);
  return MPI_SUCCESS;
}

}  // namespace

void install_point_to_point(slots& s) noexcept {
  s.Send = send<&slots::Send, &slots::Isend, false, false, int>;
  s.Send_c = send<&slots::Send_c, &slots::Isend_c, false, false, MPI_Count>;
  s.Rsend = send<&slots::Rsend, &slots::Irsend, false, false, int>;
  s.Rsend_c = send<&slots::Rsend_c, &slots::Irsend_c, false, false, MPI_Count>;
  s.Ssend = send<&slots::Ssend, &slots::Issend, true, false, int>;
  s.Ssend_c = send<&slots::Ssend_c, &slots::Issend_c, true, false, MPI_Count>;
  s.Bsend = send<&slots::Bsend, &slots::Ibsend, false, true, int>;
  s.Bsend_c = send<&slots::Bsend_c, &slots::Ibsend_c, false, true, MPI_Count>;
  s.Isend = isend<&slots::Isend, false, int>;
  s.Isend_c = isend<&slots::Isend_c, false, MPI_Count>;
  s.Irsend = isend<&slots::Irsend, false, int>;
  s.Irsend_c = isend<&slots::Irsend_c, false, MPI_Count>;
  s.Issend = isend<&slots::Issend, true, int>;
  s.Issend_c = isend<&slots::Issend_c, true, MPI_Count>;
  s.Ibsend = ibsend<int>;
  s.Ibsend_c = ibsend<MPI_Count>;
  s.Recv = recv<&slots::Recv, &slots::Irecv, int>;
  s.Recv_c = recv<&slots::Recv_c, &slots::Irecv_c, MPI_Count>;
  s.Irecv = irecv<&slots::Irecv, int>;
  s.Irecv_c = irecv<&slots::Irecv_c, MPI_Count>;
  s.Sendrecv = sendrecv_entry<&slots::Sendrecv, int>;
  s.Sendrecv_c = sendrecv_entry<&slots::Sendrecv_c, MPI_Count>;
  s.Sendrecv_replace = sendrecv_replace<&slots::Sendrecv_replace, int>;
  s.Sendrecv_replace_c = sendrecv_replace<&slots::Sendrecv_replace_c, MPI_Count>;
  s.Iprobe = iprobe;
  s.Improbe = improbe;
  s.Probe = blocking_probe;
  s.Mprobe = mprobe;
  s.Mrecv = [](void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Status* st) { return mrecv(b, n, t, m, st); };
  s.Mrecv_c = mrecv;
  s.Imrecv = [](void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Request* r) { return imrecv(b, n, t, m, r); };
  s.Imrecv_c = imrecv;
  s.Send_init = send_init<&slots::Send_init, 's', int>;
  s.Send_init_c = send_init<&slots::Send_init_c, 's', MPI_Count>;
  s.Rsend_init = send_init<&slots::Rsend_init, 's', int>;
  s.Rsend_init_c = send_init<&slots::Rsend_init_c, 's', MPI_Count>;
  s.Ssend_init = send_init<&slots::Ssend_init, 'y', int>;
  s.Ssend_init_c = send_init<&slots::Ssend_init_c, 'y', MPI_Count>;
  s.Bsend_init = send_init<&slots::Bsend_init, 'b', int>;
  s.Bsend_init_c = send_init<&slots::Bsend_init_c, 'b', MPI_Count>;
  s.Recv_init = recv_init<&slots::Recv_init, int>;
  s.Recv_init_c = recv_init<&slots::Recv_init_c, MPI_Count>;
}

}  // namespace osteon::bridge
