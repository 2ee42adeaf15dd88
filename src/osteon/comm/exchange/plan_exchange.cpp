#include <algorithm>
#include <cstring>
#include <numeric>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/exchange/plan_exchange.hpp>

namespace osteon::comm {

void blend_by_threads(kernel::pixel_format format, std::byte* out, std::span<const kernel::layer> layers,
                      std::int64_t count) {
  constexpr std::int64_t block = 8192;  // multiple of the lengths of all vectors and cache lines
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

void finish_sparse(const exchange_schedule& schedule, exchange_pixels& pixels, std::span<const plan::span> active) {
  finish_wide(schedule, pixels);
  for (const plan::span part : schedule.parts(0)) {
    std::int64_t at = part.begin;
    for (const plan::span r : active) {
      if (r.end <= part.begin || r.begin >= part.end) continue;
      if (at < r.begin) kernel::clear(pixels.format(false), pixels.at(false, at), r.begin - at);
      at = std::max(at, r.end);
    }
    if (at < part.end) kernel::clear(pixels.format(false), pixels.at(false, at), part.end - at);
  }
}

namespace {

struct message_chunk {
  std::size_t message;  // index of the message in the round
  pixel_piece piece;
};
// Chunks for (or from) one peer that form one MPI message.
struct chunk_group {
  int peer, tag;
  std::vector<message_chunk> chunks;
  std::int64_t pixels = 0;
};

// Small messages for one peer are merged, because plans of active pixels have a span for each row. Messages have the order
// of the sender's tags. Sender and receiver can both compute this order.
std::vector<chunk_group> grouped(const std::vector<exchange_schedule::message>& messages) {
  std::vector<std::size_t> by_tag(messages.size());
  std::iota(by_tag.begin(), by_tag.end(), std::size_t{0});
  std::sort(by_tag.begin(), by_tag.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(messages[a].peer, messages[a].tag) < std::pair(messages[b].peer, messages[b].tag);
  });
  std::vector<chunk_group> groups;
  for (const std::size_t m : by_tag) {
    int tag = messages[m].tag;
    for (const pixel_piece& c : messages[m].chunks()) {
      if (groups.empty() || groups.back().peer != messages[m].peer ||
          groups.back().pixels + c.at.size() > exchange_schedule::chunk_pixels)
        groups.push_back({messages[m].peer, tag, {}});
      groups.back().chunks.push_back({m, c});
      groups.back().pixels += c.at.size();
      ++tag;
    }
  }
  return groups;
}

// MPI datatype of the pixels of a group.
class message_type {
 public:
  message_type(const chunk_group& g, const std::vector<std::byte*>& where, const exchange_pixels& pixels) {
    if (where.size() == 1) {
      begin_ = where.front();
      count_ = static_cast<int>(g.chunks.front().piece.at.size());
      MPI_Type_contiguous(static_cast<int>(pixels.format(g.chunks.front().piece.wide).bytes()), MPI_BYTE, &type_);
    } else {
      std::vector<int> lengths;
      std::vector<MPI_Aint> places;
      for (std::size_t i = 0; i < where.size(); ++i) {
        const pixel_piece& c = g.chunks[i].piece;
        lengths.push_back(static_cast<int>(c.at.size() * static_cast<std::int64_t>(pixels.format(c.wide).bytes())));
        MPI_Get_address(where[i], &places.emplace_back());
      }
      MPI_Type_create_hindexed(static_cast<int>(where.size()), lengths.data(), places.data(), MPI_BYTE, &type_);
    }
    MPI_Type_commit(&type_);
  }
  ~message_type() { MPI_Type_free(&type_); }  // MPI keeps the type until all pending requests are complete
  message_type(const message_type&) = delete;
  message_type& operator=(const message_type&) = delete;
  void* begin() const { return begin_; }
  int count() const { return count_; }
  MPI_Datatype get() const { return type_; }

 private:
  void* begin_ = MPI_BOTTOM;
  int count_ = 1;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::int64_t staged_bytes(const exchange_schedule::round& r, const exchange_pixels& pixels) {
  std::int64_t bytes = 0;
  for (std::size_t m = 0; m < r.arrivals.size(); ++m)
    if (!lands_in_place(r, m))
      for (const pixel_piece& p : r.arrivals[m].pieces)
        bytes += p.at.size() * static_cast<std::int64_t>(pixels.format(p.wide).bytes()) + 64;
  return bytes;
}

}  // namespace

dense_exchange::dense_exchange(MPI_Comm comm, const exchange_schedule& schedule, exchange_pixels& pixels,
                               bool join_while_waiting)
    : sum_format_(kernel::unrounded(pixels.format(false))) {
  std::int64_t staged = 0;
  for (const auto& r : schedule.rounds) staged = std::max(staged, staged_bytes(r, pixels));
  staging_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(staged));
  for (const auto& r : schedule.rounds) prepare(comm, r, pixels, staging_.get());
  if (!join_while_waiting) return;
  std::int64_t most = 0;
  for (round& r : rounds_) most = std::max(most, give_sums(r, nullptr));
  if (most == 0) return;
  sums_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(most));
  for (round& r : rounds_) give_sums(r, sums_.get());
}

// Assign memory for a sum to each `work` with at least three layers. Return the number of bytes that the round needs.
std::int64_t dense_exchange::give_sums(round& r, std::byte* memory) const {
  std::int64_t bytes = 0;
  for (work& w : r.works) {
    if (w.layers.size() < 3) continue;
    if (memory) w.sum = {sum_format_, memory + bytes};
    bytes += (w.count * static_cast<std::int64_t>(sum_format_.bytes()) + 63) / 64 * 64;
  }
  return bytes;
}

void dense_exchange::prepare(MPI_Comm comm, const exchange_schedule::round& from, exchange_pixels& pixels,
                             std::byte* staging) {
  round& to = rounds_.emplace_back();
  to.collects = from.collects;
  const auto bytes_of = [&](const pixel_piece& c) {
    return c.at.size() * static_cast<std::int64_t>(pixels.format(c.wide).bytes());
  };
  for (const chunk_group& g : grouped(from.sends)) {
    std::vector<std::byte*> where;
    for (const message_chunk& c : g.chunks) {
      where.push_back(pixels.at(c.piece.wide, c.piece.at.begin));
      to.bytes_sent += bytes_of(c.piece);
    }
    const message_type type(g, where, pixels);
    MPI_Send_init(type.begin(), type.count(), type.get(), g.peer, g.tag, comm, &to.sends.emplace_back());
  }
  struct staged_chunk {
    pixel_piece piece;
    std::byte* where;
    std::size_t arrival;
  };
  std::vector<std::vector<staged_chunk>> staged(from.arrivals.size());
  for (const chunk_group& g : grouped(from.arrivals)) {
    std::vector<std::byte*> where;
    for (const message_chunk& c : g.chunks) {
      const bool in_place = lands_in_place(from, c.message);
      where.push_back(in_place ? pixels.at(c.piece.wide, c.piece.at.begin) : staging);
      if (in_place) continue;
      staged[c.message].push_back({c.piece, staging, to.arrivals.size()});
      staging += bytes_of(c.piece);
    }
    const message_type type(g, where, pixels);
    MPI_Recv_init(type.begin(), type.count(), type.get(), g.peer, g.tag, comm, &to.arrivals.emplace_back());
  }
  to.wanted_by.resize(to.arrivals.size());
  constexpr std::int64_t chunk = exchange_schedule::chunk_pixels;
  for (const auto& b : from.blends) {
    if (b.layers.size() == 1 && b.layers[0].message >= 0 && staged[static_cast<std::size_t>(b.layers[0].message)].empty())
      continue;  // the message is received at its final place
    for (std::int64_t begin = b.at.begin; begin < b.at.end;) {
      const std::int64_t end = std::min(b.at.end, (begin / chunk + 1) * chunk);
      work w{pixels.format(b.wide), pixels.at(b.wide, begin), {}, end - begin, 0, b.after_sends, {}, {}};
      for (const pixel_piece& layer : b.layers) {
        const kernel::pixel_format format = pixels.format(layer.wide);
        if (layer.message < 0) {
          w.layers.push_back({format, pixels.at(layer.wide, begin)});
          w.arrival_of.push_back(-1);
          continue;
        }
        for (const staged_chunk& c : staged[static_cast<std::size_t>(layer.message)])
          if (c.piece.at.begin <= begin && end <= c.piece.at.end) {
            w.layers.push_back({format, c.where + (begin - c.piece.at.begin) * static_cast<std::int64_t>(format.bytes())});
            w.arrival_of.push_back(static_cast<int>(c.arrival));
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

// Join received layers at the back of a `work` with the layers that have already been joined.
bool dense_exchange::join_some(const round& r, std::vector<progress>& works, const std::vector<bool>& received) const {
  for (std::size_t i = 0; i < works.size(); ++i) {
    const work& w = r.works[i];
    progress& p = works[i];
    if (w.sum.pixels == nullptr || p.awaited == 0) continue;
    const std::size_t end = w.layers.size() - p.joined;
    std::size_t begin = end;
    while (w.arrival_of[begin - 1] < 0 || received[static_cast<std::size_t>(w.arrival_of[begin - 1])]) --begin;
    if (end - begin < (p.joined > 0 ? 1 : 2)) continue;
    std::vector<kernel::layer> some(w.layers.begin() + static_cast<std::ptrdiff_t>(begin),
                                    w.layers.begin() + static_cast<std::ptrdiff_t>(end));
    if (p.joined > 0) some.push_back(w.sum);
    blend_by_threads(w.sum.format, const_cast<std::byte*>(w.sum.pixels), some, w.count);
    p.joined = w.layers.size() - begin;
    return true;
  }
  return false;
}

void dense_exchange::finish(const work& w, const progress& p) {
  if (p.joined == 0) return blend_by_threads(w.format, w.out, w.layers, w.count);
  std::vector<kernel::layer> layers(w.layers.begin(), w.layers.end() - static_cast<std::ptrdiff_t>(p.joined));
  layers.push_back(w.sum);
  blend_by_threads(w.format, w.out, layers, w.count);
}

frame_report dense_exchange::run() {
  frame_report report;
  for (round& r : rounds_) {
    const stopwatch all;
    double blending = 0;
    const auto timed = [&](auto task) {
      const stopwatch watch;
      const auto result = task();
      blending += watch.seconds();
      return result;
    };
    if (!r.arrivals.empty()) MPI_Startall(static_cast<int>(r.arrivals.size()), r.arrivals.data());
    if (!r.sends.empty()) MPI_Startall(static_cast<int>(r.sends.size()), r.sends.data());
    std::vector<progress> works;
    for (const work& w : r.works) works.push_back({w.awaited});
    std::vector<bool> received(r.arrivals.size());
    const int arrivals = static_cast<int>(r.arrivals.size());
    for (int k = 0; k < arrivals; ++k) {
      int next = MPI_UNDEFINED, there = 0;
      while (sums_ && !there) {
        MPI_Testany(arrivals, r.arrivals.data(), &next, &there, MPI_STATUS_IGNORE);
        if (!there && !timed([&] { return join_some(r, works, received); })) break;
      }
      if (!there) MPI_Waitany(arrivals, r.arrivals.data(), &next, MPI_STATUS_IGNORE);
      received[static_cast<std::size_t>(next)] = true;
      for (const std::size_t w : r.wanted_by[static_cast<std::size_t>(next)])
        if (--works[w].awaited == 0 && !r.works[w].after_sends) timed([&] { return finish(r.works[w], works[w]), true; });
    }
    MPI_Waitall(static_cast<int>(r.sends.size()), r.sends.data(), MPI_STATUSES_IGNORE);
    for (std::size_t w = 0; w < works.size(); ++w)
      if (r.works[w].after_sends) timed([&] { return finish(r.works[w], works[w]), true; });
    report.bytes_sent += r.bytes_sent;
    report.blend_seconds += blending;
    (r.collects ? report.collect_seconds : report.exchange_seconds) += all.seconds() - blending;
  }
  return report;
}

}  // namespace osteon::comm
