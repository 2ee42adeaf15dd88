#include <bridge/inter_cluster/data.hpp>

#include <algorithm>
#include <array>
#include <bridge/inter_cluster/external32.hpp>
#include <bridge/inter_cluster/world.hpp>
#include <utility>

namespace osteon::bridge {
namespace {

constexpr std::size_t most_predefined = 4096;  // upper limit of predefined handles
bool is_predefined(MPI_Datatype type) { return reinterpret_cast<std::uintptr_t>(type) < most_predefined; }

/// A derived type, decomposed by one level.
struct contents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Count> counts;  ///< counts of a type that was created by a function with large counts
  std::vector<MPI_Datatype> types;

  explicit contents(MPI_Datatype type) {
    if (is_predefined(type)) return;
    MPI_Count n_integers = 0, n_addresses = 0, n_counts = 0, n_types = 0;
    vendor().Type_get_envelope_c(type, &n_integers, &n_addresses, &n_counts, &n_types, &combiner);
    if (combiner == MPI_COMBINER_NAMED || n_types == 0) return;
    integers.resize(static_cast<std::size_t>(n_integers) + 1);
    counts.resize(static_cast<std::size_t>(n_counts));
    types.resize(static_cast<std::size_t>(n_types));
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(n_addresses) + 1);
    vendor().Type_get_contents_c(type, n_integers, n_addresses, n_counts, n_types, integers.data(), addresses.data(),
                                 counts.data(), types.data());
  }
  ~contents() {
    for (MPI_Datatype& t : types)
      if (contents(t).combiner != MPI_COMBINER_NAMED) vendor().Type_free(&t);
  }
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;
};

MPI_Count size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  vendor().Type_size_x(type, &size);
  return size;
}

bool in_one_piece(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  vendor().Type_get_extent(type, &lower, &extent);
  vendor().Type_get_true_extent(type, &true_lower, &true_extent);
  if (lower != 0 || true_lower != 0 || extent != true_extent || extent != size_of(type)) return false;
  const contents parts(type);
  if (parts.types.empty()) return parts.combiner == MPI_COMBINER_NAMED;
  const bool keeps_order = parts.combiner == MPI_COMBINER_CONTIGUOUS || parts.combiner == MPI_COMBINER_DUP ||
                           parts.combiner == MPI_COMBINER_RESIZED;
  return keeps_order && in_one_piece(parts.types.front());
}

/// A buffer and its type. The address of the first byte replaces MPI_BOTTOM, because MPICH 4 packs no data from address
/// zero.
class placed {
 public:
  placed(const void* buffer, MPI_Datatype type) : buffer_(const_cast<void*>(buffer)), type_(type) {
    if (buffer_ != MPI_BOTTOM) return;
    MPI_Aint first = 0, extent = 0;
    vendor().Type_get_true_extent(type, &first, &extent);
    const int one = 1;
    const MPI_Aint back = -first;
    vendor().Type_create_hindexed(1, &one, &back, type, &moved_);
    vendor().Type_commit(&moved_);
    type_ = moved_;
    buffer_ = reinterpret_cast<void*>(first);
  }
  placed(const placed&) = delete;
  placed& operator=(const placed&) = delete;
  ~placed() {
    if (moved_ != MPI_DATATYPE_NULL) vendor().Type_free(&moved_);
  }
  void* buffer() const { return buffer_; }
  MPI_Datatype type() const { return type_; }

 private:
  void* buffer_;
  MPI_Datatype type_, moved_ = MPI_DATATYPE_NULL;
};

/// Predefined types of several numbers.
signature signature_of_basic(MPI_Datatype type) {
  struct compound {
    MPI_Datatype whole, first, second;
  };
  static const std::array<compound, 20> compounds{{{MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
                                                   {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
                                                   {MPI_LONG_INT, MPI_LONG, MPI_INT},
                                                   {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
                                                   {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
                                                   {MPI_2INT, MPI_INT, MPI_INT},
                                                   {MPI_2REAL, MPI_REAL, MPI_REAL},
                                                   {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
                                                   {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER},
                                                   {MPI_C_FLOAT_COMPLEX, MPI_FLOAT, MPI_FLOAT},
                                                   {MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE, MPI_DOUBLE},
                                                   {MPI_C_LONG_DOUBLE_COMPLEX, MPI_LONG_DOUBLE, MPI_LONG_DOUBLE},
                                                   {MPI_CXX_FLOAT_COMPLEX, MPI_FLOAT, MPI_FLOAT},
                                                   {MPI_CXX_DOUBLE_COMPLEX, MPI_DOUBLE, MPI_DOUBLE},
                                                   {MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_LONG_DOUBLE, MPI_LONG_DOUBLE},
                                                   {MPI_COMPLEX, MPI_REAL, MPI_REAL},
                                                   {MPI_DOUBLE_COMPLEX, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
                                                   {MPI_COMPLEX8, MPI_REAL4, MPI_REAL4},
                                                   {MPI_COMPLEX16, MPI_REAL8, MPI_REAL8},
                                                   {MPI_COMPLEX32, MPI_REAL16, MPI_REAL16}}};
  const auto number = [](MPI_Datatype t) {
    return run_of_numbers{1, static_cast<std::size_t>(size_of(t)), t == MPI_LONG_DOUBLE};
  };
  signature s;
  const auto found = std::find_if(compounds.begin(), compounds.end(), [&](const compound& c) { return c.whole == type; });
  if (found == compounds.end()) {
    append(s, number(type));
  } else {
    append(s, number(found->first));
    append(s, number(found->second));
  }
  return s;
}

signature signature_of(MPI_Datatype type) {
  const contents parts(type);
  if (parts.combiner == MPI_COMBINER_F90_COMPLEX) return {{2, static_cast<std::size_t>(size_of(type)) / 2}};
  if (parts.types.empty()) return signature_of_basic(type);
  signature s;
  const auto add = [&](MPI_Datatype inner, MPI_Count times) {
    const signature one = signature_of(inner);
    if (one.size() == 1) return append(s, {one[0].count * static_cast<std::size_t>(times), one[0].bytes, one[0].quad});
    for (MPI_Count i = 0; i < times; ++i)
      for (const run_of_numbers& run : one) append(s, run);
  };
  if (parts.combiner == MPI_COMBINER_STRUCT) {
    for (std::size_t i = 0; i < parts.types.size(); ++i)
      add(parts.types[i], parts.counts.empty() ? parts.integers[i + 1] : parts.counts[i + 1]);
  } else if (const MPI_Count inner = size_of(parts.types.front()); inner > 0) {
    add(parts.types.front(), size_of(type) / inner);  // all other constructors repeat one type at any displacements
  }
  return s;
}

}  // namespace

layout layout_of(MPI_Count count, MPI_Datatype type) noexcept {
  // For predefined types, the result is stored. When a remote message arrives, the functions of the vendor are not in the
  // caches of the processor.
  struct predefined {
    int bytes;
    bool known, in_one_piece;
  };
  static std::array<predefined, most_predefined> kept{};
  if (is_predefined(type)) {
    predefined& p = kept[reinterpret_cast<std::uintptr_t>(type)];
    if (!p.known) p = {static_cast<int>(size_of(type)), true, in_one_piece(type)};
    const MPI_Count bytes = count * p.bytes;
    return {static_cast<std::size_t>(bytes), bytes == 0 || p.in_one_piece};
  }
  const MPI_Count bytes = count * size_of(type);
  return {static_cast<std::size_t>(bytes), bytes == 0 || in_one_piece(type)};
}

layout layout_of_message(MPI_Count count, MPI_Datatype type) noexcept {
  if (!world().external32) return layout_of(count, type);
  const std::size_t bytes = static_cast<std::size_t>(count) * bytes_outside(signature_of(type));
  return {bytes, bytes == 0};
}

std::vector<std::byte> pack(const void* buffer, MPI_Count count, MPI_Datatype type) noexcept {
  std::vector<std::byte> to(static_cast<std::size_t>(count * size_of(type)));
  if (to.size() > static_cast<std::size_t>(INT32_MAX))
    fatal("cannot pack a message of more than 2 GiB of a datatype with gaps");
  if (to.empty()) return to;  // even for empty data, Open MPI does not accept null pointers
  const placed from(buffer, type);
  int position = 0;
  vendor().Pack(from.buffer(), static_cast<int>(count), from.type(), to.data(), static_cast<int>(to.size()), &position,
                MPI_COMM_SELF);
  return to;
}

void unpack(const std::byte* from, std::size_t bytes, void* buffer, MPI_Count count, MPI_Datatype type) noexcept {
  const auto whole = std::min<MPI_Count>(count, static_cast<MPI_Count>(bytes) / std::max<MPI_Count>(size_of(type), 1));
  if (whole == 0) return;
  const placed to(buffer, type);
  int position = 0;
  vendor().Unpack(from, static_cast<int>(bytes), &position, to.buffer(), static_cast<int>(whole), to.type(), MPI_COMM_SELF);
}

std::vector<std::byte> pack_message(const void* buffer, MPI_Count count, MPI_Datatype type) noexcept {
  std::vector<std::byte> native = pack(buffer, count, type);
  if (!world().external32) return native;
  const signature s = signature_of(type);
  std::vector<std::byte> to(static_cast<std::size_t>(count) * bytes_outside(s));
  encode(s, static_cast<std::size_t>(count), native.data(), to.data());
  return to;
}

std::size_t unpack_message(const std::byte* from, std::size_t bytes, void* buffer, MPI_Count count,
                           MPI_Datatype type) noexcept {
  if (!world().external32) {
    unpack(from, bytes, buffer, count, type);
    return bytes;
  }
  const signature s = signature_of(type);
  const std::size_t whole = std::min(static_cast<std::size_t>(count), bytes / std::max<std::size_t>(bytes_outside(s), 1));
  std::vector<std::byte> native(whole * bytes_here(s));
  decode(s, whole, from, native.data());
  unpack(native.data(), native.size(), buffer, count, type);
  return native.size();
}

kept_type::kept_type(MPI_Datatype type) noexcept : type_(type) {
  if (is_predefined(type)) return;
  // MPI_Type_dup is not used, because MPI_Type_dup calls the attribute callbacks of the program
  vendor().Type_contiguous(1, type, &type_);
  vendor().Type_commit(&type_);
}

kept_type::kept_type(kept_type&& other) noexcept : type_(std::exchange(other.type_, MPI_BYTE)) {}

kept_type& kept_type::operator=(kept_type&& other) noexcept {
  std::swap(type_, other.type_);
  return *this;
}

kept_type::~kept_type() {
  if (!is_predefined(type_)) vendor().Type_free(&type_);
}

typed_memory memory_for(MPI_Count count, MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  vendor().Type_get_extent(type, &lower, &extent);
  vendor().Type_get_true_extent(type, &true_lower, &true_extent);
  const MPI_Aint step = extent < 0 ? -extent : extent;
  const auto bytes = static_cast<std::size_t>(true_extent + step * std::max<MPI_Count>(count - 1, 0));
  typed_memory memory{std::vector<std::byte>(std::max<std::size_t>(bytes, 1)), nullptr};
  memory.address = memory.bytes.data() + (extent < 0 ? step * (count - 1) : 0) - true_lower;
  return memory;
}

}  // namespace osteon::bridge
