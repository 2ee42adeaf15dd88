#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <span>

namespace osteon::machine {

namespace {

using json = nlohmann::ordered_json;

json to_json(const host_tree& tree) {
  json cores = json::array();
  for (const core& c : tree.cores) cores.push_back({c.package, c.numa, c.l3, to_list(c.pus)});
  json result = {{"synthetic", tree.synthetic}, {"allowed", to_list(tree.allowed)}, {"cores", std::move(cores)}};
  if (!tree.numa_bytes.empty()) result["numa_bytes"] = tree.numa_bytes;
  return result;
}

json to_json(const host_links& links) {
  json latency = json::array(), bandwidth = json::array();
  for (const link& l : links.values()) {
    latency.push_back(l.latency_s);
    bandwidth.push_back(l.bandwidth);
  }
  json result = {{"hosts", links.hosts()}};
  if (!links.is_dense()) result["cluster_of"] = links.cluster_of();
  result["latency_s"] = std::move(latency);
  result["bandwidth_B_per_s"] = std::move(bandwidth);
  return result;
}

json to_json(const path_speeds& seen) {
  json inside = json::object();
  for (std::size_t i = 0; i < paths_inside; ++i)
    if (seen.inside[i])
      inside[std::string(name_of(all_paths[i]))] = {{"latency_s", seen.inside[i]->latency_s},
                                                    {"bandwidth_B_per_s", seen.inside[i]->bandwidth}};
  return {{"inside", std::move(inside)}, {"between", to_json(seen.between)}};
}

[[noreturn]] void reject(const std::string& file, const std::string& fault) {
  throw data_error(fmt::format(
      "{}: {}; the file is damaged or not a machine file: create a new file by `osteon probe -o {}`", file, fault, file));
}

// Reads values and rejects invalid values.
class reader {
 public:
  explicit reader(const std::string& file) : file_(file) {}

  const json& member(const json& object, const char* key) const {
    if (!object.is_object()) reject(file_, fmt::format("expected an object with '{}'", key));
    const auto found = object.find(key);
    if (found == object.end()) reject(file_, fmt::format("missing '{}'", key));
    return *found;
  }
  std::string text(const json& value, const char* key) const {
    if (!value.is_string()) reject(file_, fmt::format("'{}' must be a string", key));
    return value.get<std::string>();
  }
  const json& list(const json& object, const char* key) const {
    const json& value = member(object, key);
    if (!value.is_array()) reject(file_, fmt::format("'{}' must be a list", key));
    return value;
  }
  int index(const json& value, std::size_t limit, const char* key) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= limit)
      reject(file_, fmt::format("'{}' contains {}; must be an integer in [0, {})", key, shortened(value), limit));
    return static_cast<int>(value.get<std::uint64_t>());
  }
  double seconds_or_rate(const json& value, const char* key) const {
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!std::isfinite(number) || number < 0)
      reject(file_, fmt::format("'{}' contains {}; must be a number >= 0", key, shortened(value)));
    return number;
  }
  std::uint64_t bytes_of_node(const json& value) const {
    constexpr auto most = std::uint64_t{1} << 60;
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 || value.get<std::uint64_t>() > most)
      reject(file_, fmt::format("'numa_bytes' contains {}; must be from 1 to {}", shortened(value), most));
    return value.get<std::uint64_t>();
  }
  pu_set pus(const json& value, const char* key) const {
    try {
      return parse_pu_list(text(value, key));
    } catch (const data_error& e) {
      reject(file_, fmt::format("'{}': {}", key, e.what()));
    }
  }
  link one_link(const json& object) const {
    return {seconds_or_rate(member(object, "latency_s"), "latency_s"),
            seconds_or_rate(member(object, "bandwidth_B_per_s"), "bandwidth_B_per_s")};
  }

  host_tree tree(const json& object) const {
    host_tree result;
    const json& synthetic = member(object, "synthetic");
    if (!synthetic.is_boolean()) reject(file_, "'synthetic' must be true or false");
    result.synthetic = synthetic.get<bool>();
    result.allowed = pus(member(object, "allowed"), "allowed");
    pu_set all;
    const json& cores = list(object, "cores");
    for (const json& row : cores) {
      if (!row.is_array() || row.size() != 4)
        reject(file_, "a core must be a list of package, NUMA node, L3 and hardware threads");
      core c{index(row[0], cores.size(), "cores"), index(row[1], cores.size(), "cores"),
             index(row[2], cores.size(), "cores"), pus(row[3], "cores")};
      if (c.pus.empty()) reject(file_, "a core has no hardware thread");
      all.insert(all.end(), c.pus.begin(), c.pus.end());
      result.cores.push_back(std::move(c));
    }
    if (object.contains("numa_bytes")) {
      for (const json& bytes : list(object, "numa_bytes"))
        result.numa_bytes.push_back(static_cast<std::int64_t>(bytes_of_node(bytes)));
      for (const core& c : result.cores)
        if (at(c.numa) >= result.numa_bytes.size())
          reject(file_, fmt::format("a core belongs to NUMA node {}, but 'numa_bytes' contains {} sizes", c.numa,
                                    result.numa_bytes.size()));
    }
    std::sort(all.begin(), all.end());
    if (const auto twice = std::adjacent_find(all.begin(), all.end()); twice != all.end())
      reject(file_, fmt::format("hardware thread {} belongs to two cores", *twice));
    if (!without(result.allowed, all).empty())
      reject(file_, fmt::format("allowed hardware threads {} do not exist", to_list(without(result.allowed, all))));
    return result;
  }

  host_list hosts(const json& root) const {
    std::vector<host_tree> trees;
    for (const json& object : list(root, "trees")) trees.push_back(tree(object));
    host_list result;
    const json &names = list(root, "hosts"), &tree_of = list(root, "tree_of_host");
    if (names.size() != tree_of.size())
      reject(file_, fmt::format("'hosts' contains {} values and 'tree_of_host' {}; both must be equal", names.size(),
                                tree_of.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const int place = index(tree_of[i], trees.size(), "tree_of_host");
      try {
        result.add(text(names[i], "hosts"), trees[static_cast<std::size_t>(place)]);
      } catch (const data_error& e) {
        reject(file_, e.what());
      }
    }
    return result;
  }

  host_links links(const json& object) const {
    const json &latency = list(object, "latency_s"), &bandwidth = list(object, "bandwidth_B_per_s");
    if (latency.size() != bandwidth.size())
      reject(file_,
             fmt::format("{} latencies and {} bandwidths; both numbers must be equal", latency.size(), bandwidth.size()));
    std::vector<link> values;
    for (std::size_t i = 0; i < latency.size(); ++i)
      values.push_back({seconds_or_rate(latency[i], "latency_s"), seconds_or_rate(bandwidth[i], "bandwidth_B_per_s")});
    try {
      if (!object.contains("cluster_of"))
        return host_links::dense(index(member(object, "hosts"), 1u << 20, "hosts"), std::move(values));
      std::vector<int> cluster_of;
      const json& clusters = list(object, "cluster_of");
      for (const json& c : clusters) cluster_of.push_back(index(c, clusters.size(), "cluster_of"));
      return host_links::clustered(std::move(cluster_of), std::move(values));
    } catch (const data_error& e) {
      reject(file_, e.what());
    }
  }

  path_speeds speeds(const json& object, int hosts) const {
    path_speeds result;
    const json& inside = member(object, "inside");
    for (std::size_t i = 0; i < paths_inside; ++i)
      if (const auto found = inside.find(std::string(name_of(all_paths[i]))); found != inside.end())
        result.inside[i] = one_link(*found);
    result.between = links(member(object, "between"));
    if (result.between.hosts() != 0 && result.between.hosts() != hosts)
      reject(file_, fmt::format("{} hosts, but links between {} hosts", hosts, result.between.hosts()));
    return result;
  }

 private:
  static std::string shortened(const json& value) {
    const std::string whole = json_to_text(value, -1, true);
    return whole.size() <= 40 ? whole : whole.substr(0, 40) + "...";
  }
  const std::string& file_;
};

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::string text = fmt::format("{}", fmt::join(std::span(names).first(std::min(names.size(), most)), ", "));
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

}  // namespace

std::string to_text(const description& machine) {
  json trees = json::array(), tree_of = json::array();
  for (const host_tree& tree : machine.hosts.trees()) trees.push_back(to_json(tree));
  for (int host = 0; host < machine.hosts.size(); ++host) tree_of.push_back(machine.hosts.tree_of(host));
  json root = {{"schema", machine_schema},
               {"measured_at", machine.measured_at},
               {"hosts", machine.hosts.names()},
               {"tree_of_host", std::move(tree_of)},
               {"trees", std::move(trees)}};
  if (machine.isolated) root["isolated"] = to_json(*machine.isolated);
  if (machine.loaded) root["loaded"] = to_json(*machine.loaded);
  return json_to_text(root, -1, true) + "\n";
}

description parse_machine(std::string_view text, const std::string& name) {
  const auto root = json_from_text<json>(text);
  if (root.is_discarded()) reject(name, "not valid JSON");
  const reader in(name);
  const std::string schema = in.text(in.member(root, "schema"), "schema");
  if (schema != machine_schema)
    reject(name, fmt::format("the schema is '{}'; this version supports '{}'", schema.substr(0, 60), machine_schema));
  description machine;
  machine.measured_at = in.text(in.member(root, "measured_at"), "measured_at");
  machine.hosts = in.hosts(root);
  if (const auto found = root.find("isolated"); found != root.end())
    machine.isolated = in.speeds(*found, machine.hosts.size());
  if (const auto found = root.find("loaded"); found != root.end()) machine.loaded = in.speeds(*found, machine.hosts.size());
  return machine;
}

void write_machine(const std::string& file, const description& machine) {
  const std::string temporary = file + ".part", text = to_text(machine);
  // Create a new file, because the name may be a link to another file in a folder writable by other users.
  std::remove(temporary.c_str());
  const int made = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made >= 0) ::close(made);
  std::ofstream out;
  if (made >= 0) out.open(temporary, std::ios::binary);
  out << text;
  out.close();
  if (made < 0 || !out || std::rename(temporary.c_str(), file.c_str()) != 0) {
    std::remove(temporary.c_str());
    throw machine_error(fmt::format("{}: cannot write the file; check free space and permissions", file));
  }
}

description read_machine(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw data_error(fmt::format("{}: cannot read the file; create a machine file by `osteon probe -o {}`", file, file));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_machine(text, file);
}

description matched(const description& machine, const host_list& hosts, const std::string& name) {
  std::vector<std::string> gone, fresh, other;
  for (const std::string& host : machine.hosts.names())
    if (!hosts.find(host)) gone.push_back(host);
  std::vector<int> old_host;
  for (int host = 0; host < hosts.size(); ++host) {
    const auto old = machine.hosts.find(hosts.name(host));
    if (!old)
      fresh.push_back(hosts.name(host));
    else if (machine.hosts.tree(*old).cores != hosts.tree(host).cores)
      other.push_back(hosts.name(host));
    else
      old_host.push_back(*old);
  }
  if (!gone.empty() || !fresh.empty() || !other.empty()) {
    std::string differences;
    const auto add = [&](const char* relation, const std::vector<std::string>& names) {
      if (!names.empty()) differences += fmt::format("{}{}: {}", differences.empty() ? "" : "; ", relation, some_of(names));
    };
    add("hosts missing in this job", gone);
    add("hosts missing in the file", fresh);
    add("hosts with other cores than in the file", other);
    throw data_error(
        fmt::format("{}: the file belongs to another allocation ({}); measure this allocation by `osteon probe -o {}`", name,
                    differences, name));
  }
  description result{hosts, machine.isolated, machine.loaded, machine.measured_at};
  for (auto* seen : {&result.isolated, &result.loaded})
    if (*seen && (*seen)->between.hosts() > 0) (*seen)->between = (*seen)->between.selected(old_host);
  return result;
}

}  // namespace osteon::machine
