#pragma once
/// @file
/// A collective over clusters as a list of steps. Each step starts after the previous step is complete.
#include <bridge/inter_cluster/world.hpp>
#include <functional>
#include <memory>
#include <vector>

namespace osteon::bridge {

struct schedule {
  communicator* comm = nullptr;
  bool blocking = false;  ///< true: the caller waits, and blocking functions of the vendor may be used
  int tag = 0;            ///< tag of messages between clusters; the tag is negative
  int error = MPI_SUCCESS;
  std::vector<std::function<void()>> steps;
  std::size_t next = 0;
  std::vector<MPI_Request> pending;
  std::vector<std::shared_ptr<void>> kept;

  void step(std::function<void()> f) { steps.push_back(std::move(f)); }
  /// Keep an object until the collective is complete.
  template <class T>
  T* keep(T value) {
    auto owned = std::make_shared<T>(std::move(value));
    kept.push_back(owned);
    return owned.get();
  }
  /// Memory for `count` elements of a type. The address is that of a buffer of this type.
  void* temporary(MPI_Count count, MPI_Datatype type);

  /// Messages between ranks of the communicator, inside clusters or between clusters.
  void send(const void* buffer, MPI_Count count, MPI_Datatype type, int to);
  void receive(void* buffer, MPI_Count count, MPI_Datatype type, int from);

  /// A collective of the vendor inside the cluster. If the caller waits for the result, the blocking form is used.
  template <class Nonblocking, class Blocking, class... A>
  void local(Nonblocking start, Blocking run, A... arguments) {
    if (blocking && may_block()) {
      note(run(arguments..., comm->shadow));
      return;
    }
    MPI_Request r = MPI_REQUEST_NULL;
    note(start(arguments..., comm->shadow, &r));
    pending.push_back(r);
  }
  /// Advance the collective. @returns true if the collective is complete
  bool advance();

 private:
  void note(int e) {
    if (e != MPI_SUCCESS) error = e;
  }
};

/// Start the operation that `s` describes. A blocking operation is complete when the function returns.
int run(std::unique_ptr<schedule> s, MPI_Request* request);

}  // namespace osteon::bridge
