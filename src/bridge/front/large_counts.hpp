#pragma once
/// @file
/// Functions with large counts (MPI_X_c) by their twins with int counts, where the counts fit.
#include <climits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "front/front.hpp"

namespace osteon::bridge {

/// An argument of MPI_X_c as MPI_X takes it. Arrays of 64 bits are MPI_Count or MPI_Aint.
template <class To, class From>
class narrowed {
 public:
  narrowed(From value, int, bool, bool& fits) : value_(static_cast<To>(value)) {
    if constexpr (!std::is_same_v<To, From>) fits = fits && value >= INT_MIN && value <= INT_MAX;
  }
  To get() const { return value_; }

 private:
  To value_;
};
template <class Wide>
class narrowed<const int*, const Wide*> {
 public:
  narrowed(const Wide* values, int n, bool significant, bool& fits) {
    if (!values || !significant) return;
    for (int i = 0; i < n; ++i) {
      fits = fits && values[i] >= INT_MIN && values[i] <= INT_MAX;
      copy_.push_back(static_cast<int>(values[i]));
    }
  }
  const int* get() const { return copy_.empty() ? nullptr : copy_.data(); }

 private:
  std::vector<int> copy_;
};
template <>
class narrowed<const int*, const int*> {
 public:
  narrowed(const int* values, int, bool, bool&) : values_(values) {}
  const int* get() const { return values_; }

 private:
  const int* values_;
};
static_assert(sizeof(MPI_Aint) == sizeof(MPI_Count));
template <>
class narrowed<const MPI_Aint*, const MPI_Count*> {
 public:
  narrowed(const MPI_Count* values, int, bool, bool&) : values_(reinterpret_cast<const MPI_Aint*>(values)) {}
  const MPI_Aint* get() const { return values_; }

 private:
  const MPI_Aint* values_;
};

/// MPI_X_c and MPI_X.
template <auto large, auto small>
struct twin_of;
template <class... From, class... To, int (*slots::*large)(From...), int (*slots::*small)(To...)>
struct twin_of<large, small> {
  using arguments = std::tuple<From...>;

  /// @returns whether the counts fit; then the result of the call is in `result`
  template <class Significant>
  static bool call(const arguments& from, int length, Significant&& significant, int& result) {
    return call_with(from, length, significant, result, std::index_sequence_for<From...>{});
  }

 private:
  template <class Significant, std::size_t... i>
  static bool call_with(const arguments& from, int length, Significant&& significant, int& result,
                        std::index_sequence<i...>) {
    bool fits = true;
    std::tuple<narrowed<To, From>...> made{
        narrowed<To, From>(std::get<i>(from), length, significant(static_cast<int>(i)), fits)...};
    if (fits) result = (active.*small)(std::get<i>(made).get()...);
    return fits;
  }
};

/// Collectives: as many as the other side has members; of the root only, where there is one; none for MPI_IN_PLACE.
template <auto large, auto small, class... A>
bool collective_by_twin(int& result, A... a) {
  const std::tuple<A...> all{a...};
  constexpr bool reduces = (std::is_same_v<A, MPI_Op> || ...);
  constexpr bool has_root = (std::is_same_v<A, int> || ...);
  const MPI_Comm comm = std::get<MPI_Comm>(all);
  int n = 0, rank = 0, between = 0;
  active.Comm_size(comm, &n);
  active.Comm_rank(comm, &rank);
  active.Comm_test_inter(comm, &between);
  if (between && !reduces) active.Comm_remote_size(comm, &n);
  bool here = true;
  if constexpr (has_root) here = between ? std::get<int>(all) == MPI_ROOT : std::get<int>(all) == rank;
  bool in_place = false;
  if constexpr (std::is_same_v<std::tuple_element_t<0, std::tuple<A...>>, const void*>)
    in_place = !reduces && std::get<0>(all) == MPI_IN_PLACE;
  const auto significant = [&](int index) { return here && !(in_place && index < 4); };
  return twin_of<large, small>::call(all, n, significant, result);
}

}  // namespace osteon::bridge
