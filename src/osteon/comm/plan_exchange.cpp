#include <algorithm>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/plan_exchange.hpp>

namespace osteon::comm {

void blend_by_threads(kernel::pixel_format format, std::byte* out, std::span<const kernel::layer> layers,
                      std::int64_t count) {
  constexpr std::int64_t block = 8192;  // a multiple of every vector and cache line
#pragma omp parallel for schedule(static) if (count > 2 * block)
  for (std::int64_t begin = 0; begin < count; begin += block) {
    std::vector<kernel::layer> part(layers.begin(), layers.end());
    for (kernel::layer& l : part) l.pixels += begin * static_cast<std::int64_t>(l.format.bytes());
    kernel::blend(format, out + begin * static_cast<std::int64_t>(format.bytes()), part, std::min(block, count - begin));
  }
}

void finish_wide(const exchange_schedule& schedule, exchange_pixels& pixels) {
  for (const pixel_piece& p : schedule.result)
    if (p.wide) {
      const kernel::layer wide[] = {{pixels.format(true), pixels.at(true, p.at.begin)}};
      blend_by_threads(pixels.format(false), pixels.at(false, p.at.begin), wide, p.at.size());
    }
}

namespace {

std::int64_t staged_bytes(const exchange_schedule::round& r, const exchange_pixels& pixels) {
  std::int64_t bytes = 0;
  for (std::size_t m = 0; m < r.arrivals.size(); ++m)
    if (!lands_in_place(r, m))
      for (const pixel_piece& p : r.arrivals[m].pieces)
        bytes += p.at.size() * static_cast<std::int64_t>(pixels.format(p.wide).bytes()) + 64;
  return bytes;
}

}  // namespace

dense_exchange::dense_exchange(MPI_Comm comm, const exchange_schedule& schedule, exchange_pixels& pixels) {
  std::int64_t staged = 0;
  for (const auto& r : schedule.rounds) staged = std::max(staged, staged_bytes(r, pixels));
  staging_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(staged));
  for (const auto& r : schedule.rounds) prepare(comm, r, pixels, staging_.get());
}

void dense_exchange::prepare(MPI_Comm comm, const exchange_schedule::round& from, exchange_pixels& pixels,
                             std::byte* staging) {
  const element_type types[] = {element_type(pixels.format(false).bytes()), element_type(pixels.format(true).bytes())};
  round& to = rounds_.emplace_back();
  to.collects = from.collects;
  for (const auto& m : from.sends) {
    int tag = m.tag;
    for (const pixel_piece& c : m.chunks()) {
      MPI_Send_init(pixels.at(c.wide, c.at.begin), static_cast<int>(c.at.size()), types[c.wide].get(), m.peer, tag++, comm,
                    &to.sends.emplace_back());
      to.bytes_sent += c.at.size() * static_cast<std::int64_t>(pixels.format(c.wide).bytes());
    }
  }
  struct staged_chunk {
    pixel_piece what;
    std::byte* where;
    std::size_t arrival;
  };
  std::vector<std::vector<staged_chunk>> staged(from.arrivals.size());
  for (std::size_t m = 0; m < from.arrivals.size(); ++m) {
    const auto& message = from.arrivals[m];
    const bool in_place = lands_in_place(from, m);
    int tag = message.tag;
    for (const pixel_piece& c : message.chunks()) {
      std::byte* const where = in_place ? pixels.at(c.wide, c.at.begin) : staging;
      if (!in_place) {
        staged[m].push_back({c, where, to.arrivals.size()});
        staging += c.at.size() * static_cast<std::int64_t>(pixels.format(c.wide).bytes());
      }
      MPI_Recv_init(where, static_cast<int>(c.at.size()), types[c.wide].get(), message.peer, tag++, comm,
                    &to.arrivals.emplace_back());
    }
  }
  to.wanted_by.resize(to.arrivals.size());
  constexpr std::int64_t chunk = exchange_schedule::chunk_pixels;
  for (const auto& b : from.blends) {
    if (b.layers.size() == 1 && b.layers[0].message >= 0 && staged[static_cast<std::size_t>(b.layers[0].message)].empty())
      continue;  // it lands in place
    for (std::int64_t begin = b.at.begin; begin < b.at.end;) {
      const std::int64_t end = std::min(b.at.end, (begin / chunk + 1) * chunk);
      work w{pixels.format(b.wide), pixels.at(b.wide, begin), {}, end - begin, 0, b.after_sends};
      for (const pixel_piece& layer : b.layers) {
        const kernel::pixel_format format = pixels.format(layer.wide);
        if (layer.message < 0) {
          w.layers.push_back({format, pixels.at(layer.wide, begin)});
          continue;
        }
        for (const staged_chunk& c : staged[static_cast<std::size_t>(layer.message)])
          if (c.what.at.begin <= begin && end <= c.what.at.end) {
            w.layers.push_back({format, c.where + (begin - c.what.at.begin) * static_cast<std::int64_t>(format.bytes())});
            to.wanted_by[c.arrival].push_back(to.works.size());
            ++w.awaited;
          }
      }
      to.works.push_back(std::move(w));
      begin = end;
    }
  }
}

dense_exchange::~dense_exchange() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return;
  for (round& r : rounds_)
    for (auto* requests : {&r.sends, &r.arrivals})
      for (MPI_Request& q : *requests) MPI_Request_free(&q);
}

frame_report dense_exchange::run() {
  frame_report report;
  for (round& r : rounds_) {
    const stopwatch all;
    double blending = 0;
    const auto blend = [&](const work& w) {
      const stopwatch watch;
      blend_by_threads(w.format, w.out, w.layers, w.count);
      blending += watch.seconds();
    };
    if (!r.arrivals.empty()) MPI_Startall(static_cast<int>(r.arrivals.size()), r.arrivals.data());
    if (!r.sends.empty()) MPI_Startall(static_cast<int>(r.sends.size()), r.sends.data());
    std::vector<int> awaited;
    for (const work& w : r.works) awaited.push_back(w.awaited);
    for (std::size_t k = 0; k < r.arrivals.size(); ++k) {
      int came = MPI_UNDEFINED;
      MPI_Waitany(static_cast<int>(r.arrivals.size()), r.arrivals.data(), &came, MPI_STATUS_IGNORE);
      for (const std::size_t w : r.wanted_by[static_cast<std::size_t>(came)])
        if (--awaited[w] == 0 && !r.works[w].after_sends) blend(r.works[w]);
    }
    MPI_Waitall(static_cast<int>(r.sends.size()), r.sends.data(), MPI_STATUSES_IGNORE);
    for (const work& w : r.works)
      if (w.after_sends) blend(w);
    report.bytes_sent += r.bytes_sent;
    report.blend_seconds += blending;
    (r.collects ? report.collect_seconds : report.exchange_seconds) += all.seconds() - blending;
  }
  return report;
}

}  // namespace osteon::comm
