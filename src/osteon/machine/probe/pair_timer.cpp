#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/machine/probe/pair_timer.hpp>
#include <thread>

namespace osteon::machine {

namespace {

constexpr int order_tag = 0, data_tag = 1;
constexpr double forever = std::numeric_limits<double>::infinity();
constexpr int fewest_repeats = 3;
constexpr double part_of_time = 0.2;  // fraction of the remaining time for one size; the rest is for larger sizes

// Request of the leader of a pair. A request with 0 repeats ends the measurement.
struct order {
  int bytes = 0, repeats = 0;
};

// Serialise a measurement for a broadcast. Counts are exact in a double.
std::vector<double> packed(const measurement& m) {
  std::vector<double> values = {m.seconds,
                                static_cast<double>(m.repeats),
                                static_cast<double>(m.all_sizes),
                                static_cast<double>(m.fill),
                                static_cast<double>(m.mean),
                                static_cast<double>(m.bytes.size())};
  values.insert(values.end(), m.bytes.begin(), m.bytes.end());
  for (const auto& round : m.rounds) {
    values.push_back(static_cast<double>(round.size()));
    for (const auto& [a, b] : round) {
      values.push_back(a);
      values.push_back(b);
    }
  }
  return values;
}

measurement unpacked(const std::vector<double>& values) {
  auto next = values.begin();
  measurement m;
  m.seconds = *next++;
  m.repeats = static_cast<int>(*next++);
  m.all_sizes = *next++ != 0;
  m.fill = *next++ != 0;
  m.mean = *next++ != 0;
  const auto sizes = static_cast<std::ptrdiff_t>(*next++);
  m.bytes.assign(next, next + sizes);
  next += sizes;
  while (next != values.end()) {
    auto& round = m.rounds.emplace_back();
    for (auto pairs = static_cast<std::int64_t>(*next++); pairs > 0; --pairs) {
      const int a = static_cast<int>(*next++);
      round.emplace_back(a, static_cast<int>(*next++));
    }
  }
  return m;
}

double average(const std::vector<double>& times, bool mean) {
  if (!mean) return median(times);
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

}  // namespace

pair_timer::pair_timer(MPI_Comm comm, std::vector<std::string> host_names, double patience_s)
    : comm_(comm), host_names_(std::move(host_names)), patience_s_(patience_s) {}

// The clock is read rarely, because a reading costs as much as a test of a request.
void pair_timer::complete(MPI_Request& request, int peer) {
  const stopwatch waiting;
  for (std::int64_t tests = 1;; ++tests) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (tests % 4096 == 0 && waiting.seconds() > patience_s_)
      throw machine_error(fmt::format(
          "host {} no longer responds to host {} ({:.0f} s); check the host and firewalls, or exclude the host from the job",
          host_names_[static_cast<std::size_t>(peer)], host_names_[static_cast<std::size_t>(comm::rank(comm_))],
          waiting.seconds()));
  }
}

// Waiting ranks must not occupy a core or a link.
void pair_timer::complete_asleep(MPI_Request& request, double patience) {
  const stopwatch waiting;
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (waiting.seconds() > patience)
      throw machine_error(fmt::format("a host did not respond within {:.0f} s; check the hosts", waiting.seconds()));
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

double pair_timer::ping_pong(int peer, int bytes) {
  MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
  const stopwatch clock;
  MPI_Irecv(buffer_.data(), bytes, MPI_CHAR, peer, data_tag, comm_, &receive);
  MPI_Isend(buffer_.data() + bytes, bytes, MPI_CHAR, peer, data_tag, comm_, &send);
  complete(send, peer);
  complete(receive, peer);
  return clock.seconds() / 2;
}

void pair_timer::follow(int peer) {
  for (;;) {
    order now;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&now, 2, MPI_INT, peer, order_tag, comm_, &request);
    complete(request, peer);
    if (now.repeats == 0) return;
    for (int i = 0; i < now.repeats; ++i) {
      MPI_Irecv(buffer_.data(), now.bytes, MPI_CHAR, peer, data_tag, comm_, &request);
      complete(request, peer);
      MPI_Isend(buffer_.data() + now.bytes, now.bytes, MPI_CHAR, peer, data_tag, comm_, &request);
      complete(request, peer);
    }
  }
}

void pair_timer::lead(int peer, const measurement& task, double end, std::vector<timing>& times) {
  const auto send_order = [&](order o) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&o, 2, MPI_INT, peer, order_tag, comm_, &request);
    complete(request, peer);
  };
  const auto run = [&](double bytes, int repeats, std::vector<double>& seconds) {
    send_order({static_cast<int>(bytes), repeats});
    for (int i = 0; i < repeats; ++i) seconds.push_back(ping_pong(peer, static_cast<int>(bytes)));
  };
  const auto affordable = [&](double half_turn) { return (end - MPI_Wtime()) / (2 * half_turn); };

  std::vector<double>
      first;  // the first repetition establishes the connection, and the second repetition yields an estimate of the time
  run(task.bytes[0], 2, first);
  timing last{task.bytes[0], first[1]};
  std::vector<double> seconds;
  for (std::size_t i = 0; i < task.bytes.size(); ++i) {
    const double bytes = task.bytes[i];
    int repeats = task.repeats;
    if (!task.all_sizes) {
      const double turns = affordable(last.seconds * bytes / last.bytes);
      if (i >= 2 && turns < fewest_repeats) break;
      repeats = static_cast<int>(std::clamp(part_of_time * turns, double{fewest_repeats}, double(task.repeats)));
    }
    seconds.clear();
    run(bytes, repeats, seconds);
    last = {bytes, average(seconds, task.mean)};
    times.push_back(last);
  }
  while (task.fill && affordable(last.seconds) >= 1) {
    run(last.bytes, static_cast<int>(std::clamp(affordable(last.seconds), 1.0, 8.0)), seconds);
    times.back().seconds = average(seconds, task.mean);
  }
  send_order({0, 0});
}

std::vector<pair_timings> pair_timer::perform(const measurement& task) {
  const int rank = comm::rank(comm_), ranks = comm::size(comm_);
  // One half of the buffer is for received data, the other half for sent data.
  buffer_.resize(2 * static_cast<std::size_t>(task.bytes.back()));
  const double patience_of_all = 3 * patience_s_ + 4 * task.seconds;
  const auto wait_for_all = [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    complete_asleep(request, task.all_sizes ? forever : patience_of_all);
  };
  std::vector<double> found;  // for each pair: a, b, number of timings, timings
  for (const auto& round : task.rounds) {
    wait_for_all();
    const double end = MPI_Wtime() + task.seconds;
    for (const auto& [a, b] : round) {
      if (a != rank && b != rank) continue;
      if (b == rank) {
        follow(a);
        continue;
      }
      std::vector<timing> times;
      lead(b, task, end, times);
      found.insert(found.end(), {static_cast<double>(a), static_cast<double>(b), static_cast<double>(times.size())});
      for (const timing& t : times) found.insert(found.end(), {t.bytes, t.seconds});
    }
  }
  wait_for_all();
  const int count = static_cast<int>(found.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_);
  const std::vector<int> offsets = comm::offsets_of(counts);
  std::vector<double> all(rank == 0 ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0);
  MPI_Gatherv(found.data(), count, MPI_DOUBLE, all.data(), counts.data(), offsets.data(), MPI_DOUBLE, 0, comm_);
  std::vector<pair_timings> result;
  for (auto next = all.begin(); next != all.end();) {
    pair_timings p{static_cast<int>(next[0]), static_cast<int>(next[1]), {}};
    const auto n = static_cast<std::size_t>(next[2]);
    next += 3;
    for (std::size_t i = 0; i < n; ++i, next += 2) p.times.push_back({next[0], next[1]});
    result.push_back(std::move(p));
  }
  return result;
}

// Broadcast a count. Waiting ranks sleep. All ranks must use the non-blocking broadcast, because a non-blocking broadcast
// does not match a blocking broadcast.
void pair_timer::broadcast_count(int& count) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&count, 1, MPI_INT, 0, comm_, &request);
  complete_asleep(request, forever);
}

std::vector<pair_timings> pair_timer::measure(const measurement& task) {
  std::vector<double> values = packed(task);
  int count = static_cast<int>(values.size());
  broadcast_count(count);
  MPI_Bcast(values.data(), count, MPI_DOUBLE, 0, comm_);
  return perform(task);
}

void pair_timer::finish() {
  int count = 0;
  broadcast_count(count);
}

void pair_timer::serve() {
  for (;;) {
    int count = 0;
    broadcast_count(count);
    if (count == 0) return;
    std::vector<double> values(static_cast<std::size_t>(count));
    MPI_Bcast(values.data(), count, MPI_DOUBLE, 0, comm_);
    perform(unpacked(values));
  }
}

}  // namespace osteon::machine
