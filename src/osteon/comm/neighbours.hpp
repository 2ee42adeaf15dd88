#pragma once
/// @file
/// Persistent neighbour exchange for ghost updates, sums of shared values, redistribution of boxes, and transfer of planes
/// to writers.
///
/// Construct the object once from a plan (example in plan/exchange/neighbours.hpp), and use the object for each exchange:
///
///     comm::neighbours ghosts(comm, tag, part);
///     ghosts.begin(values.data(), sizeof(float));   // non-blocking
///     compute_interior();
///     ghosts.end(values.data());
#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <osteon/plan/exchange/neighbours.hpp>
#include <span>
#include <type_traits>
#include <vector>

namespace osteon::comm {

/// One rank's part of a neighbour plan. The class is move-only. Repeated exchanges use persistent requests.
class neighbours {
 public:
  neighbours();
  /// @param comm borrowed @param tag first of 100 consecutive tags that no concurrent exchange on `comm` uses
  neighbours(MPI_Comm comm, int tag, plan::neighbour_part part);
  ~neighbours();
  neighbours(neighbours&&) noexcept;
  neighbours& operator=(neighbours&&) noexcept;

  const plan::neighbour_part& part() const;

  /// Starts the exchange of the elements of `from`. `from` may be modified after the call returns.
  /// @collective among neighbours; `end` reports errors of the exchange
  void begin(const void* from, std::size_t element_bytes);
  /// Completes the exchange, and stores the received elements in `to`. @collective among neighbours
  void end(void* to);
  /// Completes the exchange, and does not unpack the received elements. @collective among neighbours
  void wait();
  /// Received elements of a message. The elements are valid until the next `begin`.
  std::span<const std::byte> received(std::size_t message) const;
  [[deprecated("received")]] std::span<const std::byte> came(std::size_t message) const { return received(message); }
  template <class T>
  std::span<const T> received_as(std::size_t message) const {
    const auto bytes = received(message);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Calls begin and end. T must be trivially copyable.
  template <class T>
  void exchange(T* values) {
    static_assert(std::is_trivially_copyable_v<T>);
    begin(values, sizeof(T));
    end(values);
  }

  /// Combines all copies of shared elements in ascending rank order. The results are therefore bitwise equal on all ranks.
  /// The messages of the plan must be in ascending rank order.
  /// @param own shape (elements, components)
  template <class T, class Combine>
  void combine(std::vector<T>& own, std::size_t components, int rank, Combine combine_two);

  /// Sends from `from` and receives into `to` without packing. All messages must be boxes or runs. The arrays must not
  /// overlap.
  /// @collective among neighbours
  void move(const void* from, void* to, std::size_t element_bytes);

  using taker = std::function<void(std::size_t message, std::span<const std::byte> elements)>;
  /// Exchanges elements of `from`, and passes one received message after another to `take` in the order of the plan. At most
  /// one received message is stored at a time. @param take must not throw @collective among neighbours
  void receive_one_by_one(const void* from, std::size_t element_bytes, const taker& take);

  /// Records one exchange in the message ledger. The function does not communicate. Virtual ranks use this function.
  /// @collective local
  void count_messages(std::size_t element_bytes) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

template <class T, class Combine>
void neighbours::combine(std::vector<T>& own, std::size_t components, int rank, Combine combine_two) {
  begin(own.data(), components * sizeof(T));
  wait();
  std::vector<T> result(own.size());
  std::vector<bool> has_value(own.size() / components);
  const auto add = [&](std::size_t element, const T* values) {
    T* const to = result.data() + element * components;
    for (std::size_t c = 0; c < components; ++c) to[c] = has_value[element] ? combine_two(to[c], values[c]) : values[c];
    has_value[element] = true;
  };
  const auto add_own = [&] {
    for (std::size_t e = 0; e < has_value.size(); ++e) add(e, own.data() + e * components);
  };
  bool own_added = false;
  const auto& messages = part().receives;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!own_added && messages[i].peer > rank) {
      add_own();
      own_added = true;
    }
    const T* const values = received_as<T>(i).data();
    for (std::size_t k = 0; k < messages[i].list.size(); ++k)
      add(static_cast<std::size_t>(messages[i].list[k]), values + k * components);
  }
  if (!own_added) add_own();
  own = std::move(result);
}

}  // namespace osteon::comm
