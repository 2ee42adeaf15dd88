#include <osteon/io/storage.hpp>

#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_filter.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/io/chunk_codec.hpp>
#include <osteon/io/netcdf.hpp>

namespace osteon::io {
namespace {

/// True if HDF5 finds the filter. netCDF requires an open file for this query; therefore a file in memory is opened.
bool filter_available(unsigned id) {
  int file = -1;
  if (nc_create("filter", NC_NETCDF4 | NC_DISKLESS, &file) != NC_NOERR) return false;
  const netcdf_file closed_at_the_end(file);
  return nc_inq_filter_avail(file, id) == NC_NOERR;
}

std::string filter_remedy(unsigned id) {
  const char* path = std::getenv("HDF5_PLUGIN_PATH");
  return fmt::format(
      "HDF5 filter {} is not available in HDF5_PLUGIN_PATH ({}); run `pip install hdf5plugin`, and set HDF5_PLUGIN_PATH to "
      "the "
      "output of `python -c 'import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)'`",
      id, path ? path : "not set");
}

}  // namespace

compression compression_of(const std::string& name) {
  if (name == "none") return compression::none;
  if (name == "deflate") return compression::deflate;
  if (name == "zstd") return compression::zstd;
  throw usage_error(fmt::format("unknown compression '{}'; must be deflate, zstd or none", name));
}

void check_storage(const storage& options) {
  const int highest = options.method == compression::zstd ? 19 : 9;
  if (options.level && (*options.level < 1 || *options.level > highest || options.method == compression::none))
    throw usage_error(
        fmt::format("compression level {}: must be 1 to 9 for deflate, 1 to 19 for zstd, absent for none", *options.level));
  if (options.significant_digits < 0 || options.significant_digits > 6)
    throw usage_error(
        fmt::format("number of significant digits ({}): must be 1 to 6, or 0 for exact values", options.significant_digits));
  if (options.method != compression::zstd) return;
  if (!can_write_zstd())
    throw usage_error(
        "zstd: this build of osteon does not include zstd; install the library (Debian: libzstd-dev) and rebuild, or use "
        "deflate");
  if (filter_available(zstd_filter)) return;
  throw usage_error("zstd: " + filter_remedy(zstd_filter) + ", or use deflate");
}

std::string missing_filter(int group, int variable) {
  constexpr std::size_t most = 16;
  std::size_t count = 0;
  std::array<unsigned, most> ids{};
  if (nc_inq_var_filter_ids(group, variable, &count, nullptr) != NC_NOERR || count > most ||
      nc_inq_var_filter_ids(group, variable, &count, ids.data()) != NC_NOERR)
    return "";
  for (std::size_t i = 0; i < count; ++i)
    if (nc_inq_filter_avail(group, ids[i]) != NC_NOERR) return filter_remedy(ids[i]);
  return "";
}

int bits_for_digits(int significant_digits) { return static_cast<int>(std::ceil(significant_digits * std::log2(10.0))); }

void round_to_bits(std::span<float> values, int bits) {
  const int dropped = 23 - bits;
  if (dropped <= 0) return;
  const std::uint32_t last = std::uint32_t{1} << dropped, half = last >> 1;
  for (float& v : values) {
    if (!std::isfinite(v)) continue;
    std::uint32_t u = std::bit_cast<std::uint32_t>(v);
    u += half - 1 + ((u & last) != 0 ? 1 : 0);
    v = std::bit_cast<float>(u & ~(last - 1));
  }
}

}  // namespace osteon::io
