#pragma once
/// @file
/// Collective error handling. All ranks agree on an error before any rank throws. Otherwise, a rank that throws would leave
/// other ranks blocked in a collective.
#include <mpi.h>

#include <osteon/base/error.hpp>
#include <utility>

namespace osteon::comm {

/// Outcome of a local function on a rank: success, or the error thrown by the function.
struct outcome {
  bool failed = false;
  error_kind kind = error_kind::machine;
  std::string text;
};

/// Throw the error of the lowest failing rank on all ranks; return if no rank failed.
///
/// A collective of MPI-IO can fail on one rank and block the other ranks. If the blocked ranks do not call this function
/// within some seconds, the failed rank calls std::terminate. The current exception of std::terminate is then the error of
/// the failed rank. Install a terminate handler that prints the error and calls MPI_Abort.
/// @collective on comm
/// @cost one allreduce of an int; a broadcast of the text only after a failure
void throw_first_error(MPI_Comm comm, const outcome& local);

/// Run `local` and return its exception as a value.
/// @collective local
template <class F>
outcome outcome_of(F&& local) {
  try {
    std::forward<F>(local)();
  } catch (const error& e) {
    return {true, e.kind(), e.what()};
  } catch (const std::bad_alloc&) {
    return {true, error_kind::machine, "out of memory; use more ranks on more hosts, or a smaller image"};
  } catch (const std::exception& e) {
    return {true, error_kind::machine, e.what()};
  }
  return {};
}

/// Run `local` if `first` contains no error. Store an error of `local` in `first`. Use this function in rounds of
/// communication that all ranks must complete. Call throw_first_error after the last round.
/// @collective local
template <class F>
void attempt(outcome& first, F&& local) {
  if (!first.failed) first = outcome_of(std::forward<F>(local));
}

/// Run `local` on every rank. If `local` throws on any rank, all ranks throw the error of the lowest failing rank. `local`
/// must not call collectives, because other ranks would wait for a rank that has thrown.
/// @collective on comm
template <class F>
void collectively(MPI_Comm comm, F&& local) {
  throw_first_error(comm, outcome_of(std::forward<F>(local)));
}

}  // namespace osteon::comm
