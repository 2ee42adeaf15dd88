#include <osteon/base/digest.hpp>

#include <fmt/format.h>
// Only the functions of SHA-256 are used. The generic interface would link all of OpenSSL into a static program.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <osteon/base/error.hpp>
#include <vector>

namespace osteon {

struct sha256::state {
  SHA256_CTX context;
};

sha256::sha256() : state_(std::make_unique<state>()) {
  if (SHA256_Init(&state_->context) != 1) throw machine_error("cannot start a SHA-256 digest: OpenSSL reported an error");
}
sha256::~sha256() = default;

void sha256::update(std::span<const std::byte> bytes) { SHA256_Update(&state_->context, bytes.data(), bytes.size()); }

std::string sha256::hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &state_->context);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256_of(std::span<const std::byte> bytes) {
  sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

std::string sha256_of_file(const std::string& path, const std::function<void()>& between) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  sha256 digest;
  std::vector<char> buffer(1 << 20);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0) {
    digest.update(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(file.gcount()))));
    if (between) between();
  }
  if (file.bad()) throw data_error(fmt::format("cannot read '{}' completely: {}", path, std::strerror(errno)));
  return digest.hex();
}

}  // namespace osteon
