#include <fmt/format.h>

#include <algorithm>
#include <app/figures/drawings.hpp>
#include <app/figures/plan_map.hpp>
#include <cmath>
#include <osteon/base/error.hpp>
#include <utility>

namespace osteon::app {

namespace {

constexpr int most_ranks = 64, most_columns = 80;           // largest legible numbers; larger plans are drawn as a map
constexpr std::int64_t most_rounds_of_ranks = 100'000'000;  // largest product of rounds and ranks for a map
// Sizes in pixels. A column consists of a bar of sent data, lines, and a bar of received data. The length of a bar
// represents the whole image.
constexpr double bar = 44, bar_height = 12, lines = 90, gap = 22, row = 24, left = 74, top = 56, bottom = 30;
constexpr text_style above = {11, "#222", anchor::middle};
constexpr double column = 2 * bar + lines + gap;

// Hue by position in the image or by rank, with constant lightness. Cosines similar to OKLCH distinguish a dozen spans.
std::string colour(double place) {
  return fmt::format("hsl({:.0f} 62% {:.0f}%)", 15 + 300 * place, 46 - 8 * std::sin(2 * 3.14159265 * place));
}

// Interval of a bar, as fractions of the length of the bar.
struct mark {
  double begin, end;
  std::string fill;
};

class drawing {
 public:
  drawing(const plan::plan& drawn, const std::vector<int>& order) : plan_(drawn), order_(order) {
    if (order_.empty())
      for (int rank = 0; rank < drawn.ranks; ++rank) order_.push_back(rank);
    row_of_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) row_of_[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
    for (int rank = 0; rank < drawn.ranks; ++rank) {
      all_.push_back(drawn.part(rank));
      for (const plan::round& r : all_.back().rounds)
        for (const plan::message& m : r.sends) {
          blends_ = blends_ || (m.is_combined() && m.on_arrival != plan::arrival::add);
          bytes_ += drawn.bytes(m);
        }
    }
  }

  std::string svg() {
    const double width = left + static_cast<double>(plan_.rounds) * column + bar + gap;
    const double height = top + static_cast<double>(plan_.ranks) * row + bottom;
    out_.text({12, 20},
              plan_.moves == plan::cargo::object
                  ? fmt::format("{}: {} ranks, {} elements", plan_.name, plan_.ranks, plan_.elements)
                  : fmt::format("{}: {} ranks, {} bytes sent", plan_.name, plan_.ranks, bytes_),
              {14});
    for (int i = 0; i < plan_.ranks; ++i)
      out_.text({left - 10, middle(i) + 4}, fmt::format("rank {}", order_[static_cast<std::size_t>(i)]),
                {11, "#555", anchor::end});
    if (blends_) out_.text({12, top + plan_.ranks * row + 16}, "front at the top", {11, "#999"});
    if (plan_.moves != plan::cargo::object)
      out_.text({12, top + plan_.ranks * row + 16}, "colour: owner; sent: destination; received: source", {11, "#999"});
    for (std::int64_t r = 0; r < plan_.rounds; ++r) draw_round(static_cast<std::size_t>(r));
    if (plan_.result) draw_result(left + static_cast<double>(plan_.rounds) * column);
    return out_.file(width, height);
  }

 private:
  double middle(int row_index) const { return top + (row_index + 0.5) * row; }
  double share(std::int64_t part, std::int64_t whole) const {
    return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1));
  }
  mark mark_of(plan::span s) const {
    const double begin = share(s.begin, plan_.elements), end = share(s.end, plan_.elements);
    return {begin, end, colour((begin + end) / 2)};
  }

  // Interval of the elements of an object, or of the rank that sends or receives a parcel.
  std::vector<mark> marks(int rank, const plan::message& m, bool sends) const {
    if (plan_.moves == plan::cargo::object) return {mark_of(m.elements)};
    std::vector<plan::parcel> parcels = m.parcels;
    if (parcels.empty()) parcels.push_back(sends ? plan::parcel{rank, m.peer} : plan::parcel{m.peer, rank});
    std::vector<mark> result;
    for (const plan::parcel p : parcels) {
      const int place = sends ? p.to : p.from;
      result.push_back({share(place, plan_.ranks), share(place + 1, plan_.ranks), colour(share(p.from, plan_.ranks))});
    }
    return result;
  }

  void box(double x, double y, const mark& m) {
    out_.rectangle({x + bar * m.begin, y - bar_height / 2}, std::max(0.8, bar * (m.end - m.begin)), bar_height, m.fill);
  }
  void frame(double x, double y) { out_.rectangle({x, y - bar_height / 2}, bar, bar_height, "none", {"#ccc"}); }

  void draw_round(std::size_t r) {
    const double x = left + static_cast<double>(r) * column, arrival = x + bar + lines;
    bool collects = blends_;
    svg_picture before = std::exchange(out_, {});
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      const plan::round& now = all_[static_cast<std::size_t>(rank)].rounds[r];
      const double y = middle(row_of_[static_cast<std::size_t>(rank)]);
      for (const plan::message& m : now.sends)
        for (const mark& part : marks(rank, m, true)) box(x, y, part);
      for (const plan::message& m : now.receives) {
        if (m.is_combined()) collects = false;
        const auto parts = marks(rank, m, false);
        for (const mark& part : parts) box(arrival, y, part);
        out_.line({x + bar + 2, middle(row_of_[static_cast<std::size_t>(m.peer)])}, {arrival - 2, y},
                  {parts.front().fill, 1.6, blends_ && !m.is_combined() ? "4 3" : ""});
      }
      if (!now.sends.empty()) frame(x, y);
      if (!now.receives.empty()) frame(arrival, y);
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
        // Draw a bar in small pieces, so that the bar of a whole image shows the colours of all parts.
        constexpr int pieces = 32;
        for (int p = 0; p < pieces; ++p) {
          const plan::span piece{std::max(s.begin, plan_.elements * p / pieces),
                                 std::min(s.end, plan_.elements * (p + 1) / pieces)};
          if (piece.size() > 0) box(x, y, mark_of(piece));
        }
      }
      if (any) frame(x, y);
    }
  }

  const plan::plan& plan_;
  std::vector<int> order_, row_of_;
  std::vector<plan::rank_plan> all_;  // plans by rank
  bool blends_ = false;
  std::int64_t bytes_ = 0;
  svg_picture out_;
};

}  // namespace

std::string draw_plan(const plan::plan& drawn, const std::vector<int>& order) {
  if (drawn.ranks <= most_ranks && drawn.rounds <= most_columns) return drawing(drawn, order).svg();
  if (drawn.rounds > most_rounds_of_ranks / drawn.ranks)
    throw usage_error(
        fmt::format("a picture of {} ranks and {} rounds is too large: ranks x rounds must be at most {}; draw fewer",
                    drawn.ranks, drawn.rounds, most_rounds_of_ranks));
  constexpr double side = 640, margin = 24, caption = 40;
  svg_picture out;
  out.text({margin, 24},
           fmt::format("{}: {} ranks, {} rounds (rows send, columns receive)", drawn.name, drawn.ranks, drawn.rounds), {14});
  draw_plan_map(out, {margin, caption}, side, drawn);
  return out.file(side + 2 * margin, side + caption + margin, true);
}

}  // namespace osteon::app
