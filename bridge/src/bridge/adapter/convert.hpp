#pragma once
/// @file
/// Conversion of values between the standard ABI and a vendor. The mpi.h of the vendor is included before this header.
///
/// A handle below 4096 is predefined, and a table converts the handle. Any other handle is the handle of the vendor. This
/// handle is a pointer or an integer. A message therefore needs only one comparison per handle. Functions `_in` convert to
/// values of the vendor, and functions `_out` convert to values of the standard. All functions have internal linkage,
/// because an adapter consists of one translation unit.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <type_traits>
#include <vector>

#include "codes.hpp"

namespace {

using abi_handle = std::uintptr_t;

struct abi_status {
  int source;
  int tag;
  int error;
  int internal[5];
};
static_assert(sizeof(MPI_Status) <= sizeof(abi_status));
static_assert(MPI_UNDEFINED == -32766 && MPI_SUCCESS == 0, "these are passed on unchanged");
static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Offset) == 8 && sizeof(MPI_Count) == 8);

enum class handle { Comm, Group, Datatype, Op, Request, Win, File, Info, Errhandler, Message, Session, count };

constexpr int err_value_too_large = 59;
constexpr int t_err_not_supported = 1004;

template <class V>
std::uintptr_t raw(V v) {
  if constexpr (std::is_pointer_v<V>)
    return reinterpret_cast<std::uintptr_t>(v);
  else
    return static_cast<std::uint32_t>(v);
}

template <class V>
V cooked(std::uintptr_t v) {
  if constexpr (std::is_pointer_v<V>)
    return reinterpret_cast<V>(v);
  else
    return static_cast<V>(v);
}

struct predefined_handle {
  std::uintptr_t vendor;
  abi_handle abi;
};

std::uintptr_t vendor_of[4096];
std::vector<predefined_handle> abi_of[static_cast<int>(handle::count)];
std::uintptr_t null_request;

void predefine(handle kind, abi_handle abi, std::uintptr_t vendor) {
  vendor_of[abi] = vendor;
  auto& list = abi_of[static_cast<int>(kind)];
  // If two predefined names mean one object of the vendor, the conversion back yields the first name. For example,
  // MPI_C_BOOL and MPI_CXX_BOOL may mean one object. MPI_LONG_LONG and MPI_INT64_T always mean different objects.
  if (std::none_of(list.begin(), list.end(), [&](const auto& e) { return e.vendor == vendor; }))
    list.push_back({vendor, abi});
}

template <class V>
V in(abi_handle h) {
  return cooked<V>(h < 4096 ? vendor_of[h] : h);
}

template <handle kind, class V>
abi_handle out(V v) {
  const std::uintptr_t value = raw(v);
  if constexpr (kind == handle::Request) return value == null_request ? 0x180 : value;
  for (const auto& e : abi_of[static_cast<int>(kind)])
    if (e.vendor == value) return e.abi;
  return value;
}

/// Memory for n values. For small n, the memory is on the stack.
template <class T>
class room {
 public:
  explicit room(std::ptrdiff_t n) : size_(n > 0 ? n : 0) {
    if (size_ > inline_size) heap_ = std::make_unique<T[]>(static_cast<std::size_t>(size_));
  }
  T* data() { return heap_ ? heap_.get() : inline_; }
  std::ptrdiff_t size() const { return size_; }

 private:
  static constexpr std::ptrdiff_t inline_size = 32;
  std::ptrdiff_t size_;
  std::unique_ptr<T[]> heap_;
  T inline_[inline_size];
};

template <class V>
class handles : public room<V> {
 public:
  handles(const abi_handle* from, std::ptrdiff_t n) : room<V>(n) {
    for (std::ptrdiff_t i = 0; i < this->size(); ++i) this->data()[i] = in<V>(from[i]);
  }
  template <handle kind>
  void write_back(abi_handle* to) {
    for (std::ptrdiff_t i = 0; i < this->size(); ++i) to[i] = out<kind>(this->data()[i]);
  }
};

/// Permanent copies of converted handles. These copies are for operations that read the handles after the call has returned.
/// Equal lists use the same copy. Repeated calls in a loop therefore need no additional memory.
template <class V>
const V* kept(const abi_handle* from, std::ptrdiff_t n) {
  static std::set<std::vector<V>> lists;
  std::vector<V> list(static_cast<std::size_t>(std::max<std::ptrdiff_t>(n, 0)));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = in<V>(from[i]);
  return lists.insert(std::move(list)).first->data();
}

class integers : public room<int> {
 public:
  integers(const int* from, int n, int (*convert)(int)) : room<int>(n) {
    for (int i = 0; i < n; ++i) data()[i] = convert(from[i]);
  }
};

int rank_in(int r) {
  if (r >= 0) [[likely]]
    return r;
  return r == -1 ? MPI_ANY_SOURCE : r == -3 ? MPI_PROC_NULL : r == -4 ? MPI_ROOT : r;
}

int rank_out(int r) {
  if (r >= 0) [[likely]]
    return r;
  return r == MPI_PROC_NULL ? -3 : r == MPI_ANY_SOURCE ? -1 : r == MPI_ROOT ? -4 : r;
}

int tag_in(int tag) { return tag == -2 ? MPI_ANY_TAG : tag; }
int tag_out(int tag) { return tag == MPI_ANY_TAG ? -2 : tag; }

const void* buf_in(const void* p) { return p == reinterpret_cast<void*>(1) ? MPI_IN_PLACE : p; }
void* buf_in(void* p) { return p == reinterpret_cast<void*>(1) ? MPI_IN_PLACE : p; }
const void* const in_place = reinterpret_cast<void*>(1);

const int* weights_in(const int* p) {
  if (p == reinterpret_cast<int*>(10)) return MPI_UNWEIGHTED;
  return p == reinterpret_cast<int*>(11) ? MPI_WEIGHTS_EMPTY : p;
}

MPI_Offset displacement_in(MPI_Offset d) { return d == -1 ? MPI_DISPLACEMENT_CURRENT : d; }

/// The standard reserves five members of a status for the library. These members contain the other members of the vendor's
/// status.
MPI_Status status_in(const abi_status& from) {
  MPI_Status to;
#ifdef OPEN_MPI
  std::memcpy(&to._cancelled, from.internal, sizeof(int));
  std::memcpy(&to._ucount, from.internal + 1, sizeof(std::size_t));
#else
  to.count_lo = from.internal[0];
  to.count_hi_and_cancelled = from.internal[1];
#endif
  to.MPI_SOURCE = rank_in(from.source);
  to.MPI_TAG = tag_in(from.tag);
  to.MPI_ERROR = MPI_SUCCESS;
  return to;
}

/// The function does not change MPI_ERROR, because only functions that complete several requests set MPI_ERROR.
void status_out(const MPI_Status& from, abi_status* to) {
  to->source = rank_out(from.MPI_SOURCE);
  to->tag = tag_out(from.MPI_TAG);
#ifdef OPEN_MPI
  std::memcpy(to->internal, &from._cancelled, sizeof(int));
  std::memcpy(to->internal + 1, &from._ucount, sizeof(std::size_t));
#else
  to->internal[0] = from.count_lo;
  to->internal[1] = from.count_hi_and_cancelled;
#endif
}

class statuses {
 public:
  statuses(const abi_status* to, int n) : room_(to ? n : 0), wanted_(to != nullptr) {
    for (std::ptrdiff_t i = 0; i < room_.size(); ++i) room_.data()[i].MPI_ERROR = untouched;
  }
  MPI_Status* data() { return wanted_ ? room_.data() : MPI_STATUSES_IGNORE; }
  void write_back(abi_status* to) { write(to, room_.size()); }
  void write_back(abi_status* to, const int* done) { write(to, *done == MPI_UNDEFINED ? 0 : *done); }

 private:
  void write(abi_status* to, std::ptrdiff_t n) {
    if (!wanted_) return;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      status_out(room_.data()[i], to + i);
      if (room_.data()[i].MPI_ERROR != untouched) to[i].error = code_out(room_.data()[i].MPI_ERROR);
    }
  }
  static constexpr int untouched = INT_MIN;  // vendors set the errors of several requests only after an error
  room<MPI_Status> room_;
  bool wanted_;
};

bool between_groups(MPI_Comm comm) {
  int flag = 0;
  MPI_Comm_test_inter(comm, &flag);
  return flag != 0;
}

int peers_to(abi_handle comm) {
  const MPI_Comm c = in<MPI_Comm>(comm);
  int n = 0;
  if (between_groups(c))
    MPI_Comm_remote_size(c, &n);
  else
    MPI_Comm_size(c, &n);
  return n;
}
int peers_from(abi_handle comm) { return peers_to(comm); }

int neighbors(abi_handle comm, bool from) {
  const MPI_Comm c = in<MPI_Comm>(comm);
  int kind = MPI_UNDEFINED, n = 0, rank = 0;
  MPI_Topo_test(c, &kind);
  if (kind == MPI_CART) {
    MPI_Cartdim_get(c, &n);
    return 2 * n;
  }
  if (kind == MPI_GRAPH) {
    MPI_Comm_rank(c, &rank);
    MPI_Graph_neighbors_count(c, rank, &n);
    return n;
  }
  int sources = 0, destinations = 0, weighted = 0;
  if (kind == MPI_DIST_GRAPH) MPI_Dist_graph_neighbors_count(c, &sources, &destinations, &weighted);
  return from ? sources : destinations;
}
int neighbors_to(abi_handle comm) { return neighbors(comm, false); }
int neighbors_from(abi_handle comm) { return neighbors(comm, true); }

MPI_T_enum t_enum(MPI_T_enum e) { return e; }
MPI_T_enum* t_enum_out(MPI_T_enum* e) { return e; }
MPI_T_cvar_handle t_cvar_handle(MPI_T_cvar_handle h) { return h; }
MPI_T_cvar_handle* t_cvar_handle_out(MPI_T_cvar_handle* h) { return h; }
MPI_T_pvar_handle t_pvar_handle(MPI_T_pvar_handle h) { return raw(h) == 1 ? MPI_T_PVAR_ALL_HANDLES : h; }
MPI_T_pvar_handle* t_pvar_handle_out(MPI_T_pvar_handle* h) { return h; }
MPI_T_pvar_session t_pvar_session(MPI_T_pvar_session s) { return s; }
MPI_T_pvar_session* t_pvar_session_out(MPI_T_pvar_session* s) { return s; }

}  // namespace
