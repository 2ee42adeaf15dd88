#pragma once
/// @file
/// Exchange with neighbours: everything that goes between some ranks because of how a problem is dealt out. Ghosts are
/// filled, copies are summed, boxes move to other ranks, planes go to files.
///
/// Made once from a plan (plan/exchange/neighbours.hpp, with an example), run again and again:
///
///     comm::neighbours ghosts(comm, tag, part);
///     ghosts.begin(values.data(), sizeof(float));   // nothing waits here
///     work on what needs no ghosts;
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

/// One rank's part of a plan among neighbours. Move-only. What is sent more than once has requests that persist.
class neighbours {
 public:
  neighbours();
  /// @param comm borrowed @param tag the first of a hundred that no other exchange of `comm` uses at the same time
  neighbours(MPI_Comm comm, int tag, plan::neighbour_part part);
  ~neighbours();
  neighbours(neighbours&&) noexcept;
  neighbours& operator=(neighbours&&) noexcept;

  const plan::neighbour_part& part() const;

  /// Start to send elements of `from`, each of so many bytes, and to receive. `from` may change afterwards.
  /// @collective among neighbours; nothing throws until `end`
  void begin(const void* from, std::size_t element_bytes);
  /// Wait, and put what came in its place in `to`. @collective among neighbours
  void end(void* to);
  /// Wait, and leave what came in the messages. @collective among neighbours
  void wait();
  /// What came by a message, until the next `begin`.
  std::span<const std::byte> came(std::size_t message) const;
  template <class T>
  std::span<const T> came_as(std::size_t message) const {
    const auto bytes = came(message);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// begin and end at once. T is trivially copyable.
  template <class T>
  void exchange(T* values) {
    static_assert(std::is_trivially_copyable_v<T>);
    begin(values, sizeof(T));
    end(values);
  }

  /// Combine the copies of elements: those of lower ranks, this rank's, those of higher ranks, so that all copies get the
  /// same bits. The first value of an element is taken as it is. Messages are by ascending ranks.
  /// @param own shape (elements, components)
  template <class T, class Combine>
  void combine(std::vector<T>& own, std::size_t components, int rank, Combine combine_two);

  /// Send and receive straight between the arrays, without a copy; one of whole boxes or runs. They must stay as they are
  /// meanwhile, and must not overlap. @collective among neighbours
  void move(const void* from, void* to, std::size_t element_bytes);

  /// Send all, and hand over what comes message by message in the order of the plan, so that no more than one is held.
  /// @param take must not throw @collective among neighbours
  using taker = std::function<void(std::size_t message, std::span<const std::byte> elements)>;
  void take_one_by_one(const void* from, std::size_t element_bytes, const taker& take);

  /// Count one run without sending anything: of virtual ranks that rehearse. @collective local
  void rehearse(std::size_t element_bytes) const;

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
    const T* const values = came_as<T>(i).data();
    for (std::size_t k = 0; k < messages[i].list.size(); ++k)
      add(static_cast<std::size_t>(messages[i].list[k]), values + k * components);
  }
  if (!own_added) add_own();
  own = std::move(result);
}

}  // namespace osteon::comm
