/// @file
/// Matching of messages between clusters, and progress. bridge/docs/bridge.md describes the rules.
#include <sched.h>

#include <algorithm>
#include <bridge/inter_cluster/schedule.hpp>
#include <bridge/inter_cluster/world.hpp>
#include <unordered_map>

namespace osteon::bridge {
namespace {

/// Unexpected messages of one context, for each rank of a source.
using waiting_messages = std::vector<std::deque<unexpected>>;

struct engine {
  std::unordered_map<std::uint64_t, waiting_messages> waiting;
  std::uint64_t arrivals = 0;
};

engine& matching() {
  static engine e;
  return e;
}

bool tag_fits(int wanted, int tag) { return wanted == MPI_ANY_TAG ? tag >= 0 : wanted == tag; }

bool fits(const request& r, const wire::message& m) {
  return r.comm->cid == m.fields.cid && (r.peer == MPI_ANY_SOURCE || r.peer == m.fields.lsrank) &&
         tag_fits(r.tag, m.fields.tag);
}

/// True if messages to and from a process use the vendor as a transport of bytes instead of the link.
bool by_carrier(int world_rank) {
  if (!world().bytes) return false;
  const wire::world_info& info = world().link->world();
  return info.processes[static_cast<std::size_t>(world_rank)].cluster == info.cluster;
}

/// True if the part of a request in the link or in the carrier is complete.
bool is_through(request* r) {
  return r->by_vendor ? world().bytes->is_over(*r->by_vendor) : linked([&] { return world().link->test(r->ticket); });
}

/// Receive a matched message into the buffer of the request.
void accept(request* r, wire::message& m) {
  const layout l = layout_of_message(r->count, r->type);
  r->received = std::min<std::size_t>(m.total, l.bytes);
  if (m.total > l.bytes) r->error = MPI_ERR_TRUNCATE;
  r->status.MPI_SOURCE = m.fields.lsrank;
  r->status.MPI_TAG = m.fields.tag;
  std::span<std::byte> room;
  if (l.contiguous) {
    room = {static_cast<std::byte*>(r->buffer), l.bytes};
  } else {
    r->packed.resize(l.bytes);
    room = r->packed;
  }
  if (by_carrier(m.source))
    r->by_vendor = world().bytes->accept(m, room);
  else
    r->ticket = linked([&] { return world().link->accept(m, room); });
  r->accepted = true;
  world().moving.push_back(r);
}

/// Cancel a receive with a wildcard in the vendor. @returns false if a message of the own cluster has already matched
bool claim(request* r) {
  if (r->vendor == MPI_REQUEST_NULL) return true;
  int cancelled = 0;
  MPI_Status status{};
  vendor().Cancel(&r->vendor);
  const int e = vendor().Wait(&r->vendor, &status);
  vendor().Test_cancelled(&status, &cancelled);
  if (cancelled) return true;
  r->status = status;
  r->error = e;
  if (status.MPI_SOURCE >= 0) r->status.MPI_SOURCE = r->comm->rank_of[static_cast<std::size_t>(status.MPI_SOURCE)];
  r->done = true;
  return false;
}

void store(wire::message&& m) {
  auto& by_source = matching().waiting[m.fields.cid];
  const auto source = static_cast<std::size_t>(m.fields.lsrank);
  if (by_source.size() <= source) by_source.resize(source + 1);
  by_source[source].push_back({matching().arrivals++, std::move(m)});
}

void arrived(wire::message&& m) {
  auto& posted = world().posted;
  for (auto at = posted.begin(); at != posted.end();) {
    request* r = *at;
    if (!fits(*r, m)) {
      ++at;
      continue;
    }
    at = posted.erase(at);
    if (!claim(r)) continue;
    accept(r, m);
    return;
  }
  if (by_carrier(m.source)) world().bytes->keep(m);
  store(std::move(m));
}

bool take_back(const wire::message& request) {
  for (auto& [cid, by_source] : matching().waiting)
    for (auto& queue : by_source) {
      const auto at = std::find_if(queue.begin(), queue.end(), [&](const unexpected& u) {
        return u.message.source == request.source && u.message.id == request.id;
      });
      if (at == queue.end()) continue;
      queue.erase(at);
      return true;
    }
  return false;
}

void finish(request* r) {
  if (r->kind == request::what_kind::receive) {
    if (r->accepted && !r->packed.empty()) {
      r->received = unpack_message(r->packed.data(), r->received, r->buffer, r->count, r->type);
      r->packed.clear();
    }
    r->status_due = true;
  } else if (r->ticket.cancel_state() == wire::ticket::cancelling::cancelled) {
    vendor().Status_set_cancelled(&r->status, 1);
  }
  r->ticket = {};
  r->by_vendor.reset();
  r->done = true;
}

}  // namespace

/// The first matching message in the order of arrival, and its position.
std::deque<unexpected>* find_waiting(communicator* c, int source, int tag,
                                     std::deque<unexpected>::iterator& place) noexcept {
  const auto found = matching().waiting.find(c->cid);
  if (found == matching().waiting.end()) return nullptr;
  std::deque<unexpected>* best = nullptr;
  const auto look = [&](std::deque<unexpected>& queue) {
    const auto at =
        std::find_if(queue.begin(), queue.end(), [&](const unexpected& u) { return tag_fits(tag, u.message.fields.tag); });
    if (at != queue.end() && (!best || at->order < place->order)) best = &queue, place = at;
  };
  if (source == MPI_ANY_SOURCE) {
    for (auto& queue : found->second) look(queue);
  } else if (static_cast<std::size_t>(source) < found->second.size()) {
    look(found->second[static_cast<std::size_t>(source)]);
  }
  return best;
}

void receive_matched(request* r, wire::message& m) noexcept { accept(r, m); }

request* start_send(communicator* c, const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                    bool synchronous, bool copy) noexcept {
  request* r = world().requests.make();
  r->kind = request::what_kind::send;
  r->comm = c;
  r->buffer = const_cast<void*>(buffer);  // the function does not modify the buffer
  r->count = count;
  r->type = kept_type(type);
  r->peer = dest;
  r->tag = tag;
  begin_send(r, synchronous, copy);
  return r;
}

void begin_send(request* r, bool synchronous, bool copy) noexcept {
  r->active = true;
  const layout l = layout_of_message(r->count, r->type);
  std::span<const std::byte> bytes{static_cast<const std::byte*>(r->buffer), l.bytes};
  if (!l.contiguous || copy) {
    r->packed = pack_message(r->buffer, r->count, r->type);
    bytes = r->packed;
  }
  const communicator* c = r->comm;
  const wire::envelope fields{.cid = c->cid, .tag = r->tag, .lsrank = c->rank, .kind = 0, .count = r->count};
  const int dest = c->world[static_cast<std::size_t>(r->peer)];
  if (by_carrier(dest)) {
    r->by_vendor = world().bytes->send(dest, fields, bytes, synchronous);
    r->done = world().bytes->is_over(*r->by_vendor);
  } else {
    r->ticket = linked([&] { return world().link->send(dest, fields, bytes, synchronous); });
    r->done = r->ticket.done();
  }
  if (!r->done) world().moving.push_back(r);
}

request* start_receive(communicator* c, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag) noexcept {
  request* r = world().requests.make();
  r->comm = c;
  r->buffer = buffer;
  r->count = count;
  r->type = kept_type(type);
  r->peer = source;
  r->tag = tag;
  begin_receive(r);
  return r;
}

void begin_receive(request* r) noexcept {
  r->active = true;
  match_arrivals();  // messages that have already arrived precede later messages
  communicator* c = r->comm;
  const bool from_others = r->peer == MPI_ANY_SOURCE || !c->is_local(r->peer);
  const bool from_here = r->peer == MPI_ANY_SOURCE || c->is_local(r->peer);
  std::deque<unexpected>::iterator at;
  if (from_others) {
    if (auto* queue = find_waiting(c, r->peer, r->tag, at)) {
      wire::message m = std::move(at->message);
      queue->erase(at);
      accept(r, m);
      return;
    }
  }
  if (from_here) {
    const int from = r->peer == MPI_ANY_SOURCE ? r->peer : c->local_of[static_cast<std::size_t>(r->peer)];
    r->error = vendor().Irecv_c(r->buffer, r->count, r->type, from, r->tag, c->local, &r->vendor);
    if (r->error != MPI_SUCCESS) {
      r->done = true;
      return;
    }
  }
  if (from_others) world().posted.push_back(r);
}

namespace {

/// The vendor has completed its part of the request. The request has no other part.
void done_by_vendor(request* r, int error, const MPI_Status& status) {
  r->error = error;
  r->status = status;
  // In the status of a cancelled receive, MPICH stores the source of an older message. This source may belong to a larger
  // communicator.
  const auto source = static_cast<std::size_t>(status.MPI_SOURCE);
  if (r->kind == request::what_kind::receive && source < r->comm->rank_of.size())
    r->status.MPI_SOURCE = r->comm->rank_of[source];
  r->done = true;
}

}  // namespace

const MPI_Status& status_of(request* r) noexcept {
  if (r->status_due) {
    vendor().Status_set_elements_x(&r->status, MPI_BYTE, static_cast<MPI_Count>(r->received));
    vendor().Status_set_cancelled(&r->status, 0);
    r->status_due = false;
  }
  return r->status;
}

bool is_done(request* r) noexcept {
  if (r->done) return true;
  if (r->vendor != MPI_REQUEST_NULL) {
    int flag = 0;
    MPI_Status status{};
    const int e = vendor().Test(&r->vendor, &flag, &status);
    if (!flag && e == MPI_SUCCESS) return false;
    done_by_vendor(r, e, status);
    std::erase(world().posted, r);
  }
  return r->done;
}

int complete(request* r, MPI_Status* status) noexcept {
  if (!r->done && r->vendor != MPI_REQUEST_NULL && may_block()) {  // the request is a receive from the own cluster
    MPI_Status below{};
    const int e = vendor().Wait(&r->vendor, &below);
    done_by_vendor(r, e, below);
  }
  patience p;
  while (!is_done(r)) {
    if (progress())
      p.reset();
    else
      p.wait();
  }
  const int error = r->error;
  if (error != MPI_SUCCESS && r->accepted) raise(r->comm, error);  // the vendor has already raised its own errors
  if (status) {
    const int kept = status->MPI_ERROR;
    *status = status_of(r);
    status->MPI_ERROR = kept;
  }
  if (r->persistent) {
    r->active = false;
  } else {
    world().requests.drop(r);
  }
  return error;
}

bool match_arrivals() noexcept {
  auto& w = world();
  bool moved = false;
  if (w.bytes)
    while (auto m = w.bytes->take()) {
      moved = true;
      arrived(std::move(*m));
    }
  linked([&] {
    while (w.link->anything_new()) {
      auto m = w.link->take();
      if (!m) break;
      moved = true;
      if (m->type == wire::message::what_kind::cancel_requested) {
        w.link->answer_cancel(*m, take_back(*m));
      } else {
        arrived(std::move(*m));
      }
    }
    return 0;
  });
  return moved;
}

bool progress() noexcept {
  auto& w = world();
  bool moved = match_arrivals();
  for (std::size_t i = 0; i < w.moving.size();) {
    request* r = w.moving[i];
    const bool over = r->kind == request::what_kind::collective ? r->work->advance() : is_through(r);
    if (!over) {
      ++i;
      continue;
    }
    w.moving.erase(w.moving.begin() +
                   static_cast<std::ptrdiff_t>(i));  // operations that this operation has added follow in the list
    moved = true;
    if (r->kind == request::what_kind::collective) {
      r->error = r->work->error;
      r->done = true;
      free_what_collectives_needed();
    } else {
      finish(r);
    }
    if (r->detached) w.requests.drop(r);
  }
  return moved;
}

void patience::wait() noexcept {
  // The vendor advances its long messages only while the vendor is called.
  int flag = 0;
  vendor().Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  auto& link = *world().link;
  if (world().bytes) {
    // With threads, the thread of the link serves the sockets. With polling, only every 16th call serves the sockets.
    // Serving sockets needs system calls, but polling the messages of the vendor does not.
    if (world().bytes->has_thread())
      linked([&] { return link.check(), 0; });
    else if (spins_ % 16 == 0)
      linked([&] { return link.progress(), 0; });
    world().bytes->wait();
    if (++spins_ > 100) sched_yield();
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (spins_++ == 0) began_ = now;
  // If a process has a core of its own, the process polls, as MPI libraries do. A wake-up would take tens of microseconds.
  if (spins_ < 1000 || (!world().yielding && now - began_ < std::chrono::milliseconds(200))) {
    linked([&] { return link.progress(), 0; });
    if (spins_ > 100) sched_yield();
    return;
  }
  const bool remote_only = world().everyone->rank_of.size() == 1;
  linked([&] { return link.wait_event(link.events(), remote_only ? 2e-3 : 1e-4), 0; });
}

}  // namespace osteon::bridge
