#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <osteon/io/files/model_checks.hpp>
#include <osteon/io/files/model_conditions.hpp>
#include <osteon/io/files/open_model.hpp>

namespace osteon::io {
namespace {

constexpr const char *node_name = "condition_node", *force_name = "condition_force", *flags_name = "condition_flags",
                     *move_name = "condition_displacement";
constexpr std::uint8_t preserved_bit = 8;

// The variable of displacements is omitted if all displacements are zero, as in older files.
bool moves_nodes(const voxel::model_header& header) {
  return std::any_of(header.conditions.begin(), header.conditions.end(),
                     [](const voxel::node_condition& c) { return !(c.move_mm == vector3{}); });
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

std::vector<voxel::node_condition> read_conditions(const model_reader& file, int group, index3 shape) {
  const std::string& path = file.path();
  std::vector<voxel::node_condition> conditions;
  if (int dimension = -1; nc_inq_dimid(group, "condition", &dimension) != NC_NOERR) return conditions;
  const std::size_t count = file.length(group, "condition");
  if (count > most_conditions)
    throw data_error(fmt::format("'{}': number of conditions ({}): must be at most {}", path, count, most_conditions));
  const int node_id = file.variable(group, node_name, NC_INT64, {count, 3}),
            force_id = file.variable(group, force_name, NC_DOUBLE, {count, 3}),
            flags_id = file.variable(group, flags_name, NC_UBYTE, {count});
  std::vector<long long> node(3 * count);
  std::vector<double> force(3 * count), move(3 * count);
  std::vector<std::uint8_t> flags(count);
  file.check(nc_get_var_longlong(group, node_id, node.data()), node_name);
  file.check(nc_get_var_double(group, force_id, force.data()), force_name);
  file.check(nc_get_var_uchar(group, flags_id, flags.data()), flags_name);
  if (int id = -1; nc_inq_varid(group, move_name, &id) == NC_NOERR)
    file.check(nc_get_var_double(group, file.variable(group, move_name, NC_DOUBLE, {count, 3}), move.data()), move_name);
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
