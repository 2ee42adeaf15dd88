#pragma once
/// @file
/// Collective error handling. Ranks agree on an error before any rank throws; otherwise other ranks would block in a
/// collective.
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
/// Other ranks may be blocked in a collective of MPI-IO that the failed rank has left. If these ranks do not call this
/// function within some seconds, the failed rank calls std::terminate with its error as the current exception. Install a
/// terminate handler that prints the error and calls MPI_Abort.
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

/// Run `local` unless `first` is an error; store the error of `local` in `first`. For rounds of communication that all ranks
/// must complete: throw_first_error follows the last round.
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
