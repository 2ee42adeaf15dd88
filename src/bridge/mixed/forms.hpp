#pragma once
/// @file
/// Entries of collectives: the vendor's or ours, whichever the communicator is.
#include "mixed/world.hpp"

namespace osteon::bridge {

/// A function of the standard in its two forms, ours or the vendor's. A blocking call of the vendor waits inside the
/// vendor, so it is made only when nothing else needs this thread; else its nonblocking form is.
template <auto name, auto iname, auto ours>
struct forms;

template <auto name, auto iname, class... A, int (*ours)(communicator*, MPI_Request*, A...)>
struct forms<name, iname, ours> {
  static int call(A... a, MPI_Comm comm) {
    if (communicator* c = find(comm)) return ours(c, nullptr, a...);
    if (may_block()) return (vendor().*name)(a..., comm);
    MPI_Request request = MPI_REQUEST_NULL;
    const int e = (vendor().*iname)(a..., comm, &request);
    return e != MPI_SUCCESS ? e : active.Wait(&request, MPI_STATUS_IGNORE);
  }
  static int start(A... a, MPI_Comm comm, MPI_Request* out) {
    if (communicator* c = find(comm)) return ours(c, out, a...);
    return (vendor().*iname)(a..., comm, out);
  }
};

template <auto name, auto iname, auto ours>
void put_forms(slots& s) {
  s.*name = forms<name, iname, ours>::call;
  s.*iname = forms<name, iname, ours>::start;
}

}  // namespace osteon::bridge
