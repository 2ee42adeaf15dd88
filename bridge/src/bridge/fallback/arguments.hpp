#pragma once
/// @file
/// Arguments of a collective that are still needed after the call has returned.
#include <bridge/fallback/composite_requests.hpp>
#include <bridge/front/large_counts.hpp>

namespace osteon::bridge {

/// Arrays are copied. Types and operations are retained.
template <class T>
class kept_argument {
 public:
  kept_argument(T value, int, held_handles& held) : value_(value) {
    if constexpr (std::is_same_v<T, MPI_Datatype> || std::is_same_v<T, MPI_Op>) held.hold(value);
  }
  T get() const { return value_; }

 private:
  T value_;
};
template <class T>
class kept_array {
 public:
  kept_array(const T* values, int n, held_handles& held) : null_(!values) {
    copy_.reserve(1);
    if (values) copy_.assign(values, values + n);
    if constexpr (std::is_same_v<T, MPI_Datatype>)
      for (const T t : copy_) held.hold(t);
  }
  const T* get() const { return null_ ? nullptr : copy_.data(); }

 private:
  bool null_;
  std::vector<T> copy_;
};
template <>
struct kept_argument<const int*> : kept_array<int> {
  using kept_array::kept_array;
};
template <>
struct kept_argument<const MPI_Count*> : kept_array<MPI_Count> {
  using kept_array::kept_array;
};
template <>
struct kept_argument<const MPI_Datatype*> : kept_array<MPI_Datatype> {
  using kept_array::kept_array;
};

/// All arguments of a call.
template <class... A>
class kept_arguments {
 public:
  template <class Length>
  kept_arguments(const std::tuple<A...>& given, const Length& length)
      : kept_arguments(given, length, std::index_sequence_for<A...>{}) {}

  /// Call f(arguments..., more...).
  template <class F, class... More>
  int call(F f, More... more) const {
    return std::apply([&](const auto&... each) { return f(each.get()..., more...); }, arguments_);
  }

 private:
  template <class Length, std::size_t... i>
  kept_arguments(const std::tuple<A...>& given, const Length& length, std::index_sequence<i...>)
      : arguments_{kept_argument<A>(std::get<i>(given), length(static_cast<int>(i)), held_)...} {}

  held_handles held_;
  std::tuple<kept_argument<A>...> arguments_;
};

template <bool among_neighbors, class... A>
using array_lengths = std::conditional_t<among_neighbors, neighbor_lengths<A...>, collective_lengths<A...>>;

}  // namespace osteon::bridge
