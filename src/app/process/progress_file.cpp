#include <app/process/progress_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>

namespace osteon::app {

namespace {

using line = nlohmann::ordered_json;

constexpr double seconds_between_progress = 0.1;

// Append an event with time, kind and fields.
void append(const std::string& path, const char* kind, const line& fields) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  line event{{"time", std::round(now * 1000) / 1000}, {"kind", kind}};
  event.update(fields);
  const std::string text = json_to_text(event) + "\n";
  [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
  close(file);
}

// Return the number after a word in the progress text of a solver.
std::optional<double> number_after(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + word.size());
  double value = 0;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return fault == std::errc{} ? std::optional(value) : std::nullopt;
}

}  // namespace

void progress_file::note(std::string_view text) {
  to_.note(text);
  append(path_, "note", {{"text", text}});
}

void progress_file::warn(std::string_view text) {
  to_.warn(text);
  append(path_, "warning", {{"text", text}});
}

void progress_file::stage(std::string_view name) {
  to_.stage(name);
  stage_ = name;
  since_stage_.restart();
  first_ = true;
  append(path_, "stage", {{"stage", stage_}});
}

void progress_file::progress(double fraction, std::string_view detail) {
  to_.progress(fraction, detail);
  if (path_.empty() || (!first_ && fraction < 1 && since_line_.seconds() < seconds_between_progress)) return;
  since_line_.restart();
  first_ = false;
  line l{{"stage", stage_}, {"fraction", fraction}};
  if (const auto n = number_after(detail, "iteration ")) l["iteration"] = static_cast<std::int64_t>(*n);
  if (const auto r = number_after(detail, "residual ")) l["residual"] = *r;
  const double elapsed = since_stage_.seconds();
  if (fraction > 0.02 && elapsed > 0.5) l["seconds_left"] = elapsed * (1 - fraction) / fraction;
  l["text"] = detail;
  append(path_, "progress", l);
}

void begin_progress(const std::string& path, bool resumes) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (resumes ? O_APPEND : O_TRUNC), 0666);
  if (file < 0)
    throw machine_error(
        fmt::format("cannot write the --progress file '{}': {}; choose another file", path, std::strerror(errno)));
  close(file);
  append(path, resumes ? "resume" : "begin", {{"schema", "osteon.progress/1"}});
}

void end_progress(const std::string& path, int exit_code, std::string_view text) {
  line l{{"exit_code", exit_code}};
  if (!text.empty()) l["text"] = text;
  append(path, "end", l);
}

}  // namespace osteon::app
