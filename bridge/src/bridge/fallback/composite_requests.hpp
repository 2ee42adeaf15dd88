#pragma once
/// @file
/// Fallbacks. A fallback is a function of the standard that the underlying MPI does not have, or that the MPI does not have
/// for communicators over clusters. Existing functions implement the fallbacks. The layer of fallbacks is above all other
/// layers. Fallbacks may therefore use functions of all other layers.
///
/// A request that a fallback returns belongs to this layer. Functions that wait for requests are replaced only after the
/// first request of this layer has been created. A program without fallbacks therefore has no overhead.
#include <atomic>
#include <bridge/front/front.hpp>
#include <functional>
#include <memory>
#include <vector>

namespace osteon::bridge {

/// One request of the program. The request consists of several requests of the layers below.
struct composite {
  std::vector<MPI_Request> parts;
  std::size_t reported = 0;          ///< index of the part with the status that the program receives
  std::vector<MPI_Status> statuses;  ///< statuses of the completed parts
  std::vector<bool> over;
  int error = MPI_SUCCESS;
  std::function<int()> finish;             ///< function that is called once after all parts are complete
  std::shared_ptr<void> kept;              ///< data that the parts use; released after completion
  std::function<int(MPI_Request*)> start;  ///< function that starts the only part of a persistent request
  bool active = true;
  // For partitioned requests: partitions that MPI_Pready has marked, number of unmarked partitions, and function that starts
  // the message.
  std::vector<bool> ready;
  std::atomic<int> unready = 0;
  std::function<int(MPI_Request*)> go;
  int tag = MPI_ANY_TAG;  ///< tag of a partitioned receive; the status contains this tag

  void add(MPI_Request part) { add_over(part, {}, false); }
  /// Add a part that is complete from the start.
  void add_over(const MPI_Status& status) { add_over(MPI_REQUEST_NULL, status, true); }

 private:
  void add_over(MPI_Request part, const MPI_Status& status, bool is_over) {
    parts.push_back(part);
    statuses.push_back(status);
    over.push_back(is_over);
  }
};

/// Create a request. After all parts have been started, `handle_of` returns the handle of the request for the program.
composite* make_composite();
void drop(composite* c);
/// A completed request for an operation that has already ended.
MPI_Request over_at_once();
/// The object of a handle. For other handles, the result is null.
composite* find_composite(MPI_Request handle) noexcept;
inline MPI_Request handle_of(composite* c) { return reinterpret_cast<MPI_Request>(c); }

bool spans_clusters(MPI_Comm comm) noexcept;
bool job_spans_clusters() noexcept;
/// True if the vendor's functions that are new in MPI 4 are correct. For MPICH 4.0, the result is false for the following
/// reasons:
/// - MPI_Gather_init writes data that were not received;
/// - MPI_Allgather_init omits the rank's own data at its second start;
/// - a wait for a persistent collective that was not started does not return;
/// - a wait for MPI_Isendrecv with MPI_PROC_NULL does not return; with other ranks, the status does not describe the
/// message.
bool trusts_functions_of_mpi_4() noexcept;

/// True if a function is not available for a communicator. Either the vendor does not have the function, or the communicator
/// spans clusters.
template <auto function>
bool lacks(MPI_Comm comm) noexcept {
  return vendor().*function == absent.*function || spans_clusters(comm);
}
template <auto function>
bool lacks_of_mpi_4(MPI_Comm comm) noexcept {
  return !trusts_functions_of_mpi_4() || lacks<function>(comm);
}

/// Install a fallback if the fallback may be needed.
template <auto function, class F>
void put_fallback(slots& s, F own) {
  if (vendor().*function == absent.*function || job_spans_clusters()) s.*function = own;
}
template <auto function, class F>
void put_fallback_of_mpi_4(slots& s, F own) {
  if (!trusts_functions_of_mpi_4()) s.*function = own;
  put_fallback<function>(s, own);
}

/// Retains a type or an operation. The program may free the object while a persistent request still uses the object.
class held_handles {
 public:
  held_handles() = default;
  held_handles(const held_handles&) = delete;
  held_handles& operator=(const held_handles&) = delete;
  ~held_handles();
  void hold(MPI_Datatype type);
  void hold(MPI_Op op);

 private:
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Op> operations_;
};

void install_fallbacks(slots& s) noexcept;
void install_persistent(slots& s) noexcept;
void install_large_arrays(slots& s) noexcept;
void install_send_and_receive(slots& s) noexcept;
void install_partitioned(slots& s) noexcept;
void install_inquiries(slots& s) noexcept;
void install_buffers(slots& s) noexcept;
void install_sessions(slots& s) noexcept;
void install_detours(slots& s) noexcept;

}  // namespace osteon::bridge
