#include <native/python_log.hpp>

namespace nb = nanobind;

namespace osteon::native {

void python_log::warn(std::string_view text) {
  if (is_silent_) return;
  const nb::gil_scoped_acquire held;
  if (raised_) return;
  try {
    nb::module_::import_("osteon.errors").attr("warn_of_job")(nb::str(text.data(), text.size()));
  } catch (nb::python_error& e) {  // the user may turn warnings into errors
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

}  // namespace osteon::native
