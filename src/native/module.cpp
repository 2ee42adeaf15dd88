// The module osteon._native solves jobs on NumPy arrays in the Python process. Only python/osteon/calls/in_process.py
// imports this module. in_process.py contains the public interface.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <native/native_call.hpp>
#include <native/world.hpp>
#include <new>
#include <optional>
#include <osteon/base/error.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/hdf5_locks.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/solve_in_memory.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace osteon::native {

namespace {

// Calls a listener with stage, completed fraction and details. Warnings are issued as Python warnings. The calling thread
// must not own the GIL.
class python_log final : public log_sink {
 public:
  /// @param listener a Python function, or None
  explicit python_log(nanobind::object listener) : listener_(std::move(listener)) {}

  void warn(std::string_view text) override;
  void stage(std::string_view name) override;
  void progress(double fraction, std::string_view detail) override;

  /// Suppress all further messages, because another rank prints the same messages.
  void be_silent() { is_silent_ = true; }

  /// True if Python requests the end of the call. The cause is a signal (Ctrl-C), or an exception of the listener. The
  /// function does not clear the exception.
  bool is_interrupted();

 private:
  void tell(double fraction, std::string_view detail);

  nanobind::object listener_;
  std::string stage_;
  bool raised_ = false, is_silent_ = false;
};

void python_log::warn(std::string_view text) {
  if (is_silent_) return;
  const nb::gil_scoped_acquire held;
  if (raised_) return;
  try {
    nb::module_::import_("osteon.errors").attr("warn_of_job")(nb::str(text.data(), text.size()));
  } catch (nb::python_error& e) {  // the user may have configured warnings as errors
    e.restore();
    raised_ = true;
  }
}

void python_log::stage(std::string_view name) {
  stage_ = name;
  tell(0, "");
}

void python_log::progress(double fraction, std::string_view detail) { tell(fraction, detail); }

void python_log::tell(double fraction, std::string_view detail) {
  if (is_silent_ || listener_.is_none() || raised_) return;
  const nb::gil_scoped_acquire held;
  try {
    listener_(nb::str(stage_.data(), stage_.size()), fraction, nb::str(detail.data(), detail.size()));
  } catch (nb::python_error& e) {
    e.restore();
    raised_ = true;
  }
}

bool python_log::is_interrupted() {
  if (raised_) return true;
  const nb::gil_scoped_acquire held;
  raised_ = PyErr_CheckSignals() != 0;
  return raised_;
}

using array = nb::ndarray<nb::ro, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

job::spec read_job(const std::string& toml) {
  std::vector<problem> problems;
  job::spec spec = job::read_spec_text(toml, "job", problems);
  if (!problems.empty()) throw usage_error(job::join(problems));
  return spec;
}

voxel::scalar scalar_of(const nb::dlpack::dtype& type) {
  using code = nb::dlpack::dtype_code;
  const auto is = [&](code c, int bits) { return type.code == static_cast<std::uint8_t>(c) && type.bits == bits; };
  if (is(code::UInt, 8)) return voxel::scalar::u1;
  if (is(code::Int, 8)) return voxel::scalar::i1;
  if (is(code::UInt, 16)) return voxel::scalar::u2;
  if (is(code::Int, 16)) return voxel::scalar::i2;
  if (is(code::UInt, 32)) return voxel::scalar::u4;
  if (is(code::Int, 32)) return voxel::scalar::i4;
  if (is(code::Float, 32)) return voxel::scalar::f4;
  if (is(code::Float, 64)) return voxel::scalar::f8;
  throw usage_error("the image must have integers of 8, 16 or 32 bits, or floating-point numbers of 32 or 64 bits");
}

// The planes are copied from the array when the planes are read. The array must have C order.
voxel::image_planes planes_of(const array& image) {
  const index3 shape{static_cast<std::int64_t>(image.shape(0)), static_cast<std::int64_t>(image.shape(1)),
                     static_cast<std::int64_t>(image.shape(2))};
  const voxel::scalar type = scalar_of(image.dtype());
  const auto* from = static_cast<const std::byte*>(image.data());
  const std::size_t plane = static_cast<std::size_t>(shape.y * shape.x) * voxel::size_of(type);
  return {shape, type, [from, plane](std::int64_t first, std::int64_t planes, std::span<std::byte> values) {
            std::copy_n(from + static_cast<std::size_t>(first) * plane, static_cast<std::size_t>(planes) * plane,
                        values.data());
          }};
}

// A solved job. The computation of values is collective. Rank 0 receives the values; the arrays of other ranks are empty.
class solution {
 public:
  solution(job::solution_in_memory solved, std::optional<array> image, MPI_Comm comm, bool is_first, int threads)
      : image_(std::move(image)),
        solved_(std::make_shared<job::solution_in_memory>(std::move(solved))),
        comm_(comm),
        is_first_(is_first),
        threads_(threads) {}
  solution(solution&&) = default;
  ~solution() { release(std::move(solved_)); }  // the object may own communicators, which a call must free
  solution(const solution&) = delete;
  solution& operator=(const solution&) = delete;

  std::string summary() const { return job::to_text(solved_->summary()); }

  using field = std::tuple<std::string, std::string, std::string, bool>;
  std::vector<field> fields() const {
    std::vector<field> list;
    for (const io::field_info& f : solved_->fields())
      list.emplace_back(f.name, f.long_name, f.units, f.where == io::centring::node);
    return list;
  }

  nb::ndarray<nb::numpy, float> values(std::size_t number) const {
    const native_call call(threads_);
    if (number >= solved_->fields().size()) throw nb::index_error("there is no such field");
    const index3 shape = solved_->shape_of(number);
    const int components = solved_->fields()[number].components;
    const auto count = static_cast<std::size_t>(is_first_ ? shape.volume() * components : 0);
    auto values = room_for<float>(count);
    {
      const nb::gil_scoped_release others_may_run;
      solved_->values_of(number, {values.get(), count});
    }
    std::vector<std::size_t> extents = extents_of(shape);
    if (components > 1) extents.push_back(static_cast<std::size_t>(components));
    return owned(std::move(values), extents);
  }

  nb::ndarray<nb::numpy, material_number> material() const {
    const native_call call(threads_);
    const index3 shape = solved_->shape();
    const auto count = static_cast<std::size_t>(is_first_ ? shape.volume() : 0);
    auto numbers = room_for<material_number>(count);
    {
      const nb::gil_scoped_release others_may_run;
      solved_->materials({numbers.get(), count});
    }
    return owned(std::move(numbers), extents_of(shape));
  }

  std::vector<double> origin_mm() const { return list(solved_->origin_mm()); }
  std::vector<double> spacing_mm() const { return list(solved_->spacing_mm()); }
  void write(const std::string& directory, const std::string& command) const {
    const native_call call(threads_);
    const nb::gil_scoped_release others_may_run;
    const io::without_hdf5_locks unlocked;
    solved_->write(directory, command);
  }

 private:
  std::vector<std::size_t> extents_of(const index3& shape) const {
    return {static_cast<std::size_t>(is_first_ ? shape.z : 0), static_cast<std::size_t>(shape.y),
            static_cast<std::size_t>(shape.x)};
  }
  // The function is collective. If one rank has too little memory, all ranks stop.
  template <class T>
  std::unique_ptr<T[]> room_for(std::size_t count) const {
    std::unique_ptr<T[]> room(new (std::nothrow) T[count]());
    int missing = room ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, comm_);
    if (missing != 0)
      throw machine_error(
          "out of memory for a field; write the results to files (output.directory), or request fewer fields");
    return room;
  }
  template <class T>
  static nb::ndarray<nb::numpy, T> owned(std::unique_ptr<T[]> values, const std::vector<std::size_t>& extents) {
    T* const data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return {data, extents.size(), extents.data(), owner};
  }
  static std::vector<double> list(const vector3& v) { return {v.z, v.y, v.x}; }

  std::optional<array> image_;  // the solution reads this array when the solution is written to files
  std::shared_ptr<job::solution_in_memory> solved_;
  MPI_Comm comm_;  // communicator that communicator_of has cached, or communicator that contains only this process
  bool is_first_;
  int threads_;
};

// @param image image on rank 0; None on other ranks @param ranks ranks of the solving processes; None: only this process
solution solve(const std::string& toml, std::optional<array> image, int threads, nb::object listener,
               const std::optional<std::vector<int>>& ranks) {
  job::spec spec = read_job(toml);
  voxel::image_planes planes = image ? planes_of(*image) : voxel::image_planes{};
  if (is_forked())
    throw usage_error(
        "this process was forked from one that used osteon; MPI and its threads do not survive a fork. Start the process by "
        "the method 'spawn' or 'forkserver', or let osteon.run start the program");
  const native_call call(threads);
  if (ranks && call.is_nested())
    throw usage_error("a progress listener cannot solve on a communicator; solve in it without comm");
  MPI_Comm comm = MPI_COMM_NULL;
  bool is_first = true;
  python_log log(std::move(listener));
  job::solution_in_memory solved = [&] {
    const nb::gil_scoped_release others_may_run;
    comm = ranks ? communicator_of(*ranks) : world();
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    is_first = rank == 0;
    if (!is_first) log.be_silent();
    return job::solve_in_memory(comm, std::move(spec), std::move(planes), log,
                                [&log] { return log.is_interrupted() || is_python_ending(); });
  }();
  return {std::move(solved), std::move(image), comm, is_first, threads};
}

// Translate errors to exceptions of the package. The exceptions contain the exit code of the command line. A pending Python
// exception (interrupt, or error of the listener) has priority.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& e) {
    if (PyErr_Occurred()) return;
    if (is_to_end_silently()) return PyErr_SetNone(PyExc_SystemExit);
    const nb::object made = nb::module_::import_("osteon.errors").attr("error_of")(exit_code(e.kind()), e.what());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  }
}

}  // namespace

}  // namespace osteon::native

NB_MODULE(_native, m) {
  using namespace osteon::native;
  nb::register_exception_translator(translate);
  nb::class_<solution>(m, "Solution")
      .def_prop_ro("summary", &solution::summary)
      .def_prop_ro("fields", &solution::fields)
      .def("values", &solution::values, "number"_a)
      .def("material", &solution::material)
      .def_prop_ro("origin_mm", &solution::origin_mm)
      .def_prop_ro("spacing_mm", &solution::spacing_mm)
      .def("write", &solution::write, "directory"_a, "command"_a);
  m.def("solve", &solve, "toml"_a, "image"_a.none(), "threads"_a, "listener"_a.none(), "ranks"_a.none() = nb::none());
  m.def("why_not", [](const std::string& toml) { return osteon::job::reason_for_files(read_job(toml)); }, "toml"_a);
  m.def("is_forked", &is_forked);
  m.def(
      "end",
      [](bool other_threads) {
        // A daemon thread never leaves its frames. The objects in the variables of these frames therefore remain. These
        // objects are not leaks of this module.
        if (other_threads) nb::set_leak_warnings(false);
        end_calls();
      },
      "other_threads"_a);
}
