#pragma once
/// @file
/// Functions that wait for requests, or that test requests. Requests belong to a layer of the bridge or to the layer below.
/// A list may contain requests of both layers.
#include <algorithm>
#include <bridge/front/front.hpp>
#include <vector>

namespace osteon::bridge {

/// The empty status of a null request or an inactive request.
inline void empty_status(MPI_Status* status) {
  if (!status) return;
  const int kept = status->MPI_ERROR;
  MPI_Request none = MPI_REQUEST_NULL;
  vendor().Wait(&none, status);
  status->MPI_ERROR = kept;
}

/// `Layer` has the following static members:
///   find(MPI_Request)               request of this layer for a handle, or null
///   idle(own)                       true if the request is persistent and not started
///   is_done(own)                    true if the request is complete; does not finish the request
///   close(MPI_Request*, own, MPI_Status*)  wait if required, then finish; the handle of a persistent request remains valid
///   status_of(own)                  status of a complete request, without finishing the request
///   below()                         the functions for all other requests
///   progress()                      advance the requests of this layer; may_block(): true if the layer below may block
///   pause                           a type with wait() after a progress() without effect, and reset()
template <class Layer>
struct request_lists {
  static bool any_own(int n, const MPI_Request list[]) {
    return std::any_of(list, list + n, [](MPI_Request r) { return Layer::find(r) != nullptr; });
  }

  static int close(MPI_Request* handle, MPI_Status* status) {
    auto* r = Layer::find(*handle);
    if (!Layer::idle(r)) return Layer::close(handle, r, status);
    empty_status(status);
    return MPI_SUCCESS;
  }

  static int test(MPI_Request* handle, int* flag, MPI_Status* status) {
    Layer::progress();
    auto* r = Layer::find(*handle);
    if (!r) return Layer::below().Test(handle, flag, status);
    *flag = Layer::idle(r) || Layer::is_done(r);
    return *flag ? close(handle, status) : MPI_SUCCESS;
  }

  static int wait(MPI_Request* handle, MPI_Status* status) {
    if (Layer::find(*handle)) return close(handle, status);
    if (Layer::may_block()) return Layer::below().Wait(handle, status);
    typename Layer::pause p;
    for (;;) {
      int flag = 0;
      const int e = Layer::below().Test(handle, &flag, status);
      if (e != MPI_SUCCESS || flag) return e;
      if (Layer::progress())
        p.reset();
      else
        p.wait();
    }
  }

  static int waitall(int n, MPI_Request list[], MPI_Status statuses[]) {
    if (Layer::may_block() && !any_own(n, list)) return Layer::below().Waitall(n, list, statuses);
    bool failed = false;
    for (int i = 0; i < n; ++i) {
      MPI_Status* status = statuses ? statuses + i : nullptr;
      const int e = wait(list + i, status);
      if (status) status->MPI_ERROR = e;
      failed |= e != MPI_SUCCESS;
    }
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
  }

  static bool over(MPI_Request handle) {
    if (auto* r = Layer::find(handle)) return Layer::idle(r) || Layer::is_done(r);
    int flag = 0;
    Layer::below().Request_get_status(handle, &flag, MPI_STATUS_IGNORE);
    return flag;
  }

  static int testall(int n, MPI_Request list[], int* flag, MPI_Status statuses[]) {
    Layer::progress();
    if (!any_own(n, list)) return Layer::below().Testall(n, list, flag, statuses);
    *flag = std::all_of(list, list + n, over);
    return *flag ? waitall(n, list, statuses) : MPI_SUCCESS;
  }

  /// Requests of the layer below that a list contains, with their indices.
  struct others {
    std::vector<MPI_Request> requests;
    std::vector<int> place;
    others(int n, const MPI_Request list[]) {
      for (int i = 0; i < n; ++i)
        if (!Layer::find(list[i])) requests.push_back(list[i]), place.push_back(i);
    }
    int size() const { return static_cast<int>(requests.size()); }
  };

  /// Select a complete request of a list. `index` is MPI_UNDEFINED if no request is active.
  static int testany(int n, MPI_Request list[], int* index, int* flag, MPI_Status* status) {
    Layer::progress();
    bool waiting = false;
    for (int i = 0; i < n; ++i) {
      auto* r = Layer::find(list[i]);
      if (!r || Layer::idle(r)) continue;
      if (Layer::is_done(r)) {
        *index = i;
        *flag = 1;
        return close(list + i, status);
      }
      waiting = true;
    }
    others part(n, list);
    int which = MPI_UNDEFINED;
    const int e = Layer::below().Testany(part.size(), part.requests.data(), &which, flag, status);
    if (*flag && which != MPI_UNDEFINED) {
      *index = part.place[static_cast<std::size_t>(which)];
      list[*index] = part.requests[static_cast<std::size_t>(which)];
      return e;
    }
    *index = MPI_UNDEFINED;
    *flag = !waiting && (*flag || part.size() == 0);
    if (*flag) empty_status(status);
    return e;
  }

  static int waitany(int n, MPI_Request list[], int* index, MPI_Status* status) {
    if (Layer::may_block() && !any_own(n, list)) return Layer::below().Waitany(n, list, index, status);
    typename Layer::pause p;
    for (;;) {
      int flag = 0;
      const int e = testany(n, list, index, &flag, status);
      if (e != MPI_SUCCESS || flag) return e;
      p.wait();
    }
  }

  static int testsome(int n, MPI_Request list[], int* count, int indices[], MPI_Status statuses[]) {
    Layer::progress();
    if (!any_own(n, list)) return Layer::below().Testsome(n, list, count, indices, statuses);
    *count = 0;
    bool some_active = false, failed = false;
    for (int i = 0; i < n; ++i) {
      auto* r = Layer::find(list[i]);
      if (!r || Layer::idle(r)) continue;
      some_active = true;
      if (!Layer::is_done(r)) continue;
      MPI_Status* status = statuses ? statuses + *count : nullptr;
      const int e = close(list + i, status);
      if (status) status->MPI_ERROR = e;
      failed |= e != MPI_SUCCESS;
      indices[(*count)++] = i;
    }
    others part(n, list);
    int more = 0;
    std::vector<int> which(static_cast<std::size_t>(part.size()));
    const int e = Layer::below().Testsome(part.size(), part.requests.data(), &more, which.data(),
                                          statuses ? statuses + *count : nullptr);
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

  static int waitsome(int n, MPI_Request list[], int* count, int indices[], MPI_Status statuses[]) {
    if (Layer::may_block() && !any_own(n, list)) return Layer::below().Waitsome(n, list, count, indices, statuses);
    typename Layer::pause p;
    for (;;) {
      const int e = testsome(n, list, count, indices, statuses);
      if (e != MPI_SUCCESS || *count != 0) return e;
      p.wait();
    }
  }

  static int get_status(MPI_Request handle, int* flag, MPI_Status* status) {
    Layer::progress();
    auto* r = Layer::find(handle);
    if (!r) return Layer::below().Request_get_status(handle, flag, status);
    const bool idle = Layer::idle(r);
    *flag = idle || Layer::is_done(r);
    if (*flag && idle) empty_status(status);
    if (*flag && !idle && status) *status = Layer::status_of(r);
    return MPI_SUCCESS;
  }

  static void install(slots& s) {
    s.Test = test;
    s.Wait = wait;
    s.Waitall = waitall;
    s.Testall = testall;
    s.Waitany = waitany;
    s.Testany = testany;
    s.Waitsome = waitsome;
    s.Testsome = testsome;
    s.Request_get_status = get_status;
  }
};

}  // namespace osteon::bridge
