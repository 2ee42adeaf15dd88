#pragma once
/// @file
/// Model files opened for reading (internal to io).
#include <fmt/format.h>
#include <netcdf.h>

#include <array>
#include <osteon/io/files/model_checks.hpp>
#include <osteon/io/netcdf.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Reads the required parts of a model file. A missing part causes a data_error.
class model_reader {
 public:
  explicit model_reader(const std::string& path) : path_(path), file_(open_to_read(path, "the model ")) {
    if (text(file_.id(), "product_schema") != model_schema)
      throw data_error(fmt::format("'{}': the schema must be '{}'; import the image again", path, model_schema));
    int complete = 0;
    check(nc_get_att_int(file_.id(), NC_GLOBAL, "complete", &complete), "complete");
    if (complete != 1) throw data_error(fmt::format("model '{}' is incomplete; import the image again", path));
  }
  int id() const { return file_.id(); }
  const std::string& path() const { return path_; }

  void check(int status, const std::string& name) const {
    check_netcdf(status, fmt::format("read '{}' of the model '{}'", name, path_), error_kind::data);
  }
  int group(const char* name) const {
    int id = -1;
    check(nc_inq_grp_full_ncid(file_.id(), name, &id), name);
    return id;
  }
  std::size_t length(int group_id, const char* name) const {
    int dimension = -1;
    std::size_t value = 0;
    check(nc_inq_dimid(group_id, name, &dimension), name);
    check(nc_inq_dimlen(group_id, dimension, &value), name);
    return value;
  }
  std::string text(int group_id, const char* name) const {
    std::size_t size = 0;
    nc_type type = NC_NAT;
    check(nc_inq_att(group_id, NC_GLOBAL, name, &type, &size), name);
    if (type != NC_CHAR || size > largest_text)
      throw data_error(fmt::format("'{}': attribute '{}' must be a text of at most {} bytes", path_, name, largest_text));
    std::string value(size, '\0');
    check(nc_get_att_text(group_id, NC_GLOBAL, name, value.data()), name);
    return value;
  }
  vector3 triple_xyz(int group_id, const char* name) const {
    std::size_t size = 0;
    check(nc_inq_attlen(group_id, NC_GLOBAL, name, &size), name);
    std::array<double, 3> v{};
    if (size != v.size()) throw data_error(fmt::format("'{}': attribute '{}' has {} values; must be 3", path_, name, size));
    check(nc_get_att_double(group_id, NC_GLOBAL, name, v.data()), name);
    return {v[2], v[1], v[0]};
  }
  /// Find a variable and check its type and extents.
  int variable(int group_id, const char* name, int type, const std::vector<std::size_t>& extents) const {
    int id = -1, rank = 0;
    nc_type found = NC_NAT;
    check(nc_inq_varid(group_id, name, &id), name);
    check(nc_inq_var(group_id, id, nullptr, &found, &rank, nullptr, nullptr), name);
    bool same = found == type && rank == static_cast<int>(extents.size());
    if (same) {
      std::vector<int> dimensions(extents.size());
      check(nc_inq_vardimid(group_id, id, dimensions.data()), name);
      for (std::size_t i = 0; i < extents.size(); ++i) {
        std::size_t extent = 0;
        check(nc_inq_dimlen(group_id, dimensions[i], &extent), name);
        same = same && extent == extents[i];
      }
    }
    if (!same) throw data_error(fmt::format("'{}': variable '{}' has an invalid type or shape", path_, name));
    return id;
  }

 private:
  std::string path_;
  netcdf_file file_;
};

}  // namespace osteon::io
