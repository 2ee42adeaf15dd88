#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/io/files/model_checks.hpp>
#include <osteon/io/files/model_conditions.hpp>
#include <osteon/io/netcdf.hpp>

namespace osteon::io {
namespace {

constexpr const char *node_name = "condition_node", *force_name = "condition_force", *flags_name = "condition_flags",
                     *move_name = "condition_displacement";
constexpr std::uint8_t preserved_bit = 8;

void check(int status, const std::string& path) {
  check_netcdf(status, fmt::format("read the conditions of the model '{}'", path), error_kind::data);
}

// The variable of displacements is omitted if all are zero, as in older files.
bool moves_nodes(const voxel::model_header& header) {
  return std::any_of(header.conditions.begin(), header.conditions.end(),
                     [](const voxel::node_condition& c) { return !(c.move_mm == vector3{}); });
}

/// Find a variable and check its type and extents.
int checked_variable(int group, const char* name, nc_type type, std::size_t rows, std::size_t columns,
                     const std::string& path) {
  int id = -1, rank = 0;
  nc_type found = NC_NAT;
  std::array<int, NC_MAX_VAR_DIMS> dimensions{};
  check(nc_inq_varid(group, name, &id), path);
  check(nc_inq_var(group, id, nullptr, &found, &rank, dimensions.data(), nullptr), path);
  std::array<std::size_t, 2> extents{1, 1};
  for (int d = 0; d < rank && d < 2; ++d)
    check(nc_inq_dimlen(group, dimensions[static_cast<std::size_t>(d)], &extents[static_cast<std::size_t>(d)]), path);
  if (found != type || rank != (columns > 1 ? 2 : 1) || extents[0] != rows || (columns > 1 && extents[1] != columns))
    throw data_error(fmt::format("'{}': variable '{}' has an invalid type or shape", path, name));
  return id;
}

}  // namespace

std::int64_t bytes_of_conditions(const voxel::model_header& header) {
  return std::ssize(header.conditions) * 74;  // 24 + 24 + 24 + 1, rounded up; the reserve includes headers of variables
}

void define_conditions(int group, const voxel::model_header& header) {
  if (header.conditions.empty()) return;
  const int dimension[2] = {define_dimension(group, "condition", header.conditions.size()),
                            define_dimension(group, "axis", 3)};
  define_variable(group, node_name, NC_INT64, dimension, "node, z y x; 0 is the low corner of voxel 0");
  define_variable(group, force_name, NC_DOUBLE, dimension, "force on the node, z y x", "N");
  define_variable(group, flags_name, NC_UBYTE, {dimension, 1}, "1, 2, 4: fixed along z, y, x; 8: excluded from remodelling");
  if (moves_nodes(header))
    define_variable(group, move_name, NC_DOUBLE, dimension, "displacement along the fixed axes, z y x", "mm");
}

void write_conditions(int group, const voxel::model_header& header) {
  if (header.conditions.empty()) return;
  std::vector<long long> node;
  std::vector<double> force, move;
  std::vector<std::uint8_t> flags;
  for (const voxel::node_condition& c : header.conditions) {
    int bits = c.preserved ? preserved_bit : 0;
    for (int a = 0; a < 3; ++a) {
      node.push_back(c.node[a]);
      force.push_back(c.force_N[a]);
      move.push_back(c.move_mm[a]);
      if (c.held[static_cast<std::size_t>(a)]) bits |= 1 << a;
    }
    flags.push_back(static_cast<std::uint8_t>(bits));
  }
  check_netcdf(nc_put_var_longlong(group, find_variable(group, node_name), node.data()), "write the conditions");
  check_netcdf(nc_put_var_double(group, find_variable(group, force_name), force.data()), "write the conditions");
  check_netcdf(nc_put_var_uchar(group, find_variable(group, flags_name), flags.data()), "write the conditions");
  if (moves_nodes(header))
    check_netcdf(nc_put_var_double(group, find_variable(group, move_name), move.data()), "write the conditions");
}

std::vector<voxel::node_condition> read_conditions(int group, index3 shape, const std::string& path) {
  int dimension = -1;
  std::vector<voxel::node_condition> conditions;
  if (nc_inq_dimid(group, "condition", &dimension) != NC_NOERR) return conditions;
  std::size_t count = 0;
  check(nc_inq_dimlen(group, dimension, &count), path);
  if (count > most_conditions)
    throw data_error(fmt::format("'{}': number of conditions ({}): must be at most {}", path, count, most_conditions));
  const int node_id = checked_variable(group, node_name, NC_INT64, count, 3, path),
            force_id = checked_variable(group, force_name, NC_DOUBLE, count, 3, path),
            flags_id = checked_variable(group, flags_name, NC_UBYTE, count, 1, path);
  std::vector<long long> node(3 * count);
  std::vector<double> force(3 * count), move(3 * count);
  std::vector<std::uint8_t> flags(count);
  check(nc_get_var_longlong(group, node_id, node.data()), path);
  check(nc_get_var_double(group, force_id, force.data()), path);
  check(nc_get_var_uchar(group, flags_id, flags.data()), path);
  if (int id = -1; nc_inq_varid(group, move_name, &id) == NC_NOERR)
    check(nc_get_var_double(group, checked_variable(group, move_name, NC_DOUBLE, count, 3, path), move.data()), path);
  conditions.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    voxel::node_condition& c = conditions[i];
    c.preserved = (flags[i] & preserved_bit) != 0;
    for (int a = 0; a < 3; ++a) {
      const std::size_t at = 3 * i + static_cast<std::size_t>(a);
      c.node[a] = node[at];
      c.force_N[a] = force[at];
      c.move_mm[a] = move[at];
      c.held[static_cast<std::size_t>(a)] = (flags[i] >> a & 1) != 0;
      if (c.node[a] < 0 || c.node[a] > shape[a] || !std::isfinite(c.force_N[a]) || !std::isfinite(c.move_mm[a]))
        throw data_error(fmt::format(
            "'{}': condition {}: the node must be in the grid, and force and displacement must be finite", path, i));
    }
  }
  return conditions;
}

}  // namespace osteon::io
