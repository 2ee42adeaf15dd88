#include <osteon/net/networks/network_request.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <common/suggest.hpp>
#include <map>
#include <osteon/base/error.hpp>

namespace osteon::net {

namespace {

constexpr std::int64_t most_pus = std::int64_t{1} << 20, most_links = std::int64_t{1} << 24;

// Parse a number followed by a unit. If the text is invalid, the result is -1.
double parse_quantity(const std::string& text, const std::vector<std::pair<const char*, double>>& units) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || !std::isfinite(value)) return -1;
  const std::string unit(end, text.data() + text.size());
  for (const auto& [name, factor] : units)
    if (unit == name) return value * factor;
  return -1;
}

class request_reader {
 public:
  explicit request_reader(const std::string& text) { request_.text = text; }

  network_request read() {
    const std::string& text = request_.text;
    const auto colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    split(colon == std::string::npos ? "" : text.substr(colon + 1));
    dispatch(kind);
    common();
    for (const auto& [key, value] : values_) {
      std::vector<std::string> known{"order",    "route",   "seed",    "rate",    "pu-rate",
                                     "top-rate", "startup", "latency", "channels"};
      known.insert(known.end(), own_keys_.begin(), own_keys_.end());
      if (std::find(known.begin(), known.end(), key) == known.end())
        fault(fmt::format("unknown key '{}'{}", key, did_you_mean(key, known)));
    }
    if (faults_.empty() && request_.pus() > most_pus) fault(fmt::format("the number of PUs exceeds {}", most_pus));
    if (!faults_.empty()) throw usage_error(fmt::format("'{}' is not a valid network: {}", text, fmt::join(faults_, "; ")));
    return std::move(request_);
  }

 private:
  void fault(std::string text) { faults_.push_back(std::move(text)); }

  void split(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string part = text.substr(begin, end - begin);
      const auto equals = part.find('=');
      if (equals != std::string::npos) {
        if (!values_.emplace(part.substr(0, equals), part.substr(equals + 1)).second)
          fault(fmt::format("duplicate '{}'", part.substr(0, equals)));
      } else if (begin == 0) {
        body_ = part;
      } else {
        fault(fmt::format("'{}' must have the form key=value", part));
      }
      begin = end + 1;
    }
  }

  int number(const std::string& text, const std::string& quantity, int least, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
      fault(fmt::format("{} '{}' must be an integer from {} to {}", quantity, text, least, most));
      return least;
    }
    return value;
  }

  std::vector<int> sizes(const std::string& text, const std::string& quantity, std::size_t most_count) {
    std::vector<int> result;
    for (std::size_t begin = 0; begin <= text.size() && result.size() <= most_count;) {
      const std::size_t end = std::min(text.find('x', begin), text.size());
      result.push_back(number(text.substr(begin, end - begin), quantity, 1, static_cast<int>(most_pus)));
      begin = end + 1;
    }
    if (result.size() > most_count) fault(fmt::format("the number of dimensions or levels exceeds {}", most_count));
    return result;
  }

  int own(const std::string& key, int least, int most, int otherwise = 0) {
    own_keys_.push_back(key);
    const auto found = values_.find(key);
    if (found != values_.end()) return number(found->second, key, least, most);
    if (otherwise == 0) fault(fmt::format("missing '{}='", key));
    return otherwise == 0 ? least : otherwise;
  }

  void no_body() {
    if (!body_.empty()) fault(fmt::format("'{}' must have the form key=value", body_));
  }

  void dispatch(const std::string& kind) {
    constexpr int most = static_cast<int>(most_pus);
    static const std::vector<std::string> kinds{"hxb",       "cube",     "torus",   "mesh",
                                                "hypercube", "crossbar", "fattree", "dragonfly"};
    if (kind == "hxb" || kind == "torus" || kind == "mesh") {
      request_.kind = kind == "hxb" ? topology::hyper_crossbar : kind == "torus" ? topology::torus : topology::mesh;
      request_.shape = sizes(body_, "size", 20);
    } else if (kind == "cube") {
      no_body();
      request_.kind = topology::hyper_crossbar;
      const int base = own("base", 2, most), n = own("n", 1, 20);
      request_.shape.assign(static_cast<std::size_t>(n), base);
    } else if (kind == "hypercube") {
      request_.kind = topology::hypercube;
      request_.shape.assign(static_cast<std::size_t>(number(body_, "dimension", 0, 20)), 2);
    } else if (kind == "crossbar") {
      request_.kind = topology::crossbar;
      request_.shape = {number(body_, "number of PUs", 1, most)};
    } else if (kind == "fattree") {
      fat_tree();
    } else if (kind == "dragonfly") {
      dragonfly();
    } else {
      fault(fmt::format("unknown kind '{}'{}; must be one of {}", kind, did_you_mean(kind, kinds), fmt::join(kinds, ", ")));
    }
  }

  void fat_tree() {
    request_.kind = topology::fat_tree;
    request_.shape = sizes(body_, "number of children", 10);
    own_keys_.push_back("over");
    auto& over = request_.oversubscription;
    over = values_.contains("over") ? sizes(values_["over"], "over", 10) : std::vector{1};
    const std::size_t levels = request_.shape.size() - 1;
    if (over.size() == 1) over.resize(levels, over[0]);
    if (over.size() != levels) {
      fault(fmt::format("over= has {} values; must be one value, or {} (one for each level but the last)", over.size(),
                        levels));
      over.resize(levels, 1);
    }
    for (std::size_t i = 0; i < levels; ++i)
      if (request_.shape[i] % over[i] != 0)
        fault(
            fmt::format("over={} at level {}: must divide the {} children of a switch", over[i], i + 1, request_.shape[i]));
  }

  void dragonfly() {
    no_body();
    request_.kind = topology::dragonfly;
    constexpr int most = 1024;
    const int p = own("p", 1, most), a = own("a", 1, most), h = own("h", 1, most), g = own("g", 1, 1 << 20, a * h + 1);
    if (g > a * h + 1)
      fault(fmt::format("g={}: {} routers with {} global links each connect a group to at most {} other groups", g, a, h,
                        a * h));
    request_.global_links = h;
    request_.shape = {p, a, g};
  }

  void rate(const char* key, double& value) {
    const auto found = values_.find(key);
    if (found == values_.end()) return;
    value = parse_rate(found->second);
    if (!(value > 0) || !std::isfinite(value))
      fault(fmt::format("{}={}: must be a positive rate, such as 200MB/s or 1.6Gbit/s", key, found->second));
  }
  void time(const char* key, double& value) {
    const auto found = values_.find(key);
    if (found == values_.end()) return;
    value = parse_time(found->second);
    if (!(value >= 0) || !std::isfinite(value))
      fault(fmt::format("{}={}: must be a time such as 5us or 100ns", key, found->second));
  }

  void common() {
    rate("rate", request_.rate);
    request_.pu_rate = request_.top_rate = request_.rate;
    rate("pu-rate", request_.pu_rate);
    rate("top-rate", request_.top_rate);
    time("startup", request_.startup);
    time("latency", request_.latency);
    if (values_.contains("channels")) request_.channels = number(values_["channels"], "channels", 1, 64);
    if (values_.contains("seed")) request_.seed = static_cast<std::uint64_t>(number(values_["seed"], "seed", 0, 1 << 30));
    if (values_.contains("route")) {
      request_.minimal = values_["route"] == "minimal";
      if (!request_.minimal && values_["route"] != "valiant")
        fault(fmt::format("route={}: must be minimal or valiant", values_["route"]));
    }
    const bool dimensions = request_.kind == topology::hyper_crossbar || request_.kind == topology::torus ||
                            request_.kind == topology::mesh || request_.kind == topology::hypercube;
    if (dimensions) {
      const int n = static_cast<int>(request_.shape.size());
      for (int d = 0; d < n; ++d) request_.order.push_back(request_.kind == topology::hypercube ? n - 1 - d : d);
    }
    if (values_.contains("order")) order(values_["order"], dimensions);
  }

  void order(const std::string& text, bool dimensions) {
    if (!dimensions) return fault("order= is valid only for networks with dimension-order routing");
    std::vector<int> order;
    for (const char c : text)
      order.push_back(c >= 'x' && c <= 'z'   ? c - 'x'
                      : c >= '0' && c <= '9' ? c - '0'
                      : c >= 'a' && c <= 'j' ? c - 'a' + 10
                                             : -1);
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    auto expected = request_.order;
    std::sort(expected.begin(), expected.end());
    if (sorted != expected)
      return fault(fmt::format("order={}: must contain each of the {} dimensions once, as xyz or as 0 to 9, a to j", text,
                               expected.size()));
    request_.order = std::move(order);
  }

  network_request request_;
  std::string body_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> own_keys_, faults_;
};

}  // namespace

double parse_rate(const std::string& text) {
  return parse_quantity(text, {{"B/s", 1},
                               {"kB/s", 1e3},
                               {"MB/s", 1e6},
                               {"GB/s", 1e9},
                               {"TB/s", 1e12},
                               {"bit/s", 0.125},
                               {"kbit/s", 0.125e3},
                               {"Mbit/s", 0.125e6},
                               {"Gbit/s", 0.125e9}});
}

double parse_time(const std::string& text) {
  return parse_quantity(text, {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}});
}

std::int64_t network_request::pus() const {
  std::int64_t product = 1;
  for (const int size : shape) product = std::min(product * size, most_pus * 2);
  return product;
}

network_request parse_network(const std::string& text) { return request_reader(text).read(); }

network make_network(const network_request& request) {
  if (request.pus() > most_pus) throw usage_error(fmt::format("'{}': the number of PUs exceeds {}", request.text, most_pus));
  // Upper bound of the number of links. Each PU has 2 links, and 2 additional links per dimension or level. A router of a
  // dragonfly has a link to each other router of its group, in addition to its global links.
  const bool dragonfly = request.kind == topology::dragonfly;
  const std::int64_t switches = dragonfly ? request.pus() / request.shape[0] : request.pus();
  const std::int64_t ports =
      dragonfly ? request.shape[1] - 1 + request.global_links : 2 * static_cast<std::int64_t>(request.shape.size());
  if (2 * request.pus() + switches * ports > most_links)
    throw usage_error(fmt::format("'{}': the number of links exceeds {}", request.text, most_links));
  network made = request.kind == topology::hyper_crossbar                                   ? make_hyper_crossbar(request)
                 : request.kind == topology::dragonfly                                      ? make_dragonfly(request)
                 : request.kind == topology::fat_tree || request.kind == topology::crossbar ? make_fat_tree(request)
                                                                                            : make_grid(request);
  made.name = request.text;
  made.kind = request.kind;
  made.startup = request.startup;
  made.shape = request.shape;
  made.order = request.order;
  if (!request.minimal) route_by_random_pu(made, request.seed);
  return made;
}

}  // namespace osteon::net
