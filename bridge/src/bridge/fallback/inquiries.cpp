/// @file
/// Small functions of MPI 4.0 and later. Older functions implement these functions. The functions are for lists of requests,
/// infos, removal of error codes, types with more elements than fit into an int, and data representations with large counts.
#include <algorithm>
#include <bridge/fallback/composite_requests.hpp>
#include <climits>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace osteon::bridge {
namespace {

int raise_on_self(int error_class) {
  active.Comm_call_errhandler(MPI_COMM_SELF, error_class);
  return error_class;
}

// --- requests ---
int get_status_all(int n, const MPI_Request list[], int* flag, MPI_Status statuses[]) {
  *flag = 1;
  for (int i = 0; i < n && *flag; ++i) {
    if (const int e = active.Request_get_status(list[i], flag, statuses ? statuses + i : MPI_STATUS_IGNORE)) return e;
    if (statuses && *flag) statuses[i].MPI_ERROR = MPI_SUCCESS;
  }
  return MPI_SUCCESS;
}

/// Inactive persistent requests count as complete. The state of a persistent request can only be queried by completing the
/// request.
int get_status_any(int n, const MPI_Request list[], int* index, int* flag, MPI_Status* status) {
  bool some = false;
  *index = MPI_UNDEFINED;
  *flag = 0;
  for (int i = 0; i < n && !*flag; ++i) {
    if (list[i] == MPI_REQUEST_NULL) continue;
    some = true;
    if (const int e = active.Request_get_status(list[i], flag, status)) return e;
    if (*flag) *index = i;
  }
  if (!some) active.Request_get_status(MPI_REQUEST_NULL, flag, status);
  if (*flag && status) status->MPI_ERROR = MPI_SUCCESS;
  return MPI_SUCCESS;
}

int get_status_some(int n, const MPI_Request list[], int* count, int indices[], MPI_Status statuses[]) {
  bool some = false;
  *count = 0;
  for (int i = 0; i < n; ++i) {
    if (list[i] == MPI_REQUEST_NULL) continue;
    some = true;
    int flag = 0;
    MPI_Status* status = statuses ? statuses + *count : MPI_STATUS_IGNORE;
    if (const int e = active.Request_get_status(list[i], &flag, status)) return e;
    if (!flag) continue;
    if (status) status->MPI_ERROR = MPI_SUCCESS;
    indices[(*count)++] = i;
  }
  if (!some) *count = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// --- infos ---
int info_get_string(MPI_Info info, const char* key, int* length, char* value, int* flag) {
  int needed = 0;
  if (const int e = active.Info_get_valuelen(info, key, &needed, flag)) return e;
  if (!*flag) return MPI_SUCCESS;
  const int room = *length;
  *length = needed + 1;  // the length includes the terminating zero
  if (room <= 0) return MPI_SUCCESS;
  std::string whole(static_cast<std::size_t>(needed) + 1, '\0');
  if (const int e = active.Info_get(info, key, needed, whole.data(), flag)) return e;
  std::snprintf(value, static_cast<std::size_t>(room), "%s", whole.c_str());
  return MPI_SUCCESS;
}

int info_with(std::initializer_list<std::pair<const char*, std::string>> entries, MPI_Info* info) {
  if (const int e = active.Info_create(info)) return e;
  for (const auto& [key, value] : entries)
    if (!value.empty())
      if (const int e = active.Info_set(*info, key, value.c_str())) return e;
  return MPI_SUCCESS;
}

int info_create_env(int argc, char* argv[], MPI_Info* info) {
  std::string rest;
  for (int i = 1; argv && i < argc && argv[i]; ++i) {
    if (!rest.empty()) rest.push_back(' ');
    rest.append(argv[i]);
  }
  return info_with({{"command", argv && argc > 0 && argv[0] ? argv[0] : ""}, {"argv", rest}}, info);
}

template <class T>
std::string size_text() {
  return std::to_string(sizeof(T));
}

int abi_get_info(MPI_Info* info) {
  return info_with({{"mpi_aint_size", size_text<MPI_Aint>()},
                    {"mpi_count_size", size_text<MPI_Count>()},
                    {"mpi_offset_size", size_text<MPI_Offset>()}},
                   info);
}

/// Only the Fortran library has information about the types of Fortran.
int abi_get_fortran_info(MPI_Info* info) { return *info = MPI_INFO_NULL, MPI_SUCCESS; }

/// MPI permits an empty value.
int get_hw_resource_info(MPI_Info* info) { return active.Info_create(info); }

// --- error classes, codes and strings of the program ---
struct own_errors {
  std::mutex mutex;
  std::map<int, int> class_of;  ///< class of each code that the program has added; the class of a class is the class itself
  std::map<int, bool> has_text;
};
own_errors& errors() {
  static own_errors e;
  return e;
}
slots before_errors;

int add_error_class(int* made) {
  const int e = before_errors.Add_error_class(made);
  const std::lock_guard lock(errors().mutex);
  if (e == MPI_SUCCESS) errors().class_of[*made] = *made;
  return e;
}

int add_error_code(int its_class, int* made) {
  const int e = before_errors.Add_error_code(its_class, made);
  const std::lock_guard lock(errors().mutex);
  if (e == MPI_SUCCESS) errors().class_of[*made] = its_class;
  return e;
}

int add_error_string(int code, const char* text) {
  const int e = before_errors.Add_error_string(code, text);
  const std::lock_guard lock(errors().mutex);
  if (e == MPI_SUCCESS) errors().has_text[code] = *text != '\0';
  return e;
}

/// Numbers are never reused. A code with a text, or a class with codes, cannot be removed.
int remove_error(int code, bool is_class) {
  auto& all = errors();
  bool fits = false;
  {
    const std::lock_guard lock(all.mutex);
    const auto at = all.class_of.find(code);
    fits = at != all.class_of.end() && (at->second == code) == is_class && !all.has_text[code];
    if (is_class)
      for (const auto& [other, its_class] : all.class_of) fits = fits && (other == code || its_class != code);
    if (fits) all.class_of.erase(at);
  }
  return fits ? MPI_SUCCESS : raise_on_self(MPI_ERR_ARG);
}

int remove_error_string(int code) {
  {
    const std::lock_guard lock(errors().mutex);
    const auto at = errors().has_text.find(code);
    if (at != errors().has_text.end() && at->second) {
      at->second = false;
      return before_errors.Add_error_string(code, "");
    }
  }
  return raise_on_self(MPI_ERR_ARG);
}

// --- types ---
decltype(slots::Type_contiguous_c) contiguous_below;

/// A type with more elements than fit into an int. The type consists of the maximum number of complete pieces, and of a
/// remainder.
int contiguous(MPI_Count count, MPI_Datatype type, MPI_Datatype* made) {
  const int e = contiguous_below(count, type, made);
  if (e != MPI_ERR_VALUE_TOO_LARGE || count / INT_MAX > INT_MAX) return e;
  MPI_Aint lower = 0, extent = 0;
  MPI_Datatype piece[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
  active.Type_get_extent(type, &lower, &extent);
  int error = active.Type_vector(static_cast<int>(count / INT_MAX), INT_MAX, INT_MAX, type, &piece[0]);
  if (!error) error = active.Type_contiguous(static_cast<int>(count % INT_MAX), type, &piece[1]);
  const int one[2] = {1, 1};
  const MPI_Aint places[2] = {0, extent * INT_MAX * (count / INT_MAX)};
  if (!error) error = active.Type_create_struct(2, one, places, piece, made);
  for (MPI_Datatype& t : piece)
    if (t != MPI_DATATYPE_NULL) active.Type_free(&t);
  return error;
}

// --- data representations ---
struct large_representation {
  MPI_Datarep_conversion_function_c *read, *write;
  MPI_Datarep_extent_function* extent;
  void* state;
};

int register_datarep_c(const char* name, MPI_Datarep_conversion_function_c* read, MPI_Datarep_conversion_function_c* write,
                       MPI_Datarep_extent_function* extent, void* state) {
  static std::deque<large_representation> all;  // MPI has no function that removes a data representation
  large_representation& own = all.emplace_back(large_representation{read, write, extent, state});
  const auto reading = [](void* user, MPI_Datatype t, int n, void* file, MPI_Offset at, void* p) {
    const auto& r = *static_cast<large_representation*>(p);
    return r.read(user, t, n, file, at, r.state);
  };
  const auto writing = [](void* user, MPI_Datatype t, int n, void* file, MPI_Offset at, void* p) {
    const auto& r = *static_cast<large_representation*>(p);
    return r.write(user, t, n, file, at, r.state);
  };
  const auto measuring = [](MPI_Datatype t, MPI_Aint* size, void* p) {
    const auto& r = *static_cast<large_representation*>(p);
    return r.extent(t, size, r.state);
  };
  MPI_Datarep_conversion_function* none = MPI_CONVERSION_FN_NULL;
  return active.Register_datarep(name, read ? +reading : none, write ? +writing : none, measuring, &own);
}

}  // namespace

void install_inquiries(slots& s) noexcept {
  put_fallback<&slots::Request_get_status_all>(s, get_status_all);
  put_fallback<&slots::Request_get_status_any>(s, get_status_any);
  put_fallback<&slots::Request_get_status_some>(s, get_status_some);
  contiguous_below = s.Type_contiguous_c;
  s.Type_contiguous_c = contiguous;
  const auto lacking = [&](auto slots::* f, auto own) {
    if (vendor().*f == absent.*f) s.*f = own;
  };
  lacking(&slots::Info_get_string, info_get_string);
  lacking(&slots::Info_create_env, info_create_env);
  lacking(&slots::Get_hw_resource_info, get_hw_resource_info);
  lacking(&slots::Abi_get_info, abi_get_info);
  lacking(&slots::Abi_get_fortran_info, abi_get_fortran_info);
  lacking(&slots::Register_datarep_c, register_datarep_c);
  if (vendor().Remove_error_class == absent.Remove_error_class) {
    before_errors = s;
    s.Add_error_class = add_error_class;
    s.Add_error_code = add_error_code;
    s.Add_error_string = add_error_string;
    s.Remove_error_class = [](int c) { return remove_error(c, true); };
    s.Remove_error_code = [](int c) { return remove_error(c, false); };
    s.Remove_error_string = remove_error_string;
  }
}

}  // namespace osteon::bridge
