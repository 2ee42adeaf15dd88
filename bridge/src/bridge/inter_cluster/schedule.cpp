#include <bridge/inter_cluster/schedule.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

namespace osteon::bridge {

namespace {

// With OSTEON_BRIDGE_TRACE=PREFIX, each process writes a file PREFIX.RANK. The file has a line for each message that this
// process sends or receives in a collective over clusters. A line contains the communicator, the number of the collective on
// the communicator, the world ranks of sender and receiver, the number of bytes, and the direction. The file does not
// contain messages inside a collective of the vendor.
void trace(const communicator* c, int tag, int from, int to, MPI_Count count, MPI_Datatype type, const char* end) {
  static const char* const prefix = std::getenv("OSTEON_BRIDGE_TRACE");
  if (!prefix) return;
  const auto world_rank = [&](int r) { return c->world[static_cast<std::size_t>(r)]; };
  static std::ofstream file(std::string(prefix) + "." + std::to_string(world_rank(c->rank)));
  file << c->cid << ' ' << -tag << ' ' << world_rank(from) << ' ' << world_rank(to) << ' ' << layout_of(count, type).bytes
       << ' ' << end << std::endl;
}

}  // namespace

void* schedule::temporary(MPI_Count count, MPI_Datatype type) { return keep(memory_for(count, type))->address; }

void schedule::send(const void* buffer, MPI_Count count, MPI_Datatype type, int to) {
  trace(comm, tag, comm->rank, to, count, type, "sent");
  if (!comm->is_local(to)) {
    pending.push_back(handle_of(start_send(comm, buffer, count, type, to, tag, false)));
    return;
  }
  MPI_Request r = MPI_REQUEST_NULL;
  note(vendor().Isend_c(buffer, count, type, comm->local_of[static_cast<std::size_t>(to)], 1, comm->shadow, &r));
  pending.push_back(r);
}

void schedule::receive(void* buffer, MPI_Count count, MPI_Datatype type, int from) {
  trace(comm, tag, from, comm->rank, count, type, "received");
  if (!comm->is_local(from)) {
    pending.push_back(handle_of(start_receive(comm, buffer, count, type, from, tag)));
    return;
  }
  MPI_Request r = MPI_REQUEST_NULL;
  note(vendor().Irecv_c(buffer, count, type, comm->local_of[static_cast<std::size_t>(from)], 1, comm->shadow, &r));
  pending.push_back(r);
}

bool schedule::advance() {
  if (comm->collectives.front() != this) return false;
  for (;;) {
    while (!pending.empty()) {
      MPI_Request& last = pending.back();
      if (request* own = find(last)) {
        if (!is_done(own)) return false;
        note(complete(own, nullptr));
      } else {
        int flag = 0;
        const int e = vendor().Test(&last, &flag, MPI_STATUS_IGNORE);
        note(e);
        if (!flag && e == MPI_SUCCESS) return false;
      }
      pending.pop_back();
    }
    if (next == steps.size()) {
      comm->collectives.pop_front();
      return true;
    }
    steps[next++]();
  }
}

int run(std::unique_ptr<schedule> s, MPI_Request* out) {
  communicator* c = s->comm;
  // In all processes, the collectives of a communicator start in the same order. A counter therefore identifies a
  // collective.
  s->tag = -2 - static_cast<int>(++c->next_collective & 0x3fffffff) - 1;
  c->collectives.push_back(s.get());
  if (out) {
    request* r = world().requests.make();
    r->kind = request::what_kind::collective;
    r->comm = c;
    r->active = true;
    r->work = std::move(s);
    world().moving.push_back(r);
    *out = handle_of(r);
    progress();
    return MPI_SUCCESS;
  }
  s->blocking = true;
  patience p;
  while (!s->advance()) {
    if (progress())
      p.reset();
    else
      p.wait();
  }
  return s->error;
}

void drain_collectives(communicator* c) noexcept {
  patience p;
  while (!c->collectives.empty()) {
    if (progress())
      p.reset();
    else
      p.wait();
  }
}

}  // namespace osteon::bridge
