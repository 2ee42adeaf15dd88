/// @file
/// Waiting for and testing requests: the vendor's, ours, and lists of both.
#include <algorithm>
#include <vector>

#include "mixed/schedule.hpp"
#include "mixed/world.hpp"

namespace osteon::bridge {
namespace {

/// A status of a request that is null or inactive.
void empty(MPI_Status* status) {
  if (!status) return;
  const int kept = status->MPI_ERROR;
  MPI_Request none = MPI_REQUEST_NULL;
  vendor().Wait(&none, status);
  status->MPI_ERROR = kept;
}

bool idle(const request* r) { return r->persistent && !r->active; }

/// Finish a request of ours that is done, or that is not active.
int close(MPI_Request* handle, request* r, MPI_Status* status) {
  if (idle(r)) {
    empty(status);
    return MPI_SUCCESS;
  }
  const bool stays = r->persistent;
  const int e = complete(r, status);
  if (!stays) *handle = MPI_REQUEST_NULL;
  return e;
}

int test(MPI_Request* handle, int* flag, MPI_Status* status) {
  progress();
  request* r = find(*handle);
  if (!r) return vendor().Test(handle, flag, status);
  *flag = idle(r) || is_done(r);
  return *flag ? close(handle, r, status) : MPI_SUCCESS;
}

int wait(MPI_Request* handle, MPI_Status* status) {
  request* r = find(*handle);
  if (r) return close(handle, r, status);
  if (may_block()) return vendor().Wait(handle, status);
  patience p;
  for (;;) {
    int flag = 0;
    const int e = vendor().Test(handle, &flag, status);
    if (e != MPI_SUCCESS || flag) return e;
    if (progress())
      p.reset();
    else
      p.wait();
  }
}

bool any_ours(int n, const MPI_Request list[]) {
  return std::any_of(list, list + n, [](MPI_Request r) { return find(r) != nullptr; });
}

int waitall(int n, MPI_Request list[], MPI_Status statuses[]) {
  if (may_block() && !any_ours(n, list)) return vendor().Waitall(n, list, statuses);
  bool failed = false;
  for (int i = 0; i < n; ++i) {
    MPI_Status* status = statuses ? statuses + i : nullptr;
    const int e = wait(list + i, status);
    if (status) status->MPI_ERROR = e;
    failed |= e != MPI_SUCCESS;
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

/// The vendor's requests of a list, with their places.
struct vendor_part {
  std::vector<MPI_Request> requests;
  std::vector<int> place;
  vendor_part(int n, const MPI_Request list[]) {
    for (int i = 0; i < n; ++i)
      if (!find(list[i])) requests.push_back(list[i]), place.push_back(i);
  }
  int size() const { return static_cast<int>(requests.size()); }
};

int testall(int n, MPI_Request list[], int* flag, MPI_Status statuses[]) {
  progress();
  if (!any_ours(n, list)) return vendor().Testall(n, list, flag, statuses);
  *flag = 0;
  for (int i = 0; i < n; ++i) {
    request* r = find(list[i]);
    if (r ? !(idle(r) || is_done(r)) : [&] {
          int done = 0;
          vendor().Request_get_status(list[i], &done, MPI_STATUS_IGNORE);
          return !done;
        }())
      return MPI_SUCCESS;
  }
  *flag = 1;
  return waitall(n, list, statuses);
}

/// One of a list, if one is done. `index` is MPI_UNDEFINED if none is active.
int take_one(int n, MPI_Request list[], int* index, int* flag, MPI_Status* status) {
  progress();
  bool waiting = false;
  for (int i = 0; i < n; ++i) {
    request* r = find(list[i]);
    if (!r || idle(r)) continue;
    if (is_done(r)) {
      *index = i;
      *flag = 1;
      return close(list + i, r, status);
    }
    waiting = true;
  }
  vendor_part part(n, list);
  int which = MPI_UNDEFINED;
  const int e = vendor().Testany(part.size(), part.requests.data(), &which, flag, status);
  if (*flag && which != MPI_UNDEFINED) {
    *index = part.place[static_cast<std::size_t>(which)];
    list[*index] = part.requests[static_cast<std::size_t>(which)];
    return e;
  }
  *index = MPI_UNDEFINED;
  *flag = !waiting && (*flag || part.size() == 0);
  if (*flag) empty(status);
  return e;
}

int testany(int n, MPI_Request list[], int* index, int* flag, MPI_Status* status) {
  return take_one(n, list, index, flag, status);
}

int waitany(int n, MPI_Request list[], int* index, MPI_Status* status) {
  if (may_block() && !any_ours(n, list)) return vendor().Waitany(n, list, index, status);
  patience p;
  for (;;) {
    int flag = 0;
    const int e = take_one(n, list, index, &flag, status);
    if (e != MPI_SUCCESS || flag) return e;
    p.wait();
  }
}

int testsome(int n, MPI_Request list[], int* count, int indices[], MPI_Status statuses[]) {
  progress();
  if (!any_ours(n, list)) return vendor().Testsome(n, list, count, indices, statuses);
  *count = 0;
  bool some_active = false, failed = false;
  for (int i = 0; i < n; ++i) {
    request* r = find(list[i]);
    if (!r || idle(r)) continue;
    some_active = true;
    if (!is_done(r)) continue;
    MPI_Status* status = statuses ? statuses + *count : nullptr;
    const int e = close(list + i, r, status);
    if (status) status->MPI_ERROR = e;
    failed |= e != MPI_SUCCESS;
    indices[(*count)++] = i;
  }
  vendor_part part(n, list);
  int more = 0;
  std::vector<int> which(static_cast<std::size_t>(part.size()));
  const int e =
      vendor().Testsome(part.size(), part.requests.data(), &more, which.data(), statuses ? statuses + *count : nullptr);
  if (more != MPI_UNDEFINED) {
    some_active = true;
    for (int k = 0; k < more; ++k) {
      const auto at = static_cast<std::size_t>(which[static_cast<std::size_t>(k)]);
      const int i = part.place[at];
      list[i] = part.requests[at];
      indices[(*count)++] = i;
    }
  }
  if (!some_active) *count = MPI_UNDEFINED;
  return failed || e == MPI_ERR_IN_STATUS ? MPI_ERR_IN_STATUS : e;
}

int waitsome(int n, MPI_Request list[], int* count, int indices[], MPI_Status statuses[]) {
  if (may_block() && !any_ours(n, list)) return vendor().Waitsome(n, list, count, indices, statuses);
  patience p;
  for (;;) {
    const int e = testsome(n, list, count, indices, statuses);
    if (e != MPI_SUCCESS || *count != 0) return e;
    p.wait();
  }
}

int request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  progress();
  request* r = find(handle);
  if (!r) return vendor().Request_get_status(handle, flag, status);
  *flag = idle(r) || is_done(r);
  if (*flag && status) {
    if (idle(r))
      empty(status);
    else
      *status = status_of(r);
  }
  return MPI_SUCCESS;
}

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
    // Done at once: the copy goes its own way.
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
    patience p;  // a wildcard receive belongs to both sides; MPI allows to wait here
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
  if (r->done || r->accepted) return MPI_SUCCESS;  // too late, which MPI allows
  if (r->by_vendor) return MPI_SUCCESS;            // is delivered in any case
  if (r->kind == request::what_kind::send) {
    linked([&] { return world().link->cancel(r->ticket), 0; });
  } else if (r->kind == request::what_kind::receive) {
    if (r->vendor != MPI_REQUEST_NULL) {
      vendor().Cancel(&r->vendor);
      patience p;  // the vendor settles it locally; is_done takes the entry off the list of posted receives
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
  s.Test = test;
  s.Wait = wait;
  s.Waitall = waitall;
  s.Testall = testall;
  s.Waitany = waitany;
  s.Testany = testany;
  s.Waitsome = waitsome;
  s.Testsome = testsome;
  s.Request_get_status = request_get_status;
  s.Start = start;
  s.Startall = startall;
  s.Request_free = request_free;
  s.Cancel = cancel;
}

}  // namespace osteon::bridge
