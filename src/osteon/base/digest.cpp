#include <osteon/base/digest.hpp>

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <osteon/base/error.hpp>
#include <vector>

namespace osteon {

struct sha256::state {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

sha256::sha256() : state_(std::make_unique<state>()) {
  if (!state_->context || EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) != 1)
    throw machine_error("cannot start a SHA-256 digest: the OpenSSL library refused it");
}
sha256::~sha256() = default;

void sha256::update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

std::string sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_DigestFinal_ex(state_->context.get(), digest.data(), &length);
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
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
  if (file.bad()) throw data_error(fmt::format("cannot read '{}' to its end: {}", path, std::strerror(errno)));
  return digest.hex();
}

}  // namespace osteon
