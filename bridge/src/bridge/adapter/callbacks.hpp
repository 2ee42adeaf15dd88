#pragma once
/// @file
/// Functions of the program that the vendor calls. Such functions are used for reductions, error handlers, attributes and
/// generalised requests.
///
/// If MPI passes a state to the callback, this state contains the function of the program. Reductions and error handlers
/// have no state. Each function for reductions and error handlers therefore uses one of a fixed number of entry functions.
/// All objects that are created with the same function of the program use the same entry function.
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "convert.hpp"

namespace {

/// Entry functions 0 to N - 1, and the function of the program for each entry function.
template <class User, int N>
struct entries {
  std::array<User, N> user{};
  std::array<int, N> users{};             // number of objects that use each entry function
  std::map<std::uintptr_t, int> used_by;  // entry function of each object that will be freed, by the handle of the vendor
  std::mutex mutex;

  /// @return number of the entry function for a function; -1 if there are too many functions
  int take(User f) {
    const std::lock_guard lock(mutex);
    int free = -1;
    for (int i = 0; i < N; ++i) {
      if (users[i] > 0 && user[i] == f) return ++users[i], i;
      if (users[i] == 0 && free < 0) free = i;
    }
    if (free >= 0) user[free] = f, users[free] = 1;
    return free;
  }
  void made(std::uintptr_t vendor, int entry) {
    const std::lock_guard lock(mutex);
    used_by[vendor] = entry;
  }
  void not_made(int entry) {
    const std::lock_guard lock(mutex);
    --users[entry];
  }
  void give_back(std::uintptr_t vendor) {
    const std::lock_guard lock(mutex);
    const auto at = used_by.find(vendor);
    if (at == used_by.end()) return;
    --users[at->second];
    used_by.erase(at);
  }
};

constexpr int entry_count = 256;
constexpr int err_no_mem = 39;

template <template <int> class Entry, class F, int... I>
constexpr std::array<F, sizeof...(I)> entry_table(std::integer_sequence<int, I...>) {
  return {Entry<I>::call...};
}

// --- reductions ---
using abi_reduction = void (*)(void*, void*, int*, abi_handle*);
entries<abi_reduction, entry_count> reductions;

template <int I>
struct reduction_entry {
  static void call(void* a, void* b, int* n, MPI_Datatype* type) {
    abi_handle abi = out<handle::Datatype>(*type);
    reductions.user[I](a, b, n, &abi);
  }
};

int custom_Op_create(abi_reduction f, int commute, abi_handle* op) {
  static constexpr auto table =
      entry_table<reduction_entry, MPI_User_function*>(std::make_integer_sequence<int, entry_count>{});
  const int i = reductions.take(f);
  if (i < 0) return err_no_mem;
  MPI_Op made;
  const int e = MPI_Op_create(table[static_cast<std::size_t>(i)], commute, &made);
  if (e == MPI_SUCCESS)
    reductions.made(raw(made), i), *op = out<handle::Op>(made);
  else
    reductions.not_made(i);
  return code_result(e);
}

using abi_reduction_c = void (*)(void*, void*, MPI_Count*, abi_handle*);
entries<abi_reduction_c, entry_count> large_reductions;

/// `N` is the count type of the vendor. If a vendor has no MPI_Op_create_c, data are reduced in pieces with counts that fit
/// into an int.
template <class N>
struct large_reduction {
  template <int I>
  struct entry {
    static void call(void* a, void* b, N* n, MPI_Datatype* type) {
      abi_handle abi = out<handle::Datatype>(*type);
      MPI_Count count = *n;
      large_reductions.user[I](a, b, &count, &abi);
    }
  };
};

template <class N, class F>
int create_large_reduction(int (*create)(F*, int, MPI_Op*), abi_reduction_c f, int commute, abi_handle* op) {
  static constexpr auto table =
      entry_table<large_reduction<N>::template entry, F*>(std::make_integer_sequence<int, entry_count>{});
  const int i = large_reductions.take(f);
  if (i < 0) return err_no_mem;
  MPI_Op made;
  const int e = create(table[static_cast<std::size_t>(i)], commute, &made);
  if (e == MPI_SUCCESS)
    large_reductions.made(raw(made), i), *op = out<handle::Op>(made);
  else
    large_reductions.not_made(i);
  return code_result(e);
}

int custom_Op_create_c(abi_reduction_c f, int commute, abi_handle* op) {
#ifdef VENDOR_HAS_Op_create_c
  return create_large_reduction<MPI_Count>(MPI_Op_create_c, f, commute, op);
#else
  return create_large_reduction<int>(MPI_Op_create, f, commute, op);
#endif
}

int custom_Op_free(abi_handle* op) {
  MPI_Op v = in<MPI_Op>(*op);
  const std::uintptr_t owner = raw(v);
  const int e = MPI_Op_free(&v);
  if (e == MPI_SUCCESS) {
    reductions.give_back(owner);
    large_reductions.give_back(owner);
    *op = out<handle::Op>(v);
  }
  return code_result(e);
}

// --- error handlers ---
using abi_errhandler = void (*)(abi_handle*, int*, ...);

template <handle kind>
entries<abi_errhandler, entry_count> errhandlers;

template <handle kind, class V>
struct errhandler_kind {
  template <int I>
  struct entry {
    static void call(V* object, int* code, ...) {
      abi_handle abi = out<kind>(*object);
      int abi_code = code_out(*code);
      errhandlers<kind>.user[I](&abi, &abi_code);
    }
  };
};

template <handle kind, class V, class F>
int create_errhandler(int (*create)(F*, MPI_Errhandler*), abi_errhandler f, abi_handle* made) {
  static constexpr auto table =
      entry_table<errhandler_kind<kind, V>::template entry, F*>(std::make_integer_sequence<int, entry_count>{});
  const int i = errhandlers<kind>.take(f);
  if (i < 0) return err_no_mem;
  MPI_Errhandler v;
  const int e = create(table[static_cast<std::size_t>(i)], &v);
  if (e == MPI_SUCCESS)
    *made = out<handle::Errhandler>(v);
  else
    errhandlers<kind>.not_made(i);
  return code_result(e);
}

int custom_Comm_create_errhandler(abi_errhandler f, abi_handle* made) {
  return create_errhandler<handle::Comm, MPI_Comm>(MPI_Comm_create_errhandler, f, made);
}
int custom_Win_create_errhandler(abi_errhandler f, abi_handle* made) {
  return create_errhandler<handle::Win, MPI_Win>(MPI_Win_create_errhandler, f, made);
}
int custom_File_create_errhandler(abi_errhandler f, abi_handle* made) {
  return create_errhandler<handle::File, MPI_File>(MPI_File_create_errhandler, f, made);
}
#ifdef VENDOR_HAS_Session_create_errhandler
int custom_Session_create_errhandler(abi_errhandler f, abi_handle* made) {
  return create_errhandler<handle::Session, MPI_Session>(MPI_Session_create_errhandler, f, made);
}
#endif

/// The entry function is not released, because objects of the program may still use the error handler.
int custom_Errhandler_free(abi_handle* errhandler) {
  MPI_Errhandler v = in<MPI_Errhandler>(*errhandler);
  const int e = MPI_Errhandler_free(&v);
  if (e == MPI_SUCCESS) *errhandler = out<handle::Errhandler>(v);
  return code_result(e);
}

// --- attributes ---
using abi_copy = int (*)(abi_handle, int, void*, void*, void*, int*);
using abi_delete = int (*)(abi_handle, int, void*, void*);

struct attribute {
  abi_copy copy;
  abi_delete remove;
  void* state;
};
/// Entries are permanent, because an attribute may exist longer than its key.
std::deque<attribute> attributes;

int callback_result(int abi) { return abi == 0 ? MPI_SUCCESS : code_in(abi); }

template <handle kind, class V>
int copy_entry(V object, int key, void* state, void* in_value, void* out_value, int* flag) {
  const auto& a = *static_cast<attribute*>(state);
  return callback_result(a.copy(out<kind>(object), keyval_out(key), a.state, in_value, out_value, flag));
}

template <handle kind, class V>
int delete_entry(V object, int key, void* value, void* state) {
  const auto& a = *static_cast<attribute*>(state);
  return callback_result(a.remove(out<kind>(object), keyval_out(key), value, a.state));
}

template <handle kind, class V, class Copy, class Delete>
int create_keyval(int (*create)(Copy*, Delete*, int*, void*), Copy* no_copy, Copy* duplicate, Delete* no_delete,
                  abi_copy copy, abi_delete remove, int* key, void* state) {
  attribute& a = attributes.emplace_back(attribute{copy, remove, state});
  const auto which = reinterpret_cast<std::uintptr_t>(copy);
  int made = 0;
  const int e = create(which == 0   ? no_copy
                       : which == 1 ? duplicate
                                    : copy_entry<kind, V>,
                       remove ? delete_entry<kind, V> : no_delete, &made, &a);
  if (e == MPI_SUCCESS) *key = keyval_out(made);
  return code_result(e);
}

int custom_Comm_create_keyval(abi_copy copy, abi_delete remove, int* key, void* state) {
  return create_keyval<handle::Comm, MPI_Comm>(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN,
                                               MPI_COMM_NULL_DELETE_FN, copy, remove, key, state);
}
int custom_Keyval_create(abi_copy copy, abi_delete remove, int* key, void* state) {
  return custom_Comm_create_keyval(copy, remove, key, state);
}
int custom_Type_create_keyval(abi_copy copy, abi_delete remove, int* key, void* state) {
  return create_keyval<handle::Datatype, MPI_Datatype>(MPI_Type_create_keyval, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN,
                                                       MPI_TYPE_NULL_DELETE_FN, copy, remove, key, state);
}
int custom_Win_create_keyval(abi_copy copy, abi_delete remove, int* key, void* state) {
  return create_keyval<handle::Win, MPI_Win>(MPI_Win_create_keyval, MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN,
                                             MPI_WIN_NULL_DELETE_FN, copy, remove, key, state);
}

/// If the value of a predefined attribute is a constant of the vendor, the value is converted to the constant of the
/// standard.
int translated(int (*convert)(int), void* value) {
  static thread_local int kept_values[8];
  static thread_local unsigned next = 0;
  int& slot = kept_values[next++ % 8];
  slot = convert(**static_cast<int**>(value));
  *static_cast<int**>(value) = &slot;
  return 0;
}

int custom_Comm_get_attr(abi_handle comm, int key, void* value, int* flag) {
  const int e = MPI_Comm_get_attr(in<MPI_Comm>(comm), keyval_in(key), value, flag);
  if (e != MPI_SUCCESS || !*flag) return code_result(e);
  if (key == 502 || key == 503) return translated(rank_out, value);  // keys MPI_IO and MPI_HOST
  if (key == 506) return translated(last_code_out, value);           // MPI_LASTUSEDCODE
  return 0;
}
int custom_Attr_get(abi_handle comm, int key, void* value, int* flag) {
  return custom_Comm_get_attr(comm, key, value, flag);
}

int winflavor_out(int);
int winmodel_out(int);

int custom_Win_get_attr(abi_handle win, int key, void* value, int* flag) {
  const int e = MPI_Win_get_attr(in<MPI_Win>(win), keyval_in(key), value, flag);
  if (e != MPI_SUCCESS || !*flag) return code_result(e);
  if (key == 604) return translated(winflavor_out, value);  // MPI_WIN_CREATE_FLAVOR
  if (key == 605) return translated(winmodel_out, value);   // MPI_WIN_MODEL
  return 0;
}

// --- generalised requests and data representations ---
struct generalised {
  int (*query)(void*, abi_status*);
  int (*free)(void*);
  int (*cancel)(void*, int);
  void* state;
};

int custom_Grequest_start(int (*query)(void*, abi_status*), int (*free_it)(void*), int (*cancel)(void*, int), void* state,
                          abi_handle* request) {
  auto g = std::make_unique<generalised>(generalised{query, free_it, cancel, state});
  MPI_Request made;
  const int e = MPI_Grequest_start(
      [](void* p, MPI_Status* s) {
        const auto& own = *static_cast<generalised*>(p);
        abi_status abi{};
        status_out(*s, &abi);
        const int result = own.query(own.state, &abi);
        *s = status_in(abi);
        return callback_result(result);
      },
      [](void* p) {
        const std::unique_ptr<generalised> own(static_cast<generalised*>(p));
        return callback_result(own->free(own->state));
      },
      [](void* p, int complete) {
        const auto& own = *static_cast<generalised*>(p);
        return callback_result(own.cancel(own.state, complete));
      },
      g.get(), &made);
  if (e == MPI_SUCCESS) {
    g.release();
    *request = out<handle::Request>(made);
  }
  return code_result(e);
}

struct datarep {
  int (*read)(void*, abi_handle, int, void*, MPI_Offset, void*);
  int (*write)(void*, abi_handle, int, void*, MPI_Offset, void*);
  int (*extent)(abi_handle, MPI_Aint*, void*);
  void* state;
};
std::deque<datarep> datareps;  // MPI has no function that removes a data representation

int custom_Register_datarep(const char* name, decltype(datarep::read) read, decltype(datarep::write) write,
                            decltype(datarep::extent) extent, void* state) {
  datarep& d = datareps.emplace_back(datarep{read, write, extent, state});
  const auto reading = [](void* user, MPI_Datatype t, int n, void* file, MPI_Offset at, void* p) {
    const auto& own = *static_cast<datarep*>(p);
    return callback_result(own.read(user, out<handle::Datatype>(t), n, file, at, own.state));
  };
  const auto writing = [](void* user, MPI_Datatype t, int n, void* file, MPI_Offset at, void* p) {
    const auto& own = *static_cast<datarep*>(p);
    return callback_result(own.write(user, out<handle::Datatype>(t), n, file, at, own.state));
  };
  const auto measuring = [](MPI_Datatype t, MPI_Aint* size, void* p) {
    const auto& own = *static_cast<datarep*>(p);
    return callback_result(own.extent(out<handle::Datatype>(t), size, own.state));
  };
  MPI_Datarep_conversion_function* no_conversion = MPI_CONVERSION_FN_NULL;
  return code_result(
      MPI_Register_datarep(name, read ? +reading : no_conversion, write ? +writing : no_conversion, measuring, &d));
}

// --- arguments of type constructors ---
int custom_Pcontrol(int level, ...) { return code_result(MPI_Pcontrol(level)); }

int order_out(int);
int distribute_out(int);
int darg_out(int);

/// Some of the integers are constants, such as the order of a subarray and the description of a distributed array. If the
/// integers contain the `sizes` of the array, these constants follow the `sizes`.
void contents_out(int combiner, int integers_[], int n_integers, bool sizes) {
  if (combiner == MPI_COMBINER_SUBARRAY) integers_[n_integers - 1] = order_out(integers_[n_integers - 1]);
  if (combiner == MPI_COMBINER_DARRAY) {
    const int n = integers_[2], first = 3 + (sizes ? n : 0);
    for (int i = first; i < first + n; ++i) {
      integers_[i] = distribute_out(integers_[i]);
      integers_[n + i] = darg_out(integers_[n + i]);
    }
    integers_[n_integers - 1] = order_out(integers_[n_integers - 1]);
  }
}

int custom_Type_get_contents(abi_handle type, int most_integers, int most_addresses, int most_types, int integers_[],
                             MPI_Aint addresses[], abi_handle types[]) {
  const MPI_Datatype v = in<MPI_Datatype>(type);
  int n_integers = 0, n_addresses = 0, n_types = 0, combiner = 0;
  int e = MPI_Type_get_envelope(v, &n_integers, &n_addresses, &n_types, &combiner);
  if (e != MPI_SUCCESS) return code_result(e);
  room<MPI_Datatype> made(most_types);
  e = MPI_Type_get_contents(v, most_integers, most_addresses, most_types, integers_, addresses, made.data());
  if (e != MPI_SUCCESS) return code_result(e);
  for (int i = 0; i < std::min(n_types, most_types); ++i) types[i] = out<handle::Datatype>(made.data()[i]);
  contents_out(combiner, integers_, n_integers, true);
  return 0;
}

#ifdef VENDOR_HAS_Type_get_contents_c
int custom_Type_get_contents_c(abi_handle type, MPI_Count most_integers, MPI_Count most_addresses, MPI_Count most_counts,
                               MPI_Count most_types, int integers_[], MPI_Aint addresses[], MPI_Count counts[],
                               abi_handle types[]) {
  const MPI_Datatype v = in<MPI_Datatype>(type);
  MPI_Count n_integers = 0, n_addresses = 0, n_counts = 0, n_types = 0;
  int combiner = 0;
  int e = MPI_Type_get_envelope_c(v, &n_integers, &n_addresses, &n_counts, &n_types, &combiner);
  if (e != MPI_SUCCESS) return code_result(e);
  room<MPI_Datatype> made(static_cast<int>(most_types));
  e = MPI_Type_get_contents_c(v, most_integers, most_addresses, most_counts, most_types, integers_, addresses, counts,
                              made.data());
  if (e != MPI_SUCCESS) return code_result(e);
  for (MPI_Count i = 0; i < std::min(n_types, most_types); ++i) types[i] = out<handle::Datatype>(made.data()[i]);
  contents_out(combiner, integers_, static_cast<int>(n_integers), n_counts == 0);
  return 0;
}
#endif

}  // namespace
