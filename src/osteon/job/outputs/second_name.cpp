#include <osteon/job/outputs/second_name.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace osteon::job {

namespace fs = std::filesystem;

bool give_second_name(const std::string& results, const std::string& name, log_sink& log) {
  std::error_code failed;
  fs::remove(name, failed);  // it would be of an earlier job
  if (!failed) fs::create_hard_link(results, name, failed);
  if (!failed) return true;
  log.note(
      fmt::format("no '{}', as this file system makes no hard links ({}): for ParaView and PyVista, copy '{}' to that name",
                  name, failed.message(), results));
  return false;
}

}  // namespace osteon::job
