#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <common/suggest.hpp>
#include <map>
#include <memory>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/net/json_value.hpp>
#include <osteon/net/networks/graph_routing.hpp>
#include <osteon/net/networks/network_request.hpp>

namespace osteon::net {

namespace {

constexpr const char* graph_schema = "osteon.network/1";
constexpr std::size_t most_faults = 20, most_routers = 4096, most_links_of_graph = 1 << 20;
constexpr int most_pus_of_graph = 1 << 20;

class graph_reader {
 public:
  graph_reader(const json_value& text, std::string source) : text_(text), source_(std::move(source)) {}

  network read() {
    if (text_.is != json_value::kind::object) fail("must be a JSON object");
    known_keys(text_, "",
               {"schema", "name", "startup_s", "routing", "bytes_per_second", "latency_s", "routers", "pus", "links"});
    if (const json_value* given = text_.find("schema"); !given || !(*given == graph_schema))
      fault("schema", fmt::format("must be \"{}\"", graph_schema));
    made_.name = source_;
    if (const json_value* name = text_.find("name")) {
      made_.name = name->text;
      if (!name->is_word()) fault("name", "must be a non-empty string");
    }
    made_.startup = figure(text_, "", "startup_s", 5e-6, false);
    rate_ = figure(text_, "", "bytes_per_second", 200e6, true);
    latency_ = figure(text_, "", "latency_s", 0, false);
    const json_value* const routing = text_.find("routing");
    const bool up_down = routing && *routing == "up-down";
    if (routing && !up_down && !(*routing == "minimal")) fault("routing", "must be \"minimal\" or \"up-down\"");
    routers();
    pus();
    links();
    stop_if_faulty();
    parents();
    stop_if_faulty();
    return finish(up_down);
  }

 private:
  void routers() {
    const auto& list = array("routers");
    if (list.size() > most_routers) fail(fmt::format("{} routers exceed the limit of {}", list.size(), most_routers));
    if (list.empty()) fault("routers", "must contain at least one router");
    for (std::size_t i = 0; i < list.size() && faults_.size() < most_faults; ++i) {
      const std::string where = fmt::format("routers[{}]", i);
      std::string name = fmt::format("#{}", i);
      if (is_object(list[i])) {
        known_keys(list[i], where, {"name", "parent", "bytes_per_second", "latency_s", "channels"});
        if (const json_value* given = list[i].find("name"); given && given->is_word())
          name = given->text;
        else
          fault(where + ".name", "must be a non-empty string");
      } else {
        fault(where, "must be an object with a name");
      }
      if (!router_.emplace(name, static_cast<int>(i)).second)
        fault(where + ".name", fmt::format("duplicate name '{}'", name));
      names_.push_back(name);
    }
    made_.vertices = static_cast<int>(names_.size());
  }

  void pus() {
    const auto& list = array("pus");
    for (std::size_t i = 0; i < list.size() && faults_.size() < most_faults; ++i) {
      const std::string where = fmt::format("pus[{}]", i);
      if (!is_object(list[i])) {
        fault(where, "must be an object with a router");
        continue;
      }
      known_keys(list[i], where, {"router", "count", "bytes_per_second", "latency_s"});
      const int router = find(list[i], where, "router");
      const int count = whole(list[i], where, "count", 1, most_pus_of_graph);
      const double rate = figure(list[i], where, "bytes_per_second", rate_, true);
      const double latency = figure(list[i], where, "latency_s", latency_, false);
      if (count > most_pus_of_graph - static_cast<int>(router_of_.size()))
        fail(fmt::format("the number of PUs exceeds the limit of {}", most_pus_of_graph));
      for (int k = 0; k < count; ++k) {
        router_of_.push_back(router);
        pu_rate_.push_back(rate);
        pu_latency_.push_back(latency);
      }
    }
    if (router_of_.empty()) fault("pus", "must contain at least one PU");
  }

  void links() {
    if (!text_.find("links")) return;
    const auto& list = array("links");
    if (list.size() > most_links_of_graph)
      fail(fmt::format("{} links exceed the limit of {}", list.size(), most_links_of_graph));
    for (std::size_t i = 0; i < list.size() && faults_.size() < most_faults; ++i) {
      const std::string where = fmt::format("links[{}]", i);
      if (!is_object(list[i])) {
        fault(where, "must be an object with from and to");
        continue;
      }
      known_keys(list[i], where, {"from", "to", "bytes_per_second", "latency_s", "channels", "one_way"});
      const int from = find(list[i], where, "from"), to = find(list[i], where, "to");
      if (from == to && from >= 0)
        fault(where, fmt::format("connects '{}' with itself", names_[static_cast<std::size_t>(from)]));
      const json_value* const one_way = list[i].find("one_way");
      if (one_way && one_way->is != json_value::kind::boolean) fault(where + ".one_way", "must be true or false");
      connect(list[i], where, from, to, one_way && one_way->truth);
    }
  }

  // For trees, the key "parent" is a short form.
  void parents() {
    const auto& list = array("routers");
    parent_.assign(names_.size(), -1);
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (list[i].find("parent")) {
        const std::string where = fmt::format("routers[{}]", i);
        parent_[i] = find(list[i], where, "parent");
        connect(list[i], where, static_cast<int>(i), parent_[i], false);
      }
    if (!faults_.empty()) return;
    level_.assign(names_.size(), -1);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      int depth = 0;
      std::string chain = names_[i];
      for (int at = static_cast<int>(i); parent_[static_cast<std::size_t>(at)] >= 0; ++depth) {
        at = parent_[static_cast<std::size_t>(at)];
        if (depth < 8) chain += " -> " + names_[static_cast<std::size_t>(at)];
        if (depth > static_cast<int>(names_.size()))
          return fault("routers", fmt::format("have cyclic parents: {}{}", chain, depth < 8 ? "" : " ..."));
      }
      level_[i] = depth;
    }
  }

  void connect(const json_value& object, const std::string& where, int from, int to, bool one_way) {
    const double rate = figure(object, where, "bytes_per_second", rate_, true);
    const double latency = figure(object, where, "latency_s", latency_, false);
    const int channels = whole(object, where, "channels", 1, 64);
    edges_.push_back({from, to, link_kind::channel, channels, rate, latency});
    if (!one_way) edges_.push_back({to, from, link_kind::channel, channels, rate, latency});
  }

  network finish(bool up_down) {
    const int pus = made_.pus = static_cast<int>(router_of_.size());
    made_.vertices += pus;
    for (const bool in : {true, false})
      for (int q = 0; q < pus; ++q) {
        const auto i = static_cast<std::size_t>(q);
        const int router = pus + router_of_[i];
        made_.links.push_back({in ? q : router, in ? router : q, in ? link_kind::injection : link_kind::ejection, 1,
                               pu_rate_[i], pu_latency_[i]});
      }
    for (link l : edges_) {
      l.from += pus;
      l.to += pus;
      made_.links.push_back(l);
    }
    if (std::all_of(parent_.begin(), parent_.end(), [](int p) { return p < 0; })) level_.clear();
    auto table = std::make_shared<graph_routing>(static_cast<int>(names_.size()), edges_);
    if (up_down)
      table->route_up_down(level_);
    else
      table->route_minimal();
    std::vector<int> used = router_of_;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const int a : used)
      for (const int b : used)
        if (!table->reaches(a, b))
          fail(fmt::format("no {}route from router '{}' to '{}'", up_down ? "legal up-down " : "",
                           names_[static_cast<std::size_t>(a)], names_[static_cast<std::size_t>(b)]));
    made_.append_route = [table, pus, at = router_of_](int from, int to, std::vector<int>& path) {
      if (from == to) return;
      path.push_back(from);
      table->append_route(at[static_cast<std::size_t>(from)], at[static_cast<std::size_t>(to)], to, 2 * pus, path);
      path.push_back(pus + to);
    };
    if (!up_down) {
      // The class is the index of the hop. Along every route, classes increase. No cycle of waiting messages is therefore
      // possible if each link has at least as many channels as the longest route has hops.
      made_.append_classes = [](int, int, std::span<const int> route, std::vector<int>& class_of_link) {
        for (std::size_t i = 0; i < route.size(); ++i) class_of_link.push_back(std::max(0, static_cast<int>(i) - 1));
      };
      made_.classes = std::max(1, table->most_hops());
    }
    made_.vertex_name = [names = names_, pus](int v) {
      return v < pus ? fmt::format("PU({})", v) : names[static_cast<std::size_t>(v - pus)];
    };
    return std::move(made_);
  }

  static bool is_object(const json_value& value) { return value.is == json_value::kind::object; }

  const std::vector<json_value>& array(const char* key) {
    static const std::vector<json_value> none;
    const json_value* const found = text_.find(key);
    if (found && found->is == json_value::kind::list) return found->items;
    fault(key, "must be a list");
    return none;
  }

  int find(const json_value& object, const std::string& where, const char* key) {
    const json_value* const value = object.find(key);
    if (!value || value->is != json_value::kind::text) {
      fault(where + "." + key, "must be the name of a router");
      return -1;
    }
    const std::string& name = value->text;
    const auto found = router_.find(name);
    if (found != router_.end()) return found->second;
    fault(where + "." + key,
          fmt::format("unknown router '{}'{}", name, names_.size() < 100 ? did_you_mean(name, names_) : ""));
    return -1;
  }

  int whole(const json_value& object, const std::string& where, const char* key, int otherwise, int most) {
    const json_value* const value = object.find(key);
    if (!value) return otherwise;
    if (value->is == json_value::kind::whole && value->number >= 1 && value->number <= most)
      return static_cast<int>(value->number);
    fault(where + "." + key, fmt::format("is {}; must be an integer from 1 to {}", value->shown(), most));
    return otherwise;
  }

  double figure(const json_value& object, const std::string& where, const char* key, double otherwise, bool positive) {
    const json_value* const value = object.find(key);
    if (!value) return otherwise;
    const double x = value->is_number() ? value->number : -1;
    if (std::isfinite(x) && (positive ? x > 0 : x >= 0)) return x;
    fault((where.empty() ? "" : where + ".") + key,
          fmt::format("is {}; must be a number {} 0", value->shown(), positive ? ">" : ">="));
    return otherwise;
  }

  void known_keys(const json_value& object, const std::string& where, const std::vector<std::string>& keys) {
    for (const std::string& name : object.names)
      if (std::find(keys.begin(), keys.end(), name) == keys.end())
        fault((where.empty() ? "" : where + ".") + name, "is an unknown key" + did_you_mean(name, keys));
  }

  void fault(const std::string& where, const std::string& text) { faults_.push_back(where + " " + text); }
  void stop_if_faulty() {
    if (faults_.empty()) return;
    const auto more = faults_.size() > most_faults ? faults_.size() - most_faults : 0;
    faults_.resize(faults_.size() - more);
    fail(fmt::format("{}{}", fmt::join(faults_, "; "),
                     more > 0 ? "; and " + counted(static_cast<std::int64_t>(more), "fault") : ""));
  }
  [[noreturn]] void fail(const std::string& text) const {
    throw data_error(fmt::format("'{}' is not a valid network file: {}", source_, text));
  }

  const json_value& text_;
  std::string source_;
  network made_;
  double rate_ = 0, latency_ = 0;
  std::map<std::string, int> router_;
  std::vector<std::string> names_, faults_;
  std::vector<int> router_of_, parent_, level_;
  std::vector<double> pu_rate_, pu_latency_;
  std::vector<link> edges_;  // links between routers
};

}  // namespace

network parse_graph(const std::string& json_text, const std::string& source) {
  const auto parsed = parse_json(json_text);
  if (!parsed) throw data_error(fmt::format("'{}' is not a valid network file: invalid JSON", source));
  return graph_reader(*parsed, source).read();
}

}  // namespace osteon::net
