#include <osteon/io/n88/n88_group.hpp>

#include <fmt/format.h>

#include <array>

namespace osteon::io::n88 {

void group::fail(const std::string& fault) const {
  throw data_error(fmt::format("'{}': {}{}", path_, name_.empty() ? "" : name_ + ": ", fault));
}

void group::check(int status, const std::string& action) const {
  if (status != NC_NOERR) fail(fmt::format("cannot {}: {}", action, nc_strerror(status)));
}

std::optional<group> group::find(const std::string& name) const {
  int id = -1;
  if (nc_inq_ncid(id_, name.c_str(), &id) != NC_NOERR) return std::nullopt;
  return group(id, path_, name_.empty() ? name : name_ + "/" + name);
}

group group::at(const std::string& name) const {
  if (auto found = find(name)) return *found;
  fail(fmt::format("missing group '{}'", name));
}

std::vector<group> group::all() const {
  int count = 0;
  check(nc_inq_grps(id_, &count, nullptr), "list groups");
  std::vector<int> ids(static_cast<std::size_t>(count));
  check(nc_inq_grps(id_, &count, ids.data()), "list groups");
  std::vector<group> groups;
  for (const int id : ids) {
    std::array<char, NC_MAX_NAME + 1> name{};
    check(nc_inq_grpname(id, name.data()), "read the name of a group");
    groups.emplace_back(id, path_, name_.empty() ? name.data() : name_ + "/" + name.data());
  }
  return groups;
}

// Programs write text as characters; Python programs write strings.
std::optional<std::string> group::text(const char* attribute) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(id_, NC_GLOBAL, attribute, &type, &length) != NC_NOERR) return std::nullopt;
  if (type == NC_CHAR) {
    std::string value(length, '\0');
    check(nc_get_att_text(id_, NC_GLOBAL, attribute, value.data()), fmt::format("read '{}'", attribute));
    while (!value.empty() && value.back() == '\0') value.pop_back();
    return value;
  }
  if (type != NC_STRING || length != 1) fail(fmt::format("attribute '{}' must be a text", attribute));
  char* value = nullptr;
  check(nc_get_att_string(id_, NC_GLOBAL, attribute, &value), fmt::format("read '{}'", attribute));
  std::string copy = value == nullptr ? "" : value;
  nc_free_string(1, &value);
  return copy;
}

std::optional<double> group::number(const char* attribute) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(id_, NC_GLOBAL, attribute, &type, &length) != NC_NOERR) return std::nullopt;
  if (type == NC_CHAR || type == NC_STRING || length != 1)
    fail(fmt::format("attribute '{}' must be a single number", attribute));
  double value = 0;
  check(nc_get_att_double(id_, NC_GLOBAL, attribute, &value), fmt::format("read '{}'", attribute));
  return value;
}

int group::variable(const char* name) const {
  int id = -1;
  if (nc_inq_varid(id_, name, &id) != NC_NOERR) fail(fmt::format("missing variable '{}'", name));
  return id;
}

bool group::has(const char* name) const {
  int id = -1;
  return nc_inq_varid(id_, name, &id) == NC_NOERR;
}

std::vector<std::size_t> group::extents(const char* name) const {
  const int id = variable(name);
  int rank = 0;
  check(nc_inq_varndims(id_, id, &rank), fmt::format("read '{}'", name));
  std::vector<int> dimensions(static_cast<std::size_t>(rank));
  check(nc_inq_vardimid(id_, id, dimensions.data()), fmt::format("read '{}'", name));
  std::vector<std::size_t> lengths(dimensions.size());
  for (std::size_t d = 0; d < lengths.size(); ++d)
    check(nc_inq_dimlen(id_, dimensions[d], &lengths[d]), fmt::format("read '{}'", name));
  return lengths;
}

std::size_t group::length(const char* name) const {
  const auto lengths = extents(name);
  if (lengths.size() != 1)
    fail(fmt::format("variable '{}' has {} dimensions; must be one-dimensional", name, lengths.size()));
  return lengths[0];
}

group::window group::rows(const char* name, std::size_t first, std::size_t count) const {
  window w{{first}, {count}, count};
  const auto lengths = extents(name);
  for (std::size_t d = 1; d < lengths.size(); ++d) {
    w.first.push_back(0);
    w.count.push_back(lengths[d]);
    w.values *= lengths[d];
  }
  if (lengths.empty() || first + count > lengths[0]) fail(fmt::format("variable '{}' is too short", name));
  return w;
}

std::vector<long long> group::integers(const char* name, std::size_t first, std::size_t count) const {
  const window w = rows(name, first, count);
  std::vector<long long> values(w.values);
  if (!values.empty())
    check(nc_get_vara_longlong(id_, variable(name), w.first.data(), w.count.data(), values.data()),
          fmt::format("read '{}'", name));
  return values;
}

std::vector<double> group::numbers(const char* name, std::size_t first, std::size_t count) const {
  const window w = rows(name, first, count);
  std::vector<double> values(w.values);
  if (!values.empty())
    check(nc_get_vara_double(id_, variable(name), w.first.data(), w.count.data(), values.data()),
          fmt::format("read '{}'", name));
  return values;
}

std::vector<std::string> group::texts(const char* name) const {
  const std::size_t count = length(name);
  std::vector<char*> values(count);
  if (count > 0) check(nc_get_var_string(id_, variable(name), values.data()), fmt::format("read '{}'", name));
  std::vector<std::string> copies;
  for (const char* v : values) copies.emplace_back(v == nullptr ? "" : v);
  if (count > 0) nc_free_string(count, values.data());
  return copies;
}

}  // namespace osteon::io::n88
