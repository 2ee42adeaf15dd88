#include <sched.h>

#include <algorithm>
#include <cstring>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/exchange/plan_exchange.hpp>
#include <osteon/plan/partition.hpp>

namespace osteon::comm {

namespace {

// Run in a message, with begin and length in pixels. `begin` is relative to the span of the message.
struct run_head {
  std::uint32_t begin, length;
};

// Call `visit` for the runs. Runs are clipped to `wanted`.
template <class F>
void for_runs_within(std::span<const plan::span> runs, plan::span interval, F visit) {
  auto it = std::partition_point(runs.begin(), runs.end(), [&](const plan::span& r) { return r.end <= interval.begin; });
  for (; it != runs.end() && it->begin < interval.end; ++it) visit(overlap(*it, interval));
}

void append(std::vector<plan::span>& runs, plan::span s) {
  if (!runs.empty() && runs.back().end == s.begin)
    runs.back().end = s.end;
  else
    runs.push_back(s);
}

// Position in a layer that is processed run by run.
struct cursor {
  kernel::pixel_format format;
  std::span<const plan::span> runs;
  const std::byte* const* pixels;  // pixels of each run; null: the pixels are at `base`
  std::byte* base;
  std::size_t next = 0;

  const std::byte* at(std::int64_t pixel) const {
    const auto bytes = static_cast<std::int64_t>(format.bytes());
    return pixels ? pixels[next] + (pixel - runs[next].begin) * bytes : base + pixel * bytes;
  }
};

}  // namespace

// A message consists of the number of runs, the headers of the runs, and the pixels of the runs.
std::vector<std::byte> sparse_exchange::packed(const exchange_schedule::message& m, std::span<const plan::span> active) {
  std::vector<run_head> heads;
  std::size_t bytes = 0;
  for (const pixel_piece& p : m.pieces)
    for_runs_within(active, p.at, [&](plan::span s) {
      heads.push_back({static_cast<std::uint32_t>(s.begin - m.at.begin), static_cast<std::uint32_t>(s.size())});
      bytes += static_cast<std::size_t>(s.size()) * pixels_.format(p.wide).bytes();
    });
  const std::uint64_t count = heads.size();
  std::vector<std::byte> result(sizeof count + heads.size() * sizeof(run_head) + bytes);
  std::byte* to = result.data();
  const auto put = [&](const void* from, std::size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    to += size;
  };
  put(&count, sizeof count);
  put(heads.data(), heads.size() * sizeof(run_head));
  for (const pixel_piece& p : m.pieces)
    for_runs_within(active, p.at, [&](plan::span s) {
      put(pixels_.at(p.wide, s.begin), static_cast<std::size_t>(s.size()) * pixels_.format(p.wide).bytes());
    });
  return result;
}

sparse_exchange::arrival sparse_exchange::unpacked(const exchange_schedule::message& m, std::vector<std::byte> bytes) const {
  arrival result;
  result.bytes = std::move(bytes);
  std::uint64_t count = 0;
  std::memcpy(&count, result.bytes.data(), sizeof count);
  const std::byte* pixels = result.bytes.data() + sizeof count + count * sizeof(run_head);
  auto piece = m.pieces.begin();
  for (std::uint64_t i = 0; i < count; ++i) {
    run_head h{};
    std::memcpy(&h, result.bytes.data() + sizeof count + i * sizeof h, sizeof h);
    const plan::span run{m.at.begin + h.begin, m.at.begin + h.begin + h.length};
    while (piece->at.end <= run.begin) ++piece;
    result.runs.push_back(run);
    result.pixels.push_back(pixels);
    pixels += run.size() * static_cast<std::int64_t>(pixels_.format(piece->wide).bytes());
  }
  return result;
}

void sparse_exchange::blend(const exchange_schedule::blend& planned, std::span<const arrival> received,
                            std::span<const plan::span> active, std::vector<plan::span>& result) {
  std::vector<cursor> layers;
  for (const pixel_piece& p : planned.layers) {
    const kernel::pixel_format format = pixels_.format(p.wide);
    if (p.message < 0) {
      layers.push_back({format, active, nullptr, pixels_.at(p.wide, 0)});
    } else {
      const arrival& a = received[static_cast<std::size_t>(p.message)];
      layers.push_back({format, a.runs, a.pixels.data(), nullptr});
    }
  }
  for (cursor& c : layers)
    c.next = static_cast<std::size_t>(
        std::partition_point(c.runs.begin(), c.runs.end(), [&](const plan::span& r) { return r.end <= planned.at.begin; }) -
        c.runs.begin());
  std::vector<kernel::layer> present;
  for (std::int64_t at = planned.at.begin; at < planned.at.end;) {
    std::int64_t end = planned.at.end;
    present.clear();
    for (cursor& c : layers) {
      while (c.next < c.runs.size() && c.runs[c.next].end <= at) ++c.next;
      if (c.next == c.runs.size()) continue;
      const plan::span run = c.runs[c.next];
      if (run.begin <= at) present.push_back({c.format, c.at(at)});
      end = std::min(end, run.begin <= at ? run.end : run.begin);
    }
    if (!present.empty()) {
      kernel::blend(pixels_.format(planned.wide), pixels_.at(planned.wide, at), present, end - at);
      append(result, {at, end});
    }
    at = end;
  }
}

frame_report sparse_exchange::run(std::vector<plan::span>& active, message_ledger::shape* counted) {
  frame_report report;
  for (const auto& r : schedule_.rounds) {
    const stopwatch all;
    double blending = 0;
    std::vector<std::vector<std::byte>> out;
    std::vector<MPI_Request> sends(r.sends.size());
    for (const auto& m : r.sends) {
      out.push_back(packed(m, active));
      report.bytes_sent += static_cast<std::int64_t>(out.back().size());
      MPI_Isend(out.back().data(), static_cast<int>(out.back().size()), MPI_BYTE, m.peer, m.tag, comm_,
                &sends[out.size() - 1]);
    }
    if (counted) {
      plan::round& round = counted->emplace_back();
      for (std::size_t m = 0; m < out.size(); ++m) round.sends.push_back({r.sends[m].peer, {0, std::ssize(out[m])}});
      for (const auto& m : r.arrivals) round.receives.push_back({m.peer});  // the sizes of messages are unknown
    }
    std::vector<arrival> received(r.arrivals.size());
    std::vector<int> awaited;
    for (const auto& b : r.blends)
      awaited.push_back(static_cast<int>(
          std::count_if(b.layers.begin(), b.layers.end(), [](const pixel_piece& p) { return p.message >= 0; })));
    std::vector<plan::span> blended;
    std::vector<std::size_t> missing;
    for (std::size_t m = 0; m < r.arrivals.size(); ++m) missing.push_back(m);
    while (!missing.empty()) {
      // The sizes of messages are unknown. Messages are therefore received in the order of arrival.
      const std::size_t before = missing.size();
      std::erase_if(missing, [&](std::size_t m) {
        int present = 0;
        MPI_Message handle;
        MPI_Status status;
        MPI_Improbe(r.arrivals[m].peer, r.arrivals[m].tag, comm_, &present, &handle, &status);
        if (!present) return false;
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        std::vector<std::byte> bytes(static_cast<std::size_t>(size));
        MPI_Mrecv(bytes.data(), size, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
        const stopwatch watch;
        if (counted) counted->back().receives[m].elements.end = size;
        received[m] = unpacked(r.arrivals[m], std::move(bytes));
        for (std::size_t b = 0; b < r.blends.size(); ++b) {
          const auto& layers = r.blends[b].layers;
          if (std::any_of(layers.begin(), layers.end(),
                          [&](const pixel_piece& p) { return p.message == static_cast<std::int64_t>(m); }) &&
              --awaited[b] == 0)
            blend(r.blends[b], received, active, blended);
        }
        blending += watch.seconds();
        return true;
      });
      if (missing.size() == before) sched_yield();
    }
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);

    // The blended runs replace the old runs in the blended intervals.
    std::vector<plan::span> kept;
    for (plan::span run : active) {
      for (const auto& b : r.blends) {
        if (b.at.end <= run.begin || b.at.begin >= run.end) continue;
        if (run.begin < b.at.begin) kept.push_back({run.begin, b.at.begin});
        run.begin = std::min(run.end, b.at.end);
      }
      if (run.size() > 0) kept.push_back(run);
    }
    kept.insert(kept.end(), blended.begin(), blended.end());
    std::sort(kept.begin(), kept.end(), [](const plan::span& a, const plan::span& b) { return a.begin < b.begin; });
    active.clear();
    for (const plan::span& s : kept) append(active, s);
    report.blend_seconds += blending;
    (r.collects ? report.collect_seconds : report.exchange_seconds) += all.seconds() - blending;
  }
  return report;
}

}  // namespace osteon::comm
