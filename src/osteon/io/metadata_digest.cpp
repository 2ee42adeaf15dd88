#include <osteon/io/metadata_digest.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <osteon/base/digest.hpp>
#include <osteon/io/netcdf.hpp>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace osteon::io {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // limit of an attribute or variable; most_conditions fit
constexpr int most_items = 4096;                          // limit of groups, attributes or variables of a group
constexpr int deepest = 4;                                // limit of nested groups

void check(int status) { check_netcdf(status, "read the metadata", error_kind::data); }

std::string hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (std::byte b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

// Sorted lines of text, one for each attribute and variable. Programs that copy a file may change the order.
class listing {
 public:
  void group(int id, const std::string& path, int depth = 0) {
    if (depth > deepest) throw data_error(fmt::format("groups are nested more than {} levels deep", deepest));
    attributes(id, NC_GLOBAL, path);
    variables(id, path);
    int count = 0;
    check(nc_inq_grps(id, &count, nullptr));
    std::vector<int> groups(limited(count));
    check(nc_inq_grps(id, &count, groups.data()));
    for (int g : groups) {
      std::array<char, NC_MAX_NAME + 1> name{};
      check(nc_inq_grpname(g, name.data()));
      if (path != "/" || std::string_view(name.data()) != "integrity") group(g, path + name.data() + "/", depth + 1);
    }
  }
  std::string digest() const {
    sha256 d;
    for (const std::string& line : lines_) d.update(std::as_bytes(std::span(line)));
    return d.hex();
  }

 private:
  static std::size_t limited(int count) {
    if (count < 0 || count > most_items)
      throw data_error(fmt::format("a group has {} attributes, variables or groups; the limit is {}", count, most_items));
    return static_cast<std::size_t>(count);
  }

  static std::size_t size_of(int group_id, nc_type type, std::size_t count) {
    std::size_t one = 0;
    if (type < NC_BYTE || type > NC_UINT64)
      throw data_error(fmt::format("an attribute or variable has the unsupported netCDF type {}", type));
    check(nc_inq_type(group_id, type, nullptr, &one));
    if (count > most_bytes / one)
      throw data_error(
          fmt::format("an attribute or variable has too many values ({}); the limit is {} bytes", count, most_bytes));
    return one * count;
  }

  void attributes(int group_id, int variable, const std::string& path) {
    int count = 0;
    check(nc_inq_varnatts(group_id, variable, &count));
    for (std::size_t i = 0; i < limited(count); ++i) {
      std::array<char, NC_MAX_NAME + 1> name{};
      check(nc_inq_attname(group_id, variable, static_cast<int>(i), name.data()));
      const std::string_view n(name.data());
      // The digest excludes `complete`, which is set last, and attributes that other programs change when they copy files.
      if (path == "/" && (n == "complete" || n == "history" || n == "_NCProperties" || n == "NCO")) continue;
      nc_type type = NC_NAT;
      std::size_t length = 0;
      check(nc_inq_att(group_id, variable, name.data(), &type, &length));
      std::vector<std::byte> bytes(size_of(group_id, type, length));
      check(nc_get_att(group_id, variable, name.data(), bytes.data()));
      lines_.insert(fmt::format("attribute {}@{} {} {}\n", path, n, static_cast<int>(type), hex(bytes)));
    }
  }

  void variables(int group_id, const std::string& path) {
    int count = 0;
    check(nc_inq_varids(group_id, &count, nullptr));
    std::vector<int> ids(limited(count));
    check(nc_inq_varids(group_id, &count, ids.data()));
    for (int id : ids) {
      std::array<char, NC_MAX_NAME + 1> name{};
      std::array<int, NC_MAX_VAR_DIMS> dimension{};
      nc_type type = NC_NAT;
      int rank = 0;
      check(nc_inq_varndims(group_id, id, &rank));
      if (path == "/" && rank > 2) continue;  // a hard link to a field of /VTKHDF
      if (rank > 4) throw data_error(fmt::format("a variable has {} dimensions; the limit is 4", rank));
      check(nc_inq_var(group_id, id, name.data(), &type, nullptr, dimension.data(), nullptr));
      std::string line = fmt::format("variable {}{} {}", path, name.data(), static_cast<int>(type));
      std::size_t values = 1;
      for (int d = 0; d < rank; ++d) {
        std::array<char, NC_MAX_NAME + 1> of{};
        std::size_t length = 0;
        check(nc_inq_dim(group_id, dimension[static_cast<std::size_t>(d)], of.data(), &length));
        line += fmt::format(" {}={}", of.data(), length);
        values = length > most_bytes ? most_bytes + 1 : std::min(values * length, most_bytes + 1);
      }
      if (!path.starts_with("/VTKHDF/")) {  // fields have separate digests
        std::vector<std::byte> bytes(size_of(group_id, type, values));
        check(nc_get_var(group_id, id, bytes.data()));
        line += fmt::format(" {}", sha256_of(bytes));
      }
      lines_.insert(line + "\n");
      attributes(group_id, id, path + name.data());
    }
  }

  std::set<std::string> lines_;
};

}  // namespace

std::string metadata_digest(int file) {
  listing all;
  all.group(file, "/");
  return all.digest();
}

}  // namespace osteon::io
