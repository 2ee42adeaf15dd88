#pragma once
/// @file
/// Functions with large counts (MPI_X_c). If the counts fit into int, the functions with int counts (MPI_X) implement these
/// functions.
#include <bridge/front/front.hpp>
#include <climits>
#include <tuple>
#include <type_traits>
#include <vector>

namespace osteon::bridge {

/// An argument of MPI_X_c that is converted for MPI_X. Arrays of 64-bit integers have the type MPI_Count or MPI_Aint. The
/// first n elements are significant.
template <class To, class From>
class narrowed {
 public:
  narrowed(From value, int, bool& fits) : value_(static_cast<To>(value)) {
    if constexpr (!std::is_same_v<To, From>) fits = fits && value >= INT_MIN && value <= INT_MAX;
  }
  To get() const { return value_; }

 private:
  To value_;
};
template <class Wide>
class narrowed<const int*, const Wide*> {
 public:
  narrowed(const Wide* values, int n, bool& fits) : null_(!values) {
    copy_.reserve(1);  // even without elements, data() must not be null
    for (int i = 0; values && i < n; ++i) {
      fits = fits && values[i] >= INT_MIN && values[i] <= INT_MAX;
      copy_.push_back(static_cast<int>(values[i]));
    }
  }
  const int* get() const { return null_ ? nullptr : copy_.data(); }

 private:
  bool null_;
  std::vector<int> copy_;
};
template <>
class narrowed<const int*, const int*> {
 public:
  narrowed(const int* values, int, bool&) : values_(values) {}
  const int* get() const { return values_; }

 private:
  const int* values_;
};
static_assert(sizeof(MPI_Aint) == sizeof(MPI_Count));
template <>
class narrowed<const MPI_Aint*, const MPI_Count*> {
 public:
  narrowed(const MPI_Count* values, int, bool&) : values_(reinterpret_cast<const MPI_Aint*>(values)) {}
  const MPI_Aint* get() const { return values_; }

 private:
  const MPI_Aint* values_;
};

/// The pair of functions MPI_X_c and MPI_X.
template <auto large, auto small>
struct twin_of;
template <class... From, class... To, int (*slots::*large)(From...), int (*slots::*small)(To...)>
struct twin_of<large, small> {
  using arguments = std::tuple<From...>;
  using narrow_arguments = std::tuple<narrowed<To, From>...>;

  /// @param length number of significant elements of an array argument, for the index of the argument
  template <class Length>
  static narrow_arguments narrow(const arguments& from, Length&& length, bool& fits) {
    return narrow_each(from, length, fits, std::index_sequence_for<From...>{});
  }
  static int call(const narrow_arguments& with) { return call_with(with, std::index_sequence_for<From...>{}); }

  /// @returns true if the counts fit; `result` is then the result of the call
  template <class Length>
  static bool call(const arguments& from, Length&& length, int& result) {
    bool fits = true;
    const narrow_arguments with = narrow(from, length, fits);
    if (fits) result = call(with);
    return fits;
  }

 private:
  template <class Length, std::size_t... i>
  static narrow_arguments narrow_each(const arguments& from, Length&& length, bool& fits, std::index_sequence<i...>) {
    return narrow_arguments{narrowed<To, From>(std::get<i>(from), length(static_cast<int>(i)), fits)...};
  }
  template <std::size_t... i>
  static int call_with(const narrow_arguments& with, std::index_sequence<i...>) {
    return (active.*small)(std::get<i>(with).get()...);
  }
};

template <class... A>
constexpr std::size_t comm_among() {
  constexpr bool is_comm[] = {std::is_same_v<A, MPI_Comm>...};
  std::size_t i = 0;
  while (!is_comm[i]) ++i;
  return i;
}

/// Number of significant elements of an array argument of a collective, for the index of the argument. The result is the
/// number of members on the other side. In a collective with a root, elements are significant only at the root. For
/// MPI_IN_PLACE, the result is 0.
template <class... A>
class collective_lengths {
 public:
  explicit collective_lengths(const std::tuple<A...>& all) {
    constexpr bool reduces = (std::is_same_v<A, MPI_Op> || ...);
    using list = std::tuple<A...>;
    constexpr std::size_t at = comm_among<A...>();  // the root precedes the communicator
    const MPI_Comm comm = std::get<MPI_Comm>(all);
    int rank = 0, inter = 0;
    active.Comm_size(comm, &n_);
    active.Comm_rank(comm, &rank);
    active.Comm_test_inter(comm, &inter);
    if (inter && !reduces) active.Comm_remote_size(comm, &n_);
    if constexpr (at > 0)
      if constexpr (std::is_same_v<std::tuple_element_t<at - 1, list>, int>)
        if (std::get<at - 1>(all) != (inter ? MPI_ROOT : rank)) n_ = 0;
    if constexpr (std::is_same_v<std::tuple_element_t<0, list>, const void*>)
      in_place_ = !reduces && std::get<0>(all) == MPI_IN_PLACE;
  }
  int operator()(int index) const { return in_place_ && index < 4 ? 0 : n_; }

 private:
  int n_ = 0;
  bool in_place_ = false;
};

/// Number of significant elements in neighbourhood collectives. For sent data, the result is the number of destinations. For
/// received data, the result is the number of sources.
template <class... A>
class neighbor_lengths {
 public:
  explicit neighbor_lengths(const std::tuple<A...>& all) {
    const MPI_Comm comm = std::get<MPI_Comm>(all);
    int kind = MPI_UNDEFINED, rank = 0, weighted = 0;
    active.Topo_test(comm, &kind);
    active.Comm_rank(comm, &rank);
    if (kind == MPI_CART && active.Cartdim_get(comm, &to_) == MPI_SUCCESS) to_ = from_ = 2 * to_;
    if (kind == MPI_GRAPH && active.Graph_neighbors_count(comm, rank, &to_) == MPI_SUCCESS) from_ = to_;
    if (kind == MPI_DIST_GRAPH) active.Dist_graph_neighbors_count(comm, &from_, &to_, &weighted);
  }
  int operator()(int index) const { return index < 4 ? to_ : from_; }

 private:
  int to_ = 0, from_ = 0;
};

template <auto large, auto small, class... A>
bool collective_by_twin(int& result, A... a) {
  const std::tuple<A...> all{a...};
  return twin_of<large, small>::call(all, collective_lengths<A...>(all), result);
}

}  // namespace osteon::bridge
