#include <fmt/format.h>

#include <algorithm>
#include <app/plan_drawing.hpp>
#include <app/svg_text.hpp>
#include <cmath>
#include <osteon/base/error.hpp>

namespace osteon::app {

namespace {

constexpr int most_ranks = 64, most_columns = 80;
// Pixels. A column is a bar of what is sent, lines, and a bar of what arrives; a bar is as long as the whole image.
constexpr double bar = 44, bar_height = 12, lines = 90, gap = 22, row = 24, left = 74, top = 56, bottom = 30;
constexpr double column = 2 * bar + lines + gap;

// Hue by place in the image, of even lightness (OKLCH-like cosines are enough for a dozen spans).
std::string colour(plan::span s, std::int64_t elements) {
  const double t = (static_cast<double>(s.begin) + static_cast<double>(s.end)) / 2 /
                   static_cast<double>(std::max<std::int64_t>(elements, 1));
  return fmt::format("hsl({:.0f} 62% {:.0f}%)", 15 + 300 * t, 46 - 8 * std::sin(2 * 3.14159265 * t));
}

class drawing {
 public:
  drawing(const plan::plan& what, const std::vector<int>& order) : plan_(what), row_of_(order.size()) {
    for (std::size_t i = 0; i < order.size(); ++i) row_of_[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    for (int rank = 0; rank < what.ranks; ++rank) {
      all_.push_back(what.of(rank));
      rounds_ = std::max(rounds_, all_.back().rounds.size());
    }
    if (what.ranks > most_ranks || rounds_ > most_columns)
      throw usage_error(
          fmt::format("a picture of {} ranks and {} rounds could not be read; draw at most {} ranks and {} rounds",
                      what.ranks, rounds_, most_ranks, most_columns));
  }

  std::string svg(const std::vector<int>& order) {
    const double width = left + static_cast<double>(rounds_) * column + bar + gap;
    const double height = top + static_cast<double>(plan_.ranks) * row + bottom;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "font-family=\"system-ui, sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fcfcfa\"/>\n",
        width, height);
    text(12, 20, "start", "#222", fmt::format("{}: {} ranks, {} elements", plan_.name, plan_.ranks, plan_.elements), 14);
    for (int i = 0; i < plan_.ranks; ++i)
      text(left - 10, middle(i) + 4, "end", "#555", fmt::format("rank {}", order[static_cast<std::size_t>(i)]));
    text(12, top + plan_.ranks * row + 16, "start", "#999", "front on top");
    for (std::size_t r = 0; r < rounds_; ++r) draw_round(r);
    draw_result(left + static_cast<double>(rounds_) * column);
    return out_ + "</svg>\n";
  }

 private:
  double middle(int row_index) const { return top + (row_index + 0.5) * row; }
  double along(std::int64_t element) const {
    return bar * static_cast<double>(element) / static_cast<double>(std::max<std::int64_t>(plan_.elements, 1));
  }

  void text(double x, double y, const char* anchor, const char* fill, const std::string& words, int size = 11) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
                        anchor, fill, size, svg_text(words));
  }
  void box(double x, double y, plan::span s, const std::string& fill) {
    out_ +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"{}\"/>\n", x + along(s.begin),
                    y - bar_height / 2, std::max(0.8, along(s.end) - along(s.begin)), bar_height, fill);
  }
  void frame(double x, double y) {
    out_ +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.0f}\" fill=\"none\" stroke=\"#ccc\"/>\n",
                    x, y - bar_height / 2, bar, bar_height);
  }

  void draw_round(std::size_t r) {
    const double x = left + static_cast<double>(r) * column, arrival = x + bar + lines;
    bool collects = true;
    std::string bars_before = std::move(out_);
    out_.clear();
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      const auto& rounds = all_[static_cast<std::size_t>(rank)].rounds;
      if (r >= rounds.size()) continue;
      const double y = middle(row_of_[static_cast<std::size_t>(rank)]);
      bool sends = false, receives = false;
      for (const plan::step& s : rounds[r].steps) {
        const std::string fill = colour(s.elements, plan_.elements);
        if (s.what == plan::action::send) {
          sends = true;
          box(x, y, s.elements, fill);
          continue;
        }
        receives = true;
        const bool in_place = s.what == plan::action::receive;
        if (!in_place) collects = false;
        box(arrival, y, s.elements, fill);
        out_ += fmt::format(
            "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n",
            x + bar + 2, middle(row_of_[static_cast<std::size_t>(s.peer)]), arrival - 2, y, fill,
            in_place ? " stroke-dasharray=\"4 3\"" : "");
      }
      if (sends) frame(x, y);
      if (receives) frame(arrival, y);
    }
    const std::string drawn = std::move(out_);
    out_ = std::move(bars_before);
    text(x + bar + lines / 2, top - 12, "middle", "#222", fmt::format("round {}{}", r + 1, collects ? " (collect)" : ""));
    out_ += drawn;
  }

  void draw_result(double x) {
    text(x + bar / 2, top - 12, "middle", "#222", "result");
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      const double y = middle(row_of_[static_cast<std::size_t>(rank)]);
      bool any = false;
      for (const plan::span s : all_[static_cast<std::size_t>(rank)].result) {
        if (s.size() <= 0) continue;
        any = true;
        // In small pieces, so that a whole image shows the colours of its parts.
        constexpr int pieces = 32;
        for (int p = 0; p < pieces; ++p) {
          const plan::span piece{std::max(s.begin, plan_.elements * p / pieces),
                                 std::min(s.end, plan_.elements * (p + 1) / pieces)};
          if (piece.size() > 0) box(x, y, piece, colour(piece, plan_.elements));
        }
      }
      if (any) frame(x, y);
    }
  }

  const plan::plan& plan_;
  std::vector<int> row_of_;
  std::vector<plan::rank_plan> all_;
  std::size_t rounds_ = 0;
  std::string out_;
};

}  // namespace

std::string draw_plan(const plan::plan& what, const std::vector<int>& order) { return drawing(what, order).svg(order); }

}  // namespace osteon::app
