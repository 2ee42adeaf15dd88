#include <app/dashed_names.hpp>

#include <filesystem>

namespace osteon::app {

void protect_dashed_names(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() == "join" || arguments.front() == "place") return;
  bool behind = false;
  for (std::string& word : arguments) {
    if (word == "--" && !behind) {
      behind = true;
      continue;
    }
    std::error_code ignored;
    const bool is_job = word.ends_with(".toml") && std::filesystem::is_regular_file(word, ignored);
    if (word.starts_with('-') && (behind || is_job)) word.insert(0, "./");
  }
}

}  // namespace osteon::app
