#include <fmt/format.h>

#include <algorithm>
#include <app/figures/drawings.hpp>
#include <app/figures/svg.hpp>
#include <cmath>
#include <osteon/base/error.hpp>
#include <utility>

namespace osteon::app {

namespace {

constexpr int most_ranks = 64, most_columns = 80;
// Pixels. A column is a bar of what is sent, lines, and a bar of what arrives; a bar is as long as the whole image.
constexpr double bar = 44, bar_height = 12, lines = 90, gap = 22, row = 24, left = 74, top = 56, bottom = 30;
constexpr text_style above = {11, "#222", anchor::middle};
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
    out_.text({12, 20}, fmt::format("{}: {} ranks, {} elements", plan_.name, plan_.ranks, plan_.elements), {14});
    for (int i = 0; i < plan_.ranks; ++i)
      out_.text({left - 10, middle(i) + 4}, fmt::format("rank {}", order[static_cast<std::size_t>(i)]),
                {11, "#555", anchor::end});
    out_.text({12, top + plan_.ranks * row + 16}, "front on top", {11, "#999"});
    for (std::size_t r = 0; r < rounds_; ++r) draw_round(r);
    draw_result(left + static_cast<double>(rounds_) * column);
    return out_.file(width, height);
  }

 private:
  double middle(int row_index) const { return top + (row_index + 0.5) * row; }
  double along(std::int64_t element) const {
    return bar * static_cast<double>(element) / static_cast<double>(std::max<std::int64_t>(plan_.elements, 1));
  }

  void box(double x, double y, plan::span s, const std::string& fill) {
    out_.rectangle({x + along(s.begin), y - bar_height / 2}, std::max(0.8, along(s.end) - along(s.begin)), bar_height, fill);
  }
  void frame(double x, double y) { out_.rectangle({x, y - bar_height / 2}, bar, bar_height, "none", {"#ccc"}); }

  void draw_round(std::size_t r) {
    const double x = left + static_cast<double>(r) * column, arrival = x + bar + lines;
    bool collects = true;
    svg_picture before = std::exchange(out_, {});
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
        out_.line({x + bar + 2, middle(row_of_[static_cast<std::size_t>(s.peer)])}, {arrival - 2, y},
                  {fill, 1.6, in_place ? "4 3" : ""});
      }
      if (sends) frame(x, y);
      if (receives) frame(arrival, y);
    }
    before.text({x + bar + lines / 2, top - 12}, fmt::format("round {}{}", r + 1, collects ? " (collect)" : ""), above);
    before.draw(out_);
    out_ = std::move(before);
  }

  void draw_result(double x) {
    out_.text({x + bar / 2, top - 12}, "result", above);
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
  svg_picture out_;
};

}  // namespace

std::string draw_plan(const plan::plan& what, const std::vector<int>& order) { return drawing(what, order).svg(order); }

}  // namespace osteon::app
