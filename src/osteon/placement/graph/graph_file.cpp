#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/placement/graph/graph.hpp>

namespace osteon::placement {

namespace {

using json = nlohmann::json;

constexpr std::int64_t most_vertices = std::int64_t{1} << 22;

int vertices_of(std::int64_t n, const std::string& name) {
  if (n < 1 || n > most_vertices)
    throw data_error(fmt::format("graph '{}': the number of subdomains ({}) must be from 1 to 2^22", name, n));
  return static_cast<int>(n);
}

// Reader of the METIS format, which consists of lines of integers.
class metis_reader {
 public:
  metis_reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  graph read() {
    if (!next_line()) fail("the file is empty");
    const std::int64_t n = number("number of vertices"), m = number("number of edges");
    const std::int64_t format = at_end() ? 0 : number("format");
    const std::int64_t constraints = at_end() ? 1 : number("number of vertex weights");
    if (format < 0 || format > 111 || format % 10 > 1 || format / 10 % 10 > 1)
      fail(fmt::format("format {} must be 0, 1, 10, 11, 100, 101, 110 or 111", format));
    if (constraints < 0 || constraints > 100)
      fail(fmt::format("the number of weights per vertex ({}) must be from 0 to 100", constraints));
    const std::int64_t skipped = (format / 100) + (format / 10 % 10 ? constraints : 0);
    graph g;
    const int vertices = vertices_of(n, name_);
    for (int v = 0; v < vertices; ++v) {
      if (!next_line()) fail(fmt::format("the file ends after {} of {} vertices", v, vertices));
      for (std::int64_t i = 0; i < skipped; ++i) number("vertex weight");
      while (!at_end()) {
        const std::int64_t to = number("neighbour"), weight = format % 10 ? number("weight") : 1;
        if (to < 1 || to > n) fail(fmt::format("neighbour {} must be a vertex from 1 to {}", to, n));
        if (to == v + 1) fail(fmt::format("vertex {} has an edge to itself", to));
        if (weight < 0) fail(fmt::format("weight {} must not be negative", weight));
        found_.push_back({v, static_cast<int>(to - 1), weight});
      }
    }
    if (next_line()) fail("the file continues after the last vertex");
    if (static_cast<std::int64_t>(found_.size()) != 2 * m)
      fail(fmt::format("{} edges are declared, but {} neighbours are listed; each edge must be listed in two lines", m,
                       found_.size()));
    check_symmetry();
    return from_edges(vertices, found_);
  }

 private:
  // Check that the list contains both directions of every edge, and remove one direction.
  void check_symmetry() {
    const auto key = [](const edge& e) { return std::pair(std::min(e.a, e.b), std::max(e.a, e.b)); };
    std::stable_sort(found_.begin(), found_.end(), [&](const edge& x, const edge& y) { return key(x) < key(y); });
    std::vector<edge> once;
    for (std::size_t i = 0; i < found_.size(); i += 2) {
      const edge& e = found_[i];
      const bool paired = i + 1 < found_.size() && key(found_[i + 1]) == key(e) && found_[i + 1].a == e.b &&
                          (i + 2 == found_.size() || key(found_[i + 2]) != key(e));
      if (!paired)
        throw data_error(fmt::format("graph '{}' is not symmetric: vertices {} and {} must list each other once", name_,
                                     e.a + 1, e.b + 1));
      if (found_[i + 1].weight != e.weight)
        throw data_error(
            fmt::format("graph '{}' is not symmetric: edge {} - {} has the weight {} in one direction and {} in the other",
                        name_, e.a + 1, e.b + 1, e.weight, found_[i + 1].weight));
      once.push_back(e);
    }
    found_ = std::move(once);
  }
  bool next_line() {
    do {
      if (rest_.empty()) return false;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_of_line_;
    } while (line_.starts_with('%'));
    return true;
  }
  bool at_end() {
    line_.remove_prefix(std::min(line_.find_first_not_of(" \t\r"), line_.size()));
    return line_.empty();
  }
  std::int64_t number(std::string_view quantity) {
    if (at_end()) fail(fmt::format("missing {}", quantity));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    const bool ends = end == line_.data() + line_.size() || *end == ' ' || *end == '\t' || *end == '\r';
    if (error != std::errc() || !ends) fail(fmt::format("'{}' is not a valid {}", line_.substr(0, 20), quantity));
    line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
    return value;
  }
  [[noreturn]] void fail(const std::string& fault) const {
    throw data_error(
        fmt::format("graph '{}', line {}: {} (METIS format: the first line contains the numbers of vertices and edges, each "
                    "further line contains the neighbours of a vertex)",
                    name_, number_of_line_, fault));
  }
  std::string_view rest_, line_;
  std::string name_;
  int number_of_line_ = 0;
  std::vector<edge> found_;
};

std::vector<edge> triples(const json& list, const char* key, const std::string& name) {
  if (!list.is_array()) throw data_error(fmt::format("graph '{}': \"{}\" must be a list of [a, b, bytes]", name, key));
  std::vector<edge> edges;
  for (const json& t : list) {
    const bool is_triple =
        t.is_array() && t.size() == 3 && t[0].is_number_integer() && t[1].is_number_integer() && t[2].is_number_integer();
    if (!is_triple)
      throw data_error(fmt::format("graph '{}': {} in \"{}\" must be three integers [a, b, bytes]", name,
                                   json_to_text(t).substr(0, 60), key));
    const auto a = t[0].get<std::int64_t>(), b = t[1].get<std::int64_t>();
    constexpr std::int64_t limit = most_vertices;
    edges.push_back({static_cast<int>(std::clamp<std::int64_t>(a, -1, limit)),
                     static_cast<int>(std::clamp<std::int64_t>(b, -1, limit)), t[2].get<std::int64_t>()});
  }
  return edges;
}

graph parse_json(std::string_view text, const std::string& name) {
  const auto root = json_from_text<json>(text);
  if (root.is_discarded()) throw data_error(fmt::format("graph '{}' is not valid JSON", name));
  if (root.value("schema", json()) != graph_schema)
    throw data_error(fmt::format("graph '{}' must contain \"schema\": \"{}\"", name, graph_schema));
  if (!root.contains("subdomains") || !root["subdomains"].is_number_integer() ||
      root.contains("edges") == root.contains("sent"))
    throw data_error(
        fmt::format("graph '{}' must contain the number of \"subdomains\" and either \"edges\" or \"sent\"", name));
  const int n = vertices_of(root["subdomains"].get<std::int64_t>(), name);
  if (root.contains("sent")) {
    const graph both = from_edges(n, triples(root["sent"], "sent", name));
    graph mean = both;
    for (std::int64_t& w : mean.weight) w = (w + 1) / 2;
    return mean;
  }
  const std::vector<edge> edges = triples(root["edges"], "edges", name);
  graph g = from_edges(n, edges);
  const auto loops = std::count_if(edges.begin(), edges.end(), [](const edge& e) { return e.a == e.b; });
  if (g.edges() + loops != static_cast<std::int64_t>(edges.size()))
    throw data_error(fmt::format(
        "graph '{}': duplicate pair in \"edges\"; list each pair once, or list directions separately in \"sent\"", name));
  return g;
}

}  // namespace

graph parse_graph(std::string_view text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    try {
      return parse_json(text, name);
    } catch (const json::exception& e) {
      throw data_error(fmt::format("graph '{}': {}", name, e.what()));
    } catch (const data_error& e) {
      const std::string fault = e.what();
      throw data_error(fault.starts_with("graph") ? fault : fmt::format("graph '{}': {}", name, fault));
    }
  }
  return metis_reader(text, name).read();
}

graph read_graph(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw data_error(fmt::format("cannot read the graph '{}'", file));
  return parse_graph(text, file);
}

std::string metis_text(const graph& g) {
  std::string text = fmt::format("{} {} 1\n", g.size(), g.edges());
  for (int v = 0; v < g.size(); ++v) {
    const auto to = g.neighbours(v);
    const auto w = g.weights(v);
    for (std::size_t i = 0; i < to.size(); ++i) text += fmt::format("{}{} {}", i ? " " : "", to[i] + 1, w[i]);
    text += '\n';
  }
  return text;
}

}  // namespace osteon::placement
