/// @file
/// Workarounds for faults of the underlying MPI that affect correct programs.
#include <bridge/fallback/composite_requests.hpp>

namespace osteon::bridge {
namespace {

decltype(slots::Reduce) reduce_below;
decltype(slots::Reduce_c) reduce_c_below;

/// In MPI_Reduce between groups, processes without a buffer may pass a null pointer. MPICH 4.0 does not accept this pointer.
template <auto* function, class N>
int reduce(const void* in, void* out, N n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  static char nothing;
  if (root == MPI_ROOT || root == MPI_PROC_NULL) {
    if (!in) in = &nothing;
    if (!out) out = &nothing;
  }
  return (*function)(in, out, n, type, op, root, comm);
}

}  // namespace

void install_detours(slots& s) noexcept {
  if (trusts_functions_of_mpi_4()) return;
  reduce_below = s.Reduce;
  reduce_c_below = s.Reduce_c;
  s.Reduce = reduce<&reduce_below, int>;
  s.Reduce_c = reduce<&reduce_c_below, MPI_Count>;
}

}  // namespace osteon::bridge
