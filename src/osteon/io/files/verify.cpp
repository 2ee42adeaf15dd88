#include <osteon/io/files/verify.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <osteon/base/xxh3.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/io/metadata_digest.hpp>
#include <osteon/io/netcdf.hpp>

namespace osteon::io {
namespace {

constexpr std::int64_t most_bytes_at_once = std::int64_t{64} << 20;
constexpr double largest_plane = 4294967295.0;  // limit of an HDF5 chunk in bytes

std::string text_attribute(int group, const char* name) {
  std::size_t length = 0;
  nc_type type = NC_NAT;
  if (nc_inq_att(group, NC_GLOBAL, name, &type, &length) != NC_NOERR || type != NC_CHAR || length > 256) return "";
  std::string text(length, '\0');
  return nc_get_att_text(group, NC_GLOBAL, name, text.data()) == NC_NOERR ? text : "";
}

struct variable_shape {
  int group = -1, id = -1;
  nc_type type = NC_NAT;
  std::vector<std::size_t> extent;
  std::int64_t planes() const { return static_cast<std::int64_t>(extent[0]); }
  std::int64_t bytes_per_plane() const {
    std::int64_t bytes = type == NC_FLOAT ? 4 : type == NC_USHORT ? 2 : 1;
    for (std::size_t i = 1; i < extent.size(); ++i) bytes *= static_cast<std::int64_t>(extent[i]);
    return bytes;
  }
};

/// Verifies a file and collects its faults.
class verifier {
 public:
  verifier(const std::string& path, const std::function<void(std::int64_t)>& before_reading)
      : before_reading_(before_reading), file_(open_to_read(path)) {
    result_.schema = text_attribute(file_.id(), "product_schema");
    if (result_.schema != model_schema && result_.schema != result_schema)
      throw data_error(
          fmt::format("'{}': not a model or result of osteon (product_schema is '{:.40}')", path, result_.schema));
  }

  verification run() {
    int complete = 0;
    if (nc_get_att_int(file_.id(), NC_GLOBAL, "complete", &complete) != NC_NOERR || complete != 1)
      add("", "the file is incomplete (attribute 'complete' is not 1)");
    if (nc_inq_grp_full_ncid(file_.id(), "/integrity", &integrity_) != NC_NOERR) {
      add("", "the file has no digests (missing group 'integrity')");
      return result_;
    }
    check_metadata();
    for (const char* kind : {"CellData", "PointData"}) check_group(kind);
    return result_;
  }

 private:
  void add(const std::string& variable, const std::string& text, std::int64_t first = 0, std::int64_t last = -1) {
    auto& all = result_.faults;
    if (!all.empty() && last >= first && all.back().variable == variable && all.back().text == text &&
        all.back().last + 1 == first)
      all.back().last = last;
    else
      all.push_back({variable, first, last, text});
  }

  void check_metadata() {
    try {
      if (metadata_digest(file_.id()) != text_attribute(integrity_, metadata_attribute))
        add("", "the metadata (spacing, materials, names, attributes ...) do not match their digest");
    } catch (const error& e) {
      add("", fmt::format("the metadata cannot be read: {}", e.what()));
    }
  }

  void check_group(const std::string& kind) {
    int group = -1, count = 0;
    if (nc_inq_grp_full_ncid(file_.id(), ("/VTKHDF/" + kind).c_str(), &group) != NC_NOERR ||
        nc_inq_varids(group, &count, nullptr) != NC_NOERR || count < 0 || count > 4096)
      return add(kind, "the group cannot be read");
    std::vector<int> ids(static_cast<std::size_t>(count));
    if (nc_inq_varids(group, &count, ids.data()) != NC_NOERR) return add(kind, "the group cannot be read");
    for (int id : ids) {
      std::array<char, NC_MAX_NAME + 1> name{};
      if (nc_inq_varname(group, id, name.data()) != NC_NOERR)
        add(kind, "a field cannot be read");
      else
        check_variable(group, id, name.data(), kind + "/" + name.data());
    }
  }

  /// Read the type and shape of a variable. The function returns false if osteon does not write this type or shape.
  bool find_shape(variable_shape& v) const {
    int rank = 0;
    std::array<int, 4> dimension{};
    if (nc_inq_var(v.group, v.id, nullptr, &v.type, &rank, nullptr, nullptr) != NC_NOERR || rank < 3 || rank > 4 ||
        (v.type != NC_UBYTE && v.type != NC_USHORT && v.type != NC_FLOAT) ||
        nc_inq_vardimid(v.group, v.id, dimension.data()) != NC_NOERR)
      return false;
    v.extent.resize(static_cast<std::size_t>(rank));
    double plane = 4;
    for (std::size_t i = 0; i < v.extent.size(); ++i) {
      if (nc_inq_dimlen(v.group, dimension[i], &v.extent[i]) != NC_NOERR || v.extent[i] < 1 || v.extent[i] > (1 << 20) + 1)
        return false;
      if (i > 0) plane *= static_cast<double>(v.extent[i]);
    }
    return plane <= largest_plane;
  }

  void check_variable(int group, int id, const char* name, const std::string& shown) {
    variable_shape v{group, id, NC_NAT, {}};
    if (!find_shape(v)) return add(shown, "has an unsupported type or shape");
    int digest_id = -1, rank = 0, dimension[2];
    long long step = 0;
    std::size_t rows = 0, length = 0;
    const bool found = nc_inq_varid(integrity_, name, &digest_id) == NC_NOERR &&
                       nc_inq_varndims(integrity_, digest_id, &rank) == NC_NOERR && rank == 2 &&
                       nc_inq_vardimid(integrity_, digest_id, dimension) == NC_NOERR &&
                       nc_inq_dimlen(integrity_, dimension[0], &rows) == NC_NOERR &&
                       nc_inq_dimlen(integrity_, dimension[1], &length) == NC_NOERR &&
                       nc_get_att_longlong(integrity_, digest_id, planes_attribute, &step) == NC_NOERR;
    if (!found) return add(shown, "has no digests");
    if (step < 1 || length != digest_length || static_cast<std::int64_t>(rows) != (v.planes() + step - 1) / step)
      return add(shown, "the number of digests does not match the number of planes");
    if (const std::string missing = missing_filter(group, id); !missing.empty()) {
      result_.filter_missing = true;
      return add(shown, "cannot be read: " + missing);
    }
    const bool is_new = has_new_digests(integrity_, digest_id);
    ++result_.variables;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t begin = static_cast<std::int64_t>(row) * step,
                         end = std::min<std::int64_t>(begin + step, v.planes());
      std::string expected(digest_length, '\0');
      const std::size_t at[2] = {row, 0}, one[2] = {1, digest_length};
      if (nc_get_vara_text(integrity_, digest_id, at, one, expected.data()) != NC_NOERR) {
        add(shown, "the digests cannot be read", begin, end - 1);
        continue;
      }
      const std::string found_digest = is_new ? digest_of<xxh3>(v, begin, end) : digest_of<xxh64>(v, begin, end);
      if (found_digest.empty())
        add(shown, "cannot be read", begin, end - 1);
      else if (found_digest != expected)
        add(shown, "does not match its digests", begin, end - 1);
    }
  }

  /// Digest of the values of planes [begin, end); empty if the values cannot be read.
  template <class Digest>
  std::string digest_of(const variable_shape& v, std::int64_t begin, std::int64_t end) {
    Digest digest;
    const std::int64_t plane = v.bytes_per_plane(), step = std::max<std::int64_t>(most_bytes_at_once / plane, 1);
    for (std::int64_t z = begin; z < end; z += step) {
      const std::int64_t planes = std::min(step, end - z);
      buffer_.resize(static_cast<std::size_t>(planes * plane));
      if (before_reading_) before_reading_(planes * plane);
      std::vector<std::size_t> start(v.extent.size(), 0), count(v.extent);
      start[0] = static_cast<std::size_t>(z);
      count[0] = static_cast<std::size_t>(planes);
      if (nc_get_vara(v.group, v.id, start.data(), count.data(), buffer_.data()) != NC_NOERR) return "";
      digest.update(buffer_);
      result_.planes += planes;
      result_.bytes += planes * plane;
    }
    return digest.hex();
  }

  const std::function<void(std::int64_t)>& before_reading_;
  verification result_;
  netcdf_file file_;
  int integrity_ = -1;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::string to_text(const fault& f) {
  if (f.variable.empty()) return f.text;
  if (f.last < f.first) return fmt::format("{}: {}", f.variable, f.text);
  if (f.last == f.first) return fmt::format("{}, plane {}: {}", f.variable, f.first, f.text);
  return fmt::format("{}, planes {} to {}: {}", f.variable, f.first, f.last, f.text);
}

verification verify_file(const std::string& path, const std::function<void(std::int64_t)>& before_reading) {
  return verifier(path, before_reading).run();
}

}  // namespace osteon::io
