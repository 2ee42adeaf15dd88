/// @file
/// Functions that wait for requests and test requests. The requests are requests of the vendor, requests of the bridge, or
/// lists with both kinds.
#include <bridge/front/request_lists.hpp>
#include <bridge/inter_cluster/schedule.hpp>
#include <bridge/inter_cluster/world.hpp>

namespace osteon::bridge {
namespace {

struct mixed_requests {
  using pause = patience;
  static request* find(MPI_Request handle) { return bridge::find(handle); }
  static bool idle(const request* r) { return r->persistent && !r->active; }
  static bool is_done(request* r) { return bridge::is_done(r); }
  static int close(MPI_Request* handle, request* r, MPI_Status* status) {
    const bool stays = r->persistent;
    const int e = complete(r, status);
    if (!stays) *handle = MPI_REQUEST_NULL;
    return e;
  }
  static const MPI_Status& status_of(request* r) { return bridge::status_of(r); }
  static const slots& below() { return vendor(); }
  static bool progress() { return bridge::progress(); }
  static bool may_block() { return bridge::may_block(); }
};

int start(MPI_Request* handle) {
  request* r = find(*handle);
  if (!r) return vendor().Start(handle);
  r->done = r->accepted = false;
  r->error = MPI_SUCCESS;
  r->status = {};
  r->status_due = false;
  if (r->kind == request::what_kind::receive) {
    begin_receive(r);
  } else if (r->mode == 'b') {
    // The request is complete immediately, because a copy of the data is sent independently.
    request* copy = start_send(r->comm, r->buffer, r->count, r->type, r->peer, r->tag, false, true);
    if (copy->done)
      world().requests.drop(copy);
    else
      copy->detached = true;
    r->active = r->done = true;
  } else {
    begin_send(r, r->mode == 'y', false);
  }
  return MPI_SUCCESS;
}

int startall(int n, MPI_Request list[]) {
  for (int i = 0; i < n; ++i)
    if (const int e = start(list + i)) return e;
  return MPI_SUCCESS;
}

int request_free(MPI_Request* handle) {
  request* r = find(*handle);
  if (!r) return vendor().Request_free(handle);
  if (r->persistent && !r->active) {
    world().requests.drop(r);
  } else if (r->vendor != MPI_REQUEST_NULL) {
    // a receive with a wildcard may match a message of the vendor or of the link; MPI permits waiting in this function
    patience p;
    while (!is_done(r)) {
      if (progress())
        p.reset();
      else
        p.wait();
    }
    world().requests.drop(r);
  } else if (r->done) {
    world().requests.drop(r);
  } else {
    r->persistent = false;
    r->detached = true;
  }
  *handle = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int cancel(MPI_Request* handle) {
  request* r = find(*handle);
  if (!r) return vendor().Cancel(handle);
  if (r->done || r->accepted) return MPI_SUCCESS;  // the request can no longer be cancelled, which MPI permits
  if (r->by_vendor) return MPI_SUCCESS;            // the message is delivered in any case
  if (r->kind == request::what_kind::send) {
    linked([&] { return world().link->cancel(r->ticket), 0; });
  } else if (r->kind == request::what_kind::receive) {
    if (r->vendor != MPI_REQUEST_NULL) {
      vendor().Cancel(&r->vendor);
      // the vendor completes the cancelled receive locally; is_done removes the receive from the list of posted receives
      patience p;
      while (!is_done(r)) p.wait();
      return MPI_SUCCESS;
    }
    std::erase(world().posted, r);
    vendor().Status_set_elements_x(&r->status, MPI_BYTE, 0);
    vendor().Status_set_cancelled(&r->status, 1);
    r->done = true;
  }
  return MPI_SUCCESS;
}

}  // namespace

void install_completion(slots& s) noexcept {
  request_lists<mixed_requests>::install(s);
  s.Start = start;
  s.Startall = startall;
  s.Request_free = request_free;
  s.Cancel = cancel;
}

}  // namespace osteon::bridge
