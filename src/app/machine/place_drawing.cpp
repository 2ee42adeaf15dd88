#include <fmt/format.h>

#include <algorithm>
#include <app/figures/svg.hpp>
#include <app/machine/place_graph.hpp>
#include <cmath>
#include <numeric>
#include <osteon/base/error.hpp>

namespace osteon::app {

namespace {

constexpr int most_blocks = 8192, most_hosts = 256;
constexpr double panel = 380, margin = 24, top = 64, bottom = 44;

// Consecutive hosts have distant hues.
std::string colour_of_host(int host) {
  const double turn = std::fmod(host * 0.61803398875, 1.0);
  return fmt::format("hsl({:.0f} {:.0f}% {:.0f}%)", 360 * turn, 52 + 14.0 * (host % 2), 44 + 8.0 * (host % 3));
}

class drawing {
 public:
  drawing(const placed_graph& source, const placement::target& where) : source_(source), where_(where) {}

  std::string svg(const placement::placement& found) {
    std::vector<int> input(found.place.size());
    std::iota(input.begin(), input.end(), 0);
    const double width = 2 * panel + 3 * margin, height = top + panel + bottom;
    text(margin, 24, "#222", fmt::format("{} subdomains on {} hosts", found.place.size(), where_.hosts()), 15);
    draw_panel(margin, "input order", hosts_of(input), found.input);
    draw_panel(2 * margin + panel, "placed", hosts_of(found.place), found.result);
    text(margin, height - 16, "#777",
         source_.grid ? "slices of blocks in ascending z; colours are hosts"
                      : "rows send to columns, sorted by host; darker is more, on a logarithmic scale");
    return out_.file(width, height);
  }

 private:
  std::vector<int> hosts_of(const std::vector<int>& place) const {
    std::vector<int> host;
    for (const int p : place) host.push_back(where_.places[static_cast<std::size_t>(p)].host);
    return host;
  }
  void draw_panel(double left, const char* title, const std::vector<int>& host, const placement::assessment& a) {
    text(left, 50, "#222", fmt::format("{}: {:.5g} MB between hosts", title, static_cast<double>(a.off_host_bytes) * 1e-6),
         13);
    if (source_.grid)
      draw_slices(left, host);
    else
      draw_matrix(left, host);
  }
  void draw_slices(double left, const std::vector<int>& host) {
    const auto& n = source_.grid->blocks;
    // Number of slices per row for an approximately square panel.
    int best = 1;
    double size = 0;
    for (int columns = 1; columns <= n[0]; ++columns) {
      const int rows = (n[0] + columns - 1) / columns;
      const double fits = std::min(panel / (columns * (n[2] + 0.6)), panel / (rows * (n[1] + 0.6)));
      if (fits > size) size = fits, best = columns;
    }
    for (std::size_t v = 0; v < host.size(); ++v) {
      const int i = static_cast<int>(v), x = i % n[2], y = i / n[2] % n[1], z = i / n[2] / n[1];
      rectangle(left + size * (z % best * (n[2] + 0.6) + x), top + size * (z / best * (n[1] + 0.6) + y), size + 0.2,
                colour_of_host(host[v]));
    }
  }
  void draw_matrix(double left, const std::vector<int>& host) {
    const placement::graph q = placement::quotient(source_.graph, host, where_.hosts());
    const double size = panel / where_.hosts();
    if (!q.weight.empty()) most_ = std::max(most_, *std::max_element(q.weight.begin(), q.weight.end()));
    out_.rectangle({left, top}, panel, panel, "#f0f0ec");
    for (int a = 0; a < q.size(); ++a)
      for (std::size_t i = 0; i < q.degree(a); ++i) {
        if (q.weights(a)[i] == 0) continue;
        const double decades = std::log10(static_cast<double>(most_) / static_cast<double>(q.weights(a)[i]));
        rectangle(left + size * q.neighbours(a)[i], top + size * a, size,
                  fmt::format("hsl(215 60% {:.0f}%)", std::min(90.0, 25 + 22 * decades)));
      }
  }
  void rectangle(double x, double y, double size, const std::string& fill) { out_.rectangle({x, y}, size, size, fill); }
  void text(double x, double y, const char* fill, const std::string& label, int size = 12) {
    out_.text({x, y}, label, {static_cast<double>(size), fill});
  }
  const placed_graph& source_;
  const placement::target& where_;
  std::int64_t most_ =
      1;  // the darkest value; the picture of the input order is drawn first and usually has the largest value
  svg_picture out_;
};

}  // namespace

std::string draw_placement(const placed_graph& source, const placement::target& where, const placement::placement& found) {
  if (source.grid ? source.graph.size() > most_blocks : where.hosts() > most_hosts)
    throw usage_error(
        fmt::format("a picture of {} blocks on {} hosts is not legible; draw at most {} blocks of a grid, or {} hosts",
                    source.graph.size(), where.hosts(), most_blocks, most_hosts));
  return drawing(source, where).svg(found);
}

}  // namespace osteon::app
