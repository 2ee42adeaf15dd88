#pragma once
/// @file
/// Run a communication plan over MPI messages.
#include <cstddef>
#include <functional>
#include <osteon/comm/communicator.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::comm {

/// Under which a ledger counts the plan.
std::string counted_name(const plan::plan& what, std::size_t element_size);
/// Count one run of a plan without sending anything: of virtual ranks. @collective local
void rehearse(MPI_Comm comm, const plan::plan& what, std::size_t element_size);

/// One rank's part of a plan, with everything it needs to be run again and again: messages, buffers, a communicator.
class executor {
 public:
  /// Blend `count` received elements with the own ones, in place. `received_in_front`: they hide the own ones.
  using blend = std::function<void(std::byte* own, const std::byte* received, std::int64_t count, bool received_in_front)>;

  /// Plan the buffers.
  /// @param element_size bytes of an element
  /// @throws usage_error if the plan is for another number of ranks, or a message exceeds 2^31 - 1 elements
  /// @collective on comm, which is duplicated
  static executor make(MPI_Comm comm, const plan::plan& what, std::size_t element_size);

  /// Run the plan on `object`, shape (elements) of `element_size` bytes. All messages of a round are under way at
  /// once; elements are put in place or blended in the order of the round's receives.
  /// @throws usage_error if `object` has another size
  /// @collective on the communicator given to `make`
  void run_bytes(std::span<std::byte> object, const blend& over);

  /// The same for elements of type Pixel; `over(Pixel* own, const Pixel* received, count, received_in_front)`.
  template <class Pixel, class Over>
  void run(std::span<Pixel> object, Over over) {
    run_bytes(std::as_writable_bytes(object),
              [&](std::byte* own, const std::byte* received, std::int64_t count, bool in_front) {
                over(reinterpret_cast<Pixel*>(own), reinterpret_cast<const Pixel*>(received), count, in_front);
              });
  }

  /// The elements whose final value this rank holds after a run.
  const std::vector<plan::span>& result() const { return result_; }

 private:
  struct arrival {
    plan::message message;
    std::int64_t slot;  ///< first element in the staging buffer, or -1 if it is received in place
  };
  struct round {
    std::vector<plan::message> sends;
    std::vector<arrival> arrivals;
  };

  executor() = default;

  communicator comm_;
  std::string name_;
  std::size_t element_size_ = 0;
  std::int64_t elements_ = 0;
  std::vector<plan::span> result_;
  std::vector<round> rounds_;
  std::vector<std::byte> staging_;
  std::vector<MPI_Request> requests_;
};

}  // namespace osteon::comm
