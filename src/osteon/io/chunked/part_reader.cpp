#include <osteon/io/chunked/part_reader.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <osteon/base/xxh3.hpp>
#include <osteon/base/xxh64.hpp>
#include <span>

namespace osteon::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{256} << 10;  // half of a second-level cache

}  // namespace

part_reader::part_reader(std::string path, error_kind fault)
    : path_(std::move(path)), fault_(fault), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)), piece_(piece_bytes) {
  if (descriptor_ < 0) throw_error(fault_, fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
}

part_reader::~part_reader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

template <class Digest>
std::string part_reader::digest_by(std::int64_t address, std::int64_t length) {
  Digest sum;
  for (std::int64_t done = 0; done < length;) {
    const std::size_t want = static_cast<std::size_t>(std::min(std::ssize(piece_), length - done));
    const ssize_t got = ::pread(descriptor_, piece_.data(), want, address + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_error(fault_, fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
    if (got == 0) return "";
    sum.update(std::span(piece_).first(static_cast<std::size_t>(got)));
    done += got;
  }
  return sum.hex();
}

std::string part_reader::digest(std::int64_t address, std::int64_t length) { return digest_by<xxh3>(address, length); }

std::string part_reader::older_digest(std::int64_t address, std::int64_t length) {
  return digest_by<xxh64>(address, length);
}

}  // namespace osteon::io
