#include <app/installed.hpp>

#include <app/launcher.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace osteon::app {

void use_installed_python() {
  const auto package = std::filesystem::path(own_path()).parent_path().parent_path() / "share/osteon/python";
  if (!std::filesystem::exists(package / "osteon")) return;
  const char* others = std::getenv("PYTHONPATH");
  const std::string path = package.string() + (others && *others ? ":" + std::string(others) : "");
  setenv("PYTHONPATH", path.c_str(), 1);
}

}  // namespace osteon::app
