#include <app/process/parent_process.hpp>

#include <fmt/format.h>

#include <charconv>
#include <osteon/base/error.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::app {

namespace {

constexpr std::string_view first_word = "--started-by=";
constexpr char separator = ',';  // this character does not occur in host names and times

std::optional<parent_process> known;
std::string began;

std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == separator)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

}  // namespace

std::string started_by(const parent_process& parent) {
  return fmt::format("{}{},{},{},{},{},{},{},{}", first_word, parent.ranks, parent.interactive ? "terminal" : "file",
                     parent.time, parent.host, parent.network, parent.socket, parent.images, parent.labels);
}

void extract_parent_record(std::vector<std::string>& arguments) {
  began = job::utc_now();
  if (arguments.empty() || !arguments.front().starts_with(first_word)) return;
  const std::string word = arguments.front();
  arguments.erase(arguments.begin());
  const std::vector<std::string> fields = fields_of(std::string_view(word).substr(first_word.size()));
  parent_process parent;
  const auto count_ends = [&](const std::string& text) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), parent.ranks);
    return fault == std::errc{} && end == text.data() + text.size() && parent.ranks > 0;
  };
  if (fields.size() != 8 || !count_ends(fields[0]) || (fields[1] != "terminal" && fields[1] != "file"))
    throw usage_error(fmt::format(
        "'{}' is not a valid record of a parent process; leave it out (`osteon --help` lists the options)", word));
  parent.interactive = fields[1] == "terminal";
  parent.time = fields[2];
  parent.host = fields[3];
  parent.network = fields[4];
  parent.socket = fields[5];
  parent.images = fields[6];
  parent.labels = fields[7];
  known = parent;
}

const std::optional<parent_process>& parent() { return known; }

std::string start_time() { return known ? known->time : began; }

}  // namespace osteon::app
