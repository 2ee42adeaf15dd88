#include <algorithm>
#include <array>
#include <atomic>
#include <bridge/load/extremes.hpp>
#include <cstdint>
#include <limits>
#include <mutex>
#include <type_traits>

namespace osteon::bridge {
namespace {

int (*reduce_here)(const void*, void*, int, MPI_Datatype, MPI_Op);
int (*create_operation)(MPI_User_function*, int, MPI_Op*);

template <class T, bool largest>
void combine(void* in, void* in_out, int* count, MPI_Datatype*) {
  const T* const a = static_cast<const T*>(in);
  T* const b = static_cast<T*>(in_out);
  for (int i = 0; i < *count; ++i) b[i] = largest ? std::max(a[i], b[i]) : std::min(a[i], b[i]);
}

/// Test values in both orders. If T is signed, the values have both signs. The number of values is sufficient for vector
/// instructions and a remainder.
template <class T, bool largest>
bool vendor_is_right(MPI_Datatype type, MPI_Op op) {
  std::array<T, 67> in, out, expected;
  constexpr T high = static_cast<T>(-1), half = std::numeric_limits<T>::max() / 2 + 1;
  constexpr std::array<T, 6> values{high, 1, half, 0, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = values[i % values.size()];
    out[i] = values[i / values.size() % values.size()];
    expected[i] = largest ? std::max(in[i], out[i]) : std::min(in[i], out[i]);
  }
  return reduce_here(in.data(), out.data(), static_cast<int>(in.size()), type, op) == MPI_SUCCESS && out == expected;
}

struct extreme {
  MPI_User_function* combine;
  bool (*vendor_is_right)(MPI_Datatype, MPI_Op);
};

template <class T>
constexpr std::array<extreme, 2> extremes_of{
    {{combine<T, true>, vendor_is_right<T, true>}, {combine<T, false>, vendor_is_right<T, false>}}};

/// An integer type of the standard, and the operations for its maximum and its minimum. Until the first use, the operations
/// are null.
struct integer_type {
  MPI_Datatype type;
  std::array<extreme, 2> own;
  std::array<std::atomic<MPI_Op>, 2> use{};
};

/// The variable is local to a function, because MPI may be called before this file is initialised dynamically.
auto& integer_types() {
  static std::array types{integer_type{MPI_UINT8_T, extremes_of<std::uint8_t>},
                          integer_type{MPI_UINT16_T, extremes_of<std::uint16_t>},
                          integer_type{MPI_UINT32_T, extremes_of<std::uint32_t>},
                          integer_type{MPI_UINT64_T, extremes_of<std::uint64_t>},
                          integer_type{MPI_UNSIGNED_CHAR, extremes_of<unsigned char>},
                          integer_type{MPI_UNSIGNED_SHORT, extremes_of<unsigned short>},
                          integer_type{MPI_UNSIGNED, extremes_of<unsigned>},
                          integer_type{MPI_UNSIGNED_LONG, extremes_of<unsigned long>},
                          integer_type{MPI_UNSIGNED_LONG_LONG, extremes_of<unsigned long long>},
                          integer_type{MPI_INT8_T, extremes_of<std::int8_t>},
                          integer_type{MPI_INT16_T, extremes_of<std::int16_t>},
                          integer_type{MPI_INT32_T, extremes_of<std::int32_t>},
                          integer_type{MPI_INT64_T, extremes_of<std::int64_t>},
                          integer_type{MPI_SIGNED_CHAR, extremes_of<signed char>},
                          integer_type{MPI_SHORT, extremes_of<short>},
                          integer_type{MPI_INT, extremes_of<int>},
                          integer_type{MPI_LONG, extremes_of<long>},
                          integer_type{MPI_LONG_LONG, extremes_of<long long>},
                          integer_type{MPI_AINT, extremes_of<MPI_Aint>},
                          integer_type{MPI_COUNT, extremes_of<MPI_Count>},
                          integer_type{MPI_OFFSET, extremes_of<MPI_Offset>}};
  return types;
}

/// The operation of the vendor if this operation is correct. Otherwise, the result is an operation of the bridge.
MPI_Op choose(integer_type& of, MPI_Op op, std::size_t which) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  MPI_Op use = of.use[which];
  if (use) return use;
  use = op;
  const extreme& own = of.own[which];
  if (!own.vendor_is_right(of.type, op) && create_operation(own.combine, 1, &use) != MPI_SUCCESS) return op;
  of.use[which] = use;
  return use;
}

MPI_Op corrected(MPI_Op op, MPI_Datatype type) {
  if (op != MPI_MAX && op != MPI_MIN) return op;
  auto& types = integer_types();
  const auto of = std::find_if(types.begin(), types.end(), [&](const integer_type& t) { return t.type == type; });
  if (of == types.end()) return op;
  const std::size_t which = op == MPI_MAX ? 0 : 1;
  const MPI_Op use = of->use[which];
  return use ? use : choose(*of, op, which);
}

/// A function of the vendor with one datatype and one operation.
template <auto function>
struct detour;

template <class... A, int (*slots::*function)(A...)>
struct detour<function> {
  static inline int (*below)(A...) = nullptr;

  static int call(A... a) {
    MPI_Op* op = nullptr;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    (note(a, op, type), ...);
    *op = corrected(*op, type);
    return below(a...);
  }

  static void put(slots& vendor) {
    if (vendor.*function == absent.*function) return;
    below = vendor.*function;
    vendor.*function = call;
  }

 private:
  template <class T>
  static void note(T& argument, MPI_Op*& op, MPI_Datatype& type) {
    if constexpr (std::is_same_v<T, MPI_Op>) op = &argument;
    if constexpr (std::is_same_v<T, MPI_Datatype>) type = argument;
  }
};

template <auto... functions>
void put(slots& vendor) {
  (detour<functions>::put(vendor), ...);
}

}  // namespace

void correct_extremes(slots& vendor) noexcept {
  reduce_here = vendor.Reduce_local;
  create_operation = vendor.Op_create;
  put<&slots::Reduce_local, &slots::Reduce_local_c>(vendor);
#define OSTEON_REDUCTION(name, small)                                                                                      \
  put<&slots::name, &slots::name##_c, &slots::I##small, &slots::I##small##_c, &slots::name##_init, &slots::name##_init_c>( \
      vendor)
  OSTEON_REDUCTION(Allreduce, allreduce);
  OSTEON_REDUCTION(Reduce, reduce);
  OSTEON_REDUCTION(Reduce_scatter, reduce_scatter);
  OSTEON_REDUCTION(Reduce_scatter_block, reduce_scatter_block);
  OSTEON_REDUCTION(Scan, scan);
  OSTEON_REDUCTION(Exscan, exscan);
#undef OSTEON_REDUCTION
}

}  // namespace osteon::bridge
