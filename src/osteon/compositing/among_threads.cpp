#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <osteon/base/container_limits.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/compositing/among_threads.hpp>
#include <thread>

namespace osteon::compositing {

struct among_threads::planned {
  std::vector<exchange_schedule> schedules;            // schedule of each thread
  std::map<std::pair<int, int>, message*> message_of;  // messages by sender and tag
  message& of(int sender, const exchange_schedule::message& m) const { return *message_of.at({sender, m.tag}); }
};

namespace {

// Compute the schedules of all threads round by round.
std::vector<exchange_schedule> schedules_of_threads(const plan::plan& plan, const exchange_object& object) {
  const auto threads = static_cast<std::size_t>(plan.ranks);
  std::vector<schedule_walk> walks(threads, schedule_walk(plan.elements, object));
  std::vector<plan::round> planned(threads);
  std::size_t sent = 0, received = 0;
  for (std::int64_t r = 0; r < plan.rounds; ++r) {
    std::vector<std::vector<exchange_schedule::message>> out(threads), incoming(threads);
    for (std::size_t t = 0; t < threads; ++t) {
      planned[t] = plan.of(static_cast<int>(t), r);
      out[t] = walks[t].sends(planned[t]);
      sent += out[t].size();
      for (const auto& m : out[t])
        if (m.peer >= 0 && m.peer < plan.ranks) {
          auto& arriving = incoming[static_cast<std::size_t>(m.peer)].emplace_back(m);
          arriving.peer = static_cast<int>(t);
        }
    }
    for (std::size_t t = 0; t < threads; ++t) {
      received += planned[t].receives.size();
      walks[t].add_round(planned[t], std::move(out[t]), std::move(incoming[t]));
    }
  }
  std::vector<exchange_schedule> result;
  for (std::size_t t = 0; t < threads; ++t) {
    if (!walks[t].fault().empty()) throw usage_error(walks[t].fault());
    result.push_back(walks[t].finish(plan.result ? plan.result(static_cast<int>(t)) : std::vector<plan::span>{}));
  }
  if (sent != received)
    throw usage_error(
        fmt::format("plan '{}' sends {} messages but receives {}; verify the plan", plan.name, sent, received));
  return result;
}

std::int64_t bytes_of(const std::vector<pixel_piece>& pieces, const exchange_pixels& pixels) {
  std::int64_t sum = 0;
  for (const pixel_piece& p : pieces) sum += p.at.size() * static_cast<std::int64_t>(pixels.format(p.wide).bytes());
  return sum;
}

}  // namespace

among_threads::among_threads(const plan::plan& plan, kernel::pixel_format format, bool wide_between)
    : format_(format), elements_(plan.elements) {
  exchange_object object{format};
  object.wide_between = wide_between;
  object.all_layers = plan.ranks;
  planned all;
  all.schedules = schedules_of_threads(plan, object);
  members_ = std::vector<member>(all.schedules.size());
  for (std::size_t t = 0; t < members_.size(); ++t) {
    const exchange_schedule& s = all.schedules[t];
    member& m = members_[t];
    m.image = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(elements_) * format.bytes());
    m.pixels = std::make_unique<exchange_pixels>(s, object, elements_, m.image.get());
    m.parts = s.parts(0);
    error_bound_ = std::max(error_bound_, s.error_bound());
    for (const auto& r : s.rounds)
      for (const auto& sent : r.sends) all.message_of[{static_cast<int>(t), sent.tag}] = &messages_.emplace_back();
  }
  for (const exchange_schedule& s : all.schedules)
    for (const auto& r : s.rounds)
      for (std::size_t a = 0; a < r.arrivals.size(); ++a)
        all.of(r.arrivals[a].peer, r.arrivals[a]).in_place = lands_in_place(r, a);
  for (int t = 0; t < threads(); ++t) prepare(all, t);
  crowded_ = members_.size() > static_cast<std::size_t>(cores_of_host());
}

void among_threads::prepare(const planned& all, int thread) {
  const exchange_schedule& schedule = all.schedules[static_cast<std::size_t>(thread)];
  member& me = members_[static_cast<std::size_t>(thread)];
  std::int64_t staged = 0;
  for (const auto& r : schedule.rounds) {
    std::int64_t in_round = 0;
    for (const auto& b : r.blends)
      if (b.after_sends)
        for (const pixel_piece& l : b.layers)
          if (l.message >= 0) in_round += bytes_of({l}, *me.pixels);
    staged = std::max(staged, in_round);
  }
  me.staging = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(staged));
  me.working_bytes = staged + me.pixels->wide_bytes();
  for (std::size_t number = 0; number < schedule.rounds.size(); ++number) {
    const auto& from = schedule.rounds[number];
    round& to = me.rounds.emplace_back();
    to.collects = from.collects;
    for (const auto& sent : from.sends) {
      message& m = all.of(thread, sent);
      to.bytes_sent += bytes_of(sent.pieces, *me.pixels);
      if (!m.in_place) {
        to.sends.push_back(&m);
        continue;
      }
      exchange_pixels& target = *members_[static_cast<std::size_t>(sent.peer)].pixels;
      for (const pixel_piece& p : sent.pieces) {
        const kernel::pixel_format format = me.pixels->format(p.wide);
        to.writes.push_back(
            {{&m}, format, target.at(p.wide, p.at.begin), {{format, me.pixels->at(p.wide, p.at.begin)}}, p.at.size()});
        ++m.uses;
      }
    }
    for (const auto& a : from.arrivals)
      if (message& m = all.of(a.peer, a); m.in_place) to.in_place_arrivals.push_back(&m);
    std::byte* staging = me.staging.get();
    for (const auto& b : from.blends) add_reads(all, thread, number, b, staging);
    for (task& k : to.reads)
      for (message* m : k.inputs) m->left = ++m->uses;
    for (task& k : to.writes)
      for (message* m : k.inputs) m->left = m->uses;
  }
  for (const pixel_piece& p : schedule.result)
    if (p.wide)
      me.finish.push_back({{},
                           me.pixels->format(false),
                           me.pixels->at(false, p.at.begin),
                           {{me.pixels->format(true), me.pixels->at(true, p.at.begin)}},
                           p.at.size()});
}

void among_threads::add_reads(const planned& all, int thread, std::size_t number, const exchange_schedule::blend& b,
                              std::byte*& staging) {
  const auto& from = all.schedules[static_cast<std::size_t>(thread)].rounds[number];
  member& me = members_[static_cast<std::size_t>(thread)];
  round& to = me.rounds[number];
  task blending{{}, me.pixels->format(b.wide), me.pixels->at(b.wide, b.at.begin), {}, b.at.size()};
  for (const pixel_piece& layer : b.layers) {
    const kernel::pixel_format format = me.pixels->format(layer.wide);
    if (layer.message < 0) {
      blending.layers.push_back({format, me.pixels->at(layer.wide, b.at.begin)});
      continue;
    }
    const auto& arrival = from.arrivals[static_cast<std::size_t>(layer.message)];
    message& m = all.of(arrival.peer, arrival);
    if (m.in_place) return;  // the sender writes the pixels to their final place
    const std::byte* const source = members_[static_cast<std::size_t>(arrival.peer)].pixels->at(layer.wide, b.at.begin);
    if (!b.after_sends) {
      blending.layers.push_back({format, source});
      blending.inputs.push_back(&m);
      continue;
    }
    // Intervals that two threads exchange are copied. Otherwise, each of the two threads would wait for the other thread.
    to.reads.push_back({{&m}, format, staging, {{format, source}}, b.at.size()});
    blending.layers.push_back({format, staging});
    staging += b.at.size() * static_cast<std::int64_t>(format.bytes());
  }
  (b.after_sends ? to.last : to.reads).push_back(std::move(blending));
}

std::span<std::byte> among_threads::image(int thread) {
  return {members_[static_cast<std::size_t>(thread)].image.get(), static_cast<std::size_t>(elements_) * format_.bytes()};
}

void among_threads::wait(const std::atomic<std::uint64_t>& event, std::uint64_t frame) const {
  for (int tries = 0; event.load(std::memory_order_acquire) < frame; ++tries)
    if (crowded_ || tries > 2000) std::this_thread::yield();
}

frame_report among_threads::run(int thread) {
  frame_report report;
  member& me = members_[static_cast<std::size_t>(thread)];
  ++me.frame;
  for (round& r : me.rounds) run_round(me, r, report);
  const stopwatch watch;
  for (const task& k : me.finish) kernel::blend(k.format, k.out, k.layers, k.count);
  report.blend_seconds += watch.seconds();
  return report;
}

// Threads cannot deadlock. A thread never waits for tasks in a later round of another thread, and executes every task of its
// round that is ready. The thread in the earliest round can therefore always continue.
void among_threads::run_round(member& me, round& r, frame_report& report) {
  const stopwatch all;
  double blending = 0;
  const std::uint64_t frame = me.frame;
  const auto blend = [&](const task& k) {
    const stopwatch watch;
    kernel::blend(k.format, k.out, k.layers, k.count);
    blending += watch.seconds();
  };
  for (message* m : r.sends) m->ready.store(frame, std::memory_order_release);
  for (message* m : r.in_place_arrivals) m->writable.store(frame, std::memory_order_release);
  // Ready messages are processed first, in any order.
  const auto done_if_ready = [&](const task& k, auto required, auto signalled) {
    for (const message* m : k.inputs)
      if ((m->*required).load(std::memory_order_acquire) < frame) return false;
    blend(k);
    for (message* m : k.inputs)
      if (--m->left == 0) {
        m->left = m->uses;
        (m->*signalled).store(frame, std::memory_order_release);
      }
    return true;
  };
  me.open.clear();
  for (const task& k : r.reads) me.open.push_back(&k);
  const std::size_t reads = r.reads.size();
  for (const task& k : r.writes) me.open.push_back(&k);
  for (std::size_t left = me.open.size(), tries = 0; left > 0; ++tries) {
    const std::size_t before = left;
    for (std::size_t i = 0; i < me.open.size(); ++i) {
      if (me.open[i] == nullptr) continue;
      const bool done = i < reads ? done_if_ready(*me.open[i], &message::ready, &message::released)
                                  : done_if_ready(*me.open[i], &message::writable, &message::ready);
      if (!done) continue;
      me.open[i] = nullptr;
      --left;
    }
    if (left < before)
      tries = 0;
    else if (crowded_ || tries > 2000)
      std::this_thread::yield();
  }
  for (const message* m : r.in_place_arrivals) wait(m->ready, frame);
  for (const message* m : r.sends) wait(m->released, frame);
  for (const task& k : r.last) blend(k);
  report.bytes_sent += r.bytes_sent;
  (r.collects ? report.collect_seconds : report.exchange_seconds) += all.seconds() - blending;
  report.blend_seconds += blending;
}

}  // namespace osteon::compositing
