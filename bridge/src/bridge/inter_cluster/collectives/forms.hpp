#pragma once
/// @file
/// Entry functions of collectives. The communicator determines whether an entry function calls the vendor or the bridge.
#include <bridge/inter_cluster/world.hpp>
#include <type_traits>

namespace osteon::bridge {

/// A function of the standard in blocking and nonblocking form. The function belongs to the bridge or to the vendor. A
/// blocking call waits inside the vendor. The blocking form is used only if this thread has no other work. Otherwise, the
/// nonblocking form is used. `inter` is the function of the bridge between two groups. If the bridge has no such function,
/// `inter` is null.
template <auto name, auto iname, auto ours, auto inter>
struct forms;

template <auto name, auto iname, class... A, int (*ours)(communicator*, MPI_Request*, A...), auto inter>
struct forms<name, iname, ours, inter> {
  static int over_clusters(communicator* c, MPI_Request* out, A... a) {
    if (!c->inter) return ours(c, out, a...);
    if constexpr (std::is_null_pointer_v<decltype(inter)>)
      return raise(c, MPI_ERR_COMM);
    else
      return inter(c, out, a...);
  }
  static int call(A... a, MPI_Comm comm) {
    if (communicator* c = find(comm)) return over_clusters(c, nullptr, a...);
    if (may_block()) return (vendor().*name)(a..., comm);
    MPI_Request request = MPI_REQUEST_NULL;
    const int e = (vendor().*iname)(a..., comm, &request);
    return e != MPI_SUCCESS ? e : active.Wait(&request, MPI_STATUS_IGNORE);
  }
  static int start(A... a, MPI_Comm comm, MPI_Request* out) {
    if (communicator* c = find(comm)) return over_clusters(c, out, a...);
    return (vendor().*iname)(a..., comm, out);
  }
};

template <auto name, auto iname, auto ours, auto inter = nullptr>
void put_forms(slots& s) {
  s.*name = forms<name, iname, ours, inter>::call;
  s.*iname = forms<name, iname, ours, inter>::start;
}

}  // namespace osteon::bridge
