#include <fmt/format.h>
#include <sys/stat.h>

#include <bridge/error.hpp>
#include <bridge/wire/channel.hpp>
#include <bridge/wire/job_key.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace osteon::bridge::wire {
namespace {

constexpr std::size_t shortest = 22;  ///< number of characters for 128 bits in base64
constexpr const char* advice = "create one by `(umask 077; openssl rand -hex 32 > FILE)`";

}  // namespace

std::string fault_of_key(const std::string& key) {
  if (key.size() >= shortest) return "";
  return fmt::format("the job key has {} characters; at least {} are required: {}", key.size(), shortest, advice);
}

std::string read_key_file(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0)
    throw usage_error(fmt::format("the key file '{}' cannot be read: {}", path, std::strerror(errno)));
  if (S_ISREG(info.st_mode) && (info.st_mode & 077) != 0)
    throw usage_error(fmt::format("the key file '{}' is readable by others (mode {:03o}), so its key is not secret; {}",
                                  path, info.st_mode & 0777, advice));
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  if (const std::string fault = fault_of_key(line); !fault.empty())
    throw usage_error(fmt::format("the key file '{}': {} (its first line is the key)", path, fault));
  return line;
}

std::string new_key() {
  std::string hex;
  for (const char c : random_bytes(32)) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

}  // namespace osteon::bridge::wire
