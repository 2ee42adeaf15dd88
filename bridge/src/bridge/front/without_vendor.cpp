/// @file
/// Functions that need no vendor. The functions access the public members of a status, convert handles to integers, and
/// return the version of the ABI. The file also contains the texts of errors that this layer reports.
#include <algorithm>
#include <bridge/front/front.hpp>
#include <bridge/front/large_counts.hpp>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace osteon::bridge {
namespace {

thread_local std::string last_refusal;
decltype(slots::Error_string) vendor_error_string;

/// Handles as integers for Fortran. Predefined handles keep their values below 4096. Other handles are mapped to the next
/// free index.
class integer_handles {
 public:
  int put(void* handle) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (value < 4096) return static_cast<int>(value);
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = place_.try_emplace(handle, 0);
    if (!fresh) return at->second;
    if (free_.empty()) {
      handle_.push_back(handle);
      at->second = 4096 + static_cast<int>(handle_.size()) - 1;
    } else {
      at->second = free_.back();
      free_.pop_back();
      handle_[static_cast<std::size_t>(at->second - 4096)] = handle;
    }
    return at->second;
  }
  void* get(int integer) {
    if (integer < 4096) return reinterpret_cast<void*>(static_cast<std::uintptr_t>(integer));
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(integer - 4096);
    return index < handle_.size() ? handle_[index] : nullptr;
  }
  void forget(int integer) {
    if (integer < 4096) return;
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(integer - 4096);
    if (index >= handle_.size() || !handle_[index]) return;
    place_.erase(handle_[index]);
    handle_[index] = nullptr;
    free_.push_back(integer);
  }

 private:
  std::mutex mutex_;
  std::vector<void*> handle_;
  std::vector<int> free_;
  std::unordered_map<void*, int> place_;
};

integer_handles& integers_of(int kind) {
  static integer_handles tables[12];
  return tables[kind];
}

template <class H, int kind>
int to_integer(H handle) {
  return integers_of(kind).put(handle);
}
template <class H, int kind>
H from_integer(int integer) {
  return static_cast<H>(integers_of(kind).get(integer));
}

int abi_version(int* major, int* minor) {
  *major = 1;
  *minor = 0;
  return MPI_SUCCESS;
}

int error_string(int code, char* text, int* length) {
  if (code == MPI_ERR_UNSUPPORTED_OPERATION && !last_refusal.empty()) {
    std::snprintf(text, MPI_MAX_ERROR_STRING, "%s", last_refusal.c_str());
    *length = static_cast<int>(std::strlen(text));
    return MPI_SUCCESS;
  }
  if (code == MPI_ERR_VALUE_TOO_LARGE) {  // a vendor without large counts does not have this code
    std::strcpy(text, "MPI_ERR_VALUE_TOO_LARGE: a count exceeds the limit of the underlying MPI");
    *length = static_cast<int>(std::strlen(text));
    return MPI_SUCCESS;
  }
  return vendor_error_string(code, text, length);
}

decltype(slots::Error_class) vendor_error_class;

/// The class of an error class is the class itself, even if the vendor does not know the class.
int error_class(int code, int* its_class) {
  if (code < MPI_SUCCESS || code > MPI_ERR_ABI) return vendor_error_class(code, its_class);
  return *its_class = code, MPI_SUCCESS;
}

// --- functions of later standards, implemented by older functions ---
int get_envelope_c(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses, MPI_Count* counts, MPI_Count* types,
                   int* combiner) {
  int n[3] = {};
  const int e = vendor().Type_get_envelope(type, &n[0], &n[1], &n[2], combiner);
  *integers = n[0], *addresses = n[1], *counts = 0, *types = n[2];
  return e;
}

int get_contents_c(MPI_Datatype type, MPI_Count most_integers, MPI_Count most_addresses, MPI_Count, MPI_Count most_types,
                   int* integers, MPI_Aint* addresses, MPI_Count*, MPI_Datatype* types) {
  return vendor().Type_get_contents(type, static_cast<int>(most_integers), static_cast<int>(most_addresses),
                                    static_cast<int>(most_types), integers, addresses, types);
}

int get_value_index(MPI_Datatype value, MPI_Datatype index, MPI_Datatype* pair) {
  static const MPI_Datatype known[][2] = {{MPI_FLOAT, MPI_FLOAT_INT}, {MPI_DOUBLE, MPI_DOUBLE_INT},
                                          {MPI_LONG, MPI_LONG_INT},   {MPI_SHORT, MPI_SHORT_INT},
                                          {MPI_INT, MPI_2INT},        {MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT}};
  *pair = MPI_DATATYPE_NULL;
  if (value == MPI_DATATYPE_NULL || index == MPI_DATATYPE_NULL) {
    vendor().Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_TYPE);
    return MPI_ERR_TYPE;
  }
  for (const auto& [first, both] : known)
    if (first == value && index == MPI_INT) *pair = both;
  return MPI_SUCCESS;
}

/// For constructors of types, an argument contains the length of the arrays.
template <auto large, auto small, int length_at>
struct constructor;
template <class... A, int (*slots::*large)(A...), auto small, int length_at>
struct constructor<large, small, length_at> {
  static int call(A... a) {
    const std::tuple<A...> all{a...};
    int result = MPI_ERR_VALUE_TOO_LARGE;
    twin_of<large, small>::call(all, [&](int) { return static_cast<int>(std::get<length_at>(all)); }, result);
    return result;
  }
};

/// Only blocking collectives are converted. When a blocking collective returns, the vendor no longer uses the arrays.
template <auto large, auto small>
struct waiting_collective;
template <class... A, int (*slots::*large)(A...), auto small>
struct waiting_collective<large, small> {
  static int call(A... a) {
    int result = MPI_ERR_VALUE_TOO_LARGE;
    collective_by_twin<large, small>(result, a...);
    return result;
  }
};

/// MPI_X_get_name of a null handle. Older libraries do not accept null handles.
template <class H>
int name_of(H handle, H null, const char* name_of_null, int (*ask)(H, char*, int*), char* name, int* length) {
  if (handle != null) return ask(handle, name, length);
  *length = static_cast<int>(std::strlen(std::strcpy(name, name_of_null)));
  return MPI_SUCCESS;
}
decltype(slots::Comm_get_name) vendor_comm_name;
decltype(slots::Type_get_name) vendor_type_name;
decltype(slots::Win_get_name) vendor_win_name;

}  // namespace

int refuse(MPI_Comm comm, const std::string& text) noexcept {
  last_refusal = text;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  int ready = 0;
  vendor().Initialized(&ready);
  if (ready) {
    vendor().Comm_get_errhandler(comm, &handler);
    if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT)
      std::fprintf(stderr, "osteon bridge: %s\n", text.c_str());
    vendor().Comm_call_errhandler(comm, MPI_ERR_UNSUPPORTED_OPERATION);
  } else {
    std::fprintf(stderr, "osteon bridge: %s\n", text.c_str());
  }
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

int missing(const char* function) noexcept {
  return refuse(MPI_COMM_SELF, std::string(function) + " does not exist in the underlying MPI (" + vendor_name() + ")");
}

void install_without_vendor(slots& into) noexcept {
  vendor_error_string = into.Error_string;
  into.Error_string = error_string;
  vendor_error_class = into.Error_class;
  into.Error_class = error_class;
  vendor_comm_name = into.Comm_get_name;
  into.Comm_get_name = [](MPI_Comm c, char* name, int* n) {
    return name_of(c, MPI_COMM_NULL, "MPI_COMM_NULL", vendor_comm_name, name, n);
  };
  vendor_type_name = into.Type_get_name;
  into.Type_get_name = [](MPI_Datatype t, char* name, int* n) {
    return name_of(t, MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL", vendor_type_name, name, n);
  };
  vendor_win_name = into.Win_get_name;
  into.Win_get_name = [](MPI_Win w, char* name, int* n) {
    return name_of(w, MPI_WIN_NULL, "MPI_WIN_NULL", vendor_win_name, name, n);
  };
  const auto lacking = [&](auto slots::* f, auto own) {
    if (into.*f == absent.*f) into.*f = own;
  };
  lacking(&slots::Abi_get_version, abi_version);
  lacking(&slots::Status_get_source, [](const MPI_Status* s, int* v) { return *v = s->MPI_SOURCE, MPI_SUCCESS; });
  lacking(&slots::Status_get_tag, [](const MPI_Status* s, int* v) { return *v = s->MPI_TAG, MPI_SUCCESS; });
  lacking(&slots::Status_get_error, [](const MPI_Status* s, int* v) { return *v = s->MPI_ERROR, MPI_SUCCESS; });
  lacking(&slots::Status_set_source, [](MPI_Status* s, int v) { return s->MPI_SOURCE = v, MPI_SUCCESS; });
  lacking(&slots::Status_set_tag, [](MPI_Status* s, int v) { return s->MPI_TAG = v, MPI_SUCCESS; });
  lacking(&slots::Status_set_error, [](MPI_Status* s, int v) { return s->MPI_ERROR = v, MPI_SUCCESS; });
  if (into.Type_get_contents_c == absent.Type_get_contents_c) {
    into.Type_get_envelope_c = get_envelope_c;
    into.Type_get_contents_c = get_contents_c;
  }
  lacking(&slots::Type_get_value_index, get_value_index);
  // If a function MPI_X_c is missing, the older function MPI_X_x is used. The function MPI_X has an int result, and
  // therefore cannot return large sizes.
  const auto same = [&](auto slots::* f, auto slots::* older) {
    if (into.*older != absent.*older) into.*f = into.*older;
  };
  same(&slots::Type_size_c, &slots::Type_size_x);
  same(&slots::Type_get_extent_c, &slots::Type_get_extent_x);
  same(&slots::Type_get_true_extent_c, &slots::Type_get_true_extent_x);
  same(&slots::Get_elements_c, &slots::Get_elements_x);
  same(&slots::Status_set_elements_c, &slots::Status_set_elements_x);
#define OSTEON_CONSTRUCTOR(name, length_at) \
  lacking(&slots::name##_c, constructor<&slots::name##_c, &slots::name, length_at>::call)
  OSTEON_CONSTRUCTOR(Type_indexed, 0);
  OSTEON_CONSTRUCTOR(Type_create_indexed_block, 0);
  OSTEON_CONSTRUCTOR(Type_create_hindexed, 0);
  OSTEON_CONSTRUCTOR(Type_create_hindexed_block, 0);
  OSTEON_CONSTRUCTOR(Type_create_struct, 0);
  OSTEON_CONSTRUCTOR(Type_create_subarray, 0);
  OSTEON_CONSTRUCTOR(Type_create_darray, 2);
#undef OSTEON_CONSTRUCTOR
#define OSTEON_COLLECTIVE(name) lacking(&slots::name##_c, waiting_collective<&slots::name##_c, &slots::name>::call)
  OSTEON_COLLECTIVE(Gatherv);
  OSTEON_COLLECTIVE(Scatterv);
  OSTEON_COLLECTIVE(Allgatherv);
  OSTEON_COLLECTIVE(Alltoallv);
  OSTEON_COLLECTIVE(Alltoallw);
  OSTEON_COLLECTIVE(Reduce_scatter);
#undef OSTEON_COLLECTIVE
  // The bridge assigns integer handles for every vendor. Fortran therefore has only one numbering of handles.
  into.Comm_toint = to_integer<MPI_Comm, 0>;
  into.Comm_fromint = from_integer<MPI_Comm, 0>;
  into.Group_toint = to_integer<MPI_Group, 1>;
  into.Group_fromint = from_integer<MPI_Group, 1>;
  into.Type_toint = to_integer<MPI_Datatype, 2>;
  into.Type_fromint = from_integer<MPI_Datatype, 2>;
  into.Op_toint = to_integer<MPI_Op, 3>;
  into.Op_fromint = from_integer<MPI_Op, 3>;
  into.Request_toint = to_integer<MPI_Request, 4>;
  into.Request_fromint = from_integer<MPI_Request, 4>;
  into.Win_toint = to_integer<MPI_Win, 5>;
  into.Win_fromint = from_integer<MPI_Win, 5>;
  into.File_toint = to_integer<MPI_File, 6>;
  into.File_fromint = from_integer<MPI_File, 6>;
  into.Info_toint = to_integer<MPI_Info, 7>;
  into.Info_fromint = from_integer<MPI_Info, 7>;
  into.Errhandler_toint = to_integer<MPI_Errhandler, 8>;
  into.Errhandler_fromint = from_integer<MPI_Errhandler, 8>;
  into.Message_toint = to_integer<MPI_Message, 9>;
  into.Message_fromint = from_integer<MPI_Message, 9>;
  into.Session_toint = to_integer<MPI_Session, 10>;
  into.Session_fromint = from_integer<MPI_Session, 10>;
}

}  // namespace osteon::bridge

/// Function for the Fortran library. A completed request releases its integer.
extern "C" OSTEON_EXPORT void osteon_mpi_forget(int kind, int integer) { osteon::bridge::integers_of(kind).forget(integer); }
