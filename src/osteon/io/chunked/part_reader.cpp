#include <osteon/io/chunked/part_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <osteon/base/xxh3.hpp>
#include <osteon/base/xxh64.hpp>
#include <span>

namespace osteon::io {
namespace {

constexpr std::size_t piece_bytes = std::size_t{256} << 10;  // half of a second-level cache

}  // namespace

part_reader::part_reader(std::string path, error_kind fault)
    : path_(std::move(path)), fault_(fault), file_(path_, O_RDONLY), piece_(piece_bytes) {
  if (file_ < 0) throw_error(fault_, fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
}

template <class Digest>
std::string part_reader::digest_by(std::int64_t address, std::int64_t length) {
  Digest sum;
  for (std::int64_t done = 0; done < length;) {
    const std::int64_t got =
        read_at(file_, piece_.data(), std::min<std::int64_t>(std::ssize(piece_), length - done), address + done);
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
