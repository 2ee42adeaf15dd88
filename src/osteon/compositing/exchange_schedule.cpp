#include <fmt/format.h>

#include <algorithm>
#include <osteon/compositing/exchange_schedule.hpp>
#include <osteon/plan/partition.hpp>

namespace osteon::compositing {

namespace {

// The pieces inside `wanted`. Pieces are clipped to `wanted`.
std::vector<pixel_piece> within(const std::vector<pixel_piece>& pieces, plan::span interval) {
  std::vector<pixel_piece> result;
  for (pixel_piece p : pieces) {
    p.at = overlap(p.at, interval);
    if (p.at.size() > 0) result.push_back(p);
  }
  return result;
}

bool has_equal_content(const pixel_piece& a, const pixel_piece& b) {
  return a.layers == b.layers && a.wide == b.wide && a.message == b.message && a.error == b.error;
}

void replace(std::vector<pixel_piece>& pieces, const pixel_piece& by) {
  std::vector<pixel_piece> result;
  for (const pixel_piece& p : pieces)
    for (const plan::span left : {overlap(p.at, {0, by.at.begin}), overlap(p.at, {by.at.end, p.at.end})})
      if (left.size() > 0) {
        result.push_back(p);
        result.back().at = left;
      }
  result.push_back(by);
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.at.begin < b.at.begin; });
  pieces.clear();
  for (const pixel_piece& p : result)
    if (!pieces.empty() && has_equal_content(pieces.back(), p) && pieces.back().at.end == p.at.begin)
      pieces.back().at.end = p.at.end;
    else
      pieces.push_back(p);
}

// Intervals with arriving layers. The intervals are divided at all boundaries of layers.
std::vector<plan::span> stretches(const plan::round& planned, const std::vector<exchange_schedule::message>& arrivals,
                                  const std::vector<pixel_piece>& held, const exchange_object& object) {
  std::vector<std::int64_t> cuts;
  const auto add = [&](plan::span s) {
    cuts.push_back(s.begin);
    cuts.push_back(s.end);
  };
  for (const auto& m : arrivals)
    for (const pixel_piece& p : m.pieces) add(p.at);
  for (const pixel_piece& p : held) add(p.at);
  for (const auto& d : object.drawn) add(d.at);
  for (const plan::message& m : planned.sends) add(m.elements);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<plan::span> result;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const plan::span s{cuts[i], cuts[i + 1]};
    if (std::any_of(arrivals.begin(), arrivals.end(), [&](const auto& m) { return intersect(m.at, s); }))
      result.push_back(s);
  }
  return result;
}

// Merge adjacent intervals with equal layers.
void merge_neighbours(std::vector<exchange_schedule::blend>& all) {
  std::vector<exchange_schedule::blend> result;
  for (auto& b : all) {
    const bool joins = !result.empty() && result.back().at.end == b.at.begin && result.back().wide == b.wide &&
                       result.back().after_sends == b.after_sends &&
                       std::equal(b.layers.begin(), b.layers.end(), result.back().layers.begin(), result.back().layers.end(),
                                  has_equal_content);
    if (!joins) {
      result.push_back(std::move(b));
      continue;
    }
    result.back().at.end = b.at.end;
    for (pixel_piece& p : result.back().layers) p.at.end = b.at.end;
  }
  all = std::move(result);
}

}  // namespace

schedule_walk::schedule_walk(std::int64_t elements, const exchange_object& object) : object_(object) {
  const auto add_piece = [&](plan::span at, std::int64_t layers) {
    if (at.size() > 0) pieces_.push_back({at, layers, object.starts_wide && object.has_wide(), -1, object.error});
  };
  if (object.drawn.empty()) {
    add_piece({0, elements}, object.own_layers);
    return;
  }
  std::int64_t at = 0;
  for (const plan::span s : object.own_drawn) {
    add_piece({at, s.begin}, 0);
    add_piece(s, object.own_layers);
    at = s.end;
  }
  add_piece({at, elements}, 0);
}

std::int64_t exchange_object::layers_of(plan::span at) const {
  if (drawn.empty()) return all_layers;
  return std::partition_point(drawn.begin(), drawn.end(), [&](const drawn_span& d) { return d.at.end <= at.begin; })->layers;
}

std::vector<exchange_schedule::message> schedule_walk::sends(const plan::round& planned) {
  std::vector<exchange_schedule::message> result;
  for (const plan::message& m : planned.sends) {
    result.push_back({m.peer, next_tag_, m.elements, within(pieces_, m.elements)});
    next_tag_ += static_cast<int>(result.back().chunks().size());
  }
  return result;
}

void schedule_walk::add_round(const plan::round& planned, std::vector<exchange_schedule::message> sent,
                              std::vector<exchange_schedule::message> received) {
  exchange_schedule::round& result = result_.rounds.emplace_back();
  result.sends = std::move(sent);
  add_arrivals(planned, std::move(received), result);
  result.collects = !planned.empty();
  for (const plan::message& m : planned.receives)
    if (m.is_combined()) result.collects = false;
  for (const auto& m : result.sends)
    for (const pixel_piece& p : m.pieces)
      if (p.layers < object_.layers_of(p.at)) result.collects = false;

  const std::vector<pixel_piece> before = pieces_;
  for (const plan::span at : stretches(planned, result.arrivals, pieces_, object_))
    result.blends.push_back(blend_of(at, planned, result, before));
  merge_neighbours(result.blends);
}

// Messages are added in the order of the round's receives. The sender may have another order.
void schedule_walk::add_arrivals(const plan::round& planned, std::vector<exchange_schedule::message> received,
                                 exchange_schedule::round& to) {
  for (const plan::message& expected : planned.receives) {
    const auto it = std::find_if(received.begin(), received.end(),
                                 [&](const auto& m) { return m.peer == expected.peer && m.at == expected.elements; });
    if (it == received.end()) {
      fault_ =
          fmt::format("the plan expects pixels [{}, {}) from rank {}, but this rank does not send them; verify the plan",
                      expected.elements.begin, expected.elements.end, expected.peer);
      to.arrivals.push_back({expected.peer, 0, expected.elements, {}});
      continue;
    }
    it->at.end = -1;  // the message has a counterpart
    auto& m = to.arrivals.emplace_back(*it);
    m.at = expected.elements;
    for (pixel_piece& p : m.pieces) p.message = static_cast<std::int64_t>(to.arrivals.size()) - 1;
  }
}

exchange_schedule schedule_walk::finish(std::span<const plan::span> result) {
  for (const plan::span s : result)
    for (const pixel_piece& p : within(pieces_, s)) result_.result.push_back(p);
  return std::move(result_);
}

exchange_schedule::blend schedule_walk::blend_of(plan::span at, const plan::round& planned,
                                                 const exchange_schedule::round& known,
                                                 const std::vector<pixel_piece>& before) {
  exchange_schedule::blend result{at, within(before, at), false, false};
  std::size_t arrival = 0;
  bool blends = false;
  for (const plan::message& m : planned.sends) result.after_sends = result.after_sends || intersect(m.elements, at);
  for (const plan::message& m : planned.receives) {
    const auto received = within(known.arrivals[arrival++].pieces, at);
    if (received.empty()) continue;
    if (!m.is_combined())
      result.layers = received;
    else
      result.layers.insert(m.on_arrival == plan::arrival::blend_front ? result.layers.begin() : result.layers.end(),
                           received.begin(), received.end());
    blends = blends || m.is_combined();
  }
  // Empty layers are skipped, unless all layers are empty.
  if (std::any_of(result.layers.begin(), result.layers.end(), [](const pixel_piece& p) { return p.layers > 0; }))
    std::erase_if(result.layers, [](const pixel_piece& p) { return p.layers == 0; });
  pixel_piece sum{at, 0, 0, -1, 0};
  for (const pixel_piece& p : result.layers) {
    sum.layers += p.layers;
    sum.error += p.error;
  }
  const bool finished = sum.layers == object_.layers_of(at);
  if (blends) {
    sum.wide = object_.has_wide() && !finished;
    const double once = exchange_schedule::rounding(object_.format, sum.wide);
    if (result.layers.size() > 1) sum.error += finished ? once / 2 : once;
  } else {
    sum.wide = result.layers.front().wide;
  }
  result.wide = sum.wide;
  replace(pieces_, sum);
  return result;
}

std::vector<pixel_piece> exchange_schedule::message::chunks() const {
  std::vector<pixel_piece> result;
  for (const pixel_piece& p : pieces)
    for (std::int64_t begin = p.at.begin; begin < p.at.end;) {
      const std::int64_t end = std::min(p.at.end, (begin / chunk_pixels + 1) * chunk_pixels);
      result.push_back(p);
      result.back().at = {begin, end};
      begin = end;
    }
  return result;
}

double exchange_schedule::rounding(kernel::pixel_format format, bool wide) {
  const bool floating = format.colour == kernel::colour_format::rgba16f || format.colour == kernel::colour_format::rgba32f ||
                        format.colour == kernel::colour_format::wide;
  if (format.depth || floating) return 0;
  return wide ? 1.0 / 257 : 1.0;
}

std::vector<plan::span> exchange_schedule::parts(std::int64_t offset) const {
  std::vector<plan::span> all;
  for (const pixel_piece& p : result) {
    const plan::span moved{p.at.begin + offset, p.at.end + offset};
    if (!all.empty() && all.back().end == moved.begin)
      all.back().end = moved.end;
    else
      all.push_back(moved);
  }
  return all;
}

double exchange_schedule::error_bound() const {
  double bound = 0;
  for (const pixel_piece& p : result) bound = std::max(bound, p.error);
  return bound;
}

}  // namespace osteon::compositing
