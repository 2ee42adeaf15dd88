#include <bit>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/exchange/plan_exchange.hpp>
#include <set>

namespace osteon::comm {

namespace {

using message = exchange_schedule::message;

// Serialise messages for a peer as numbers, and deserialise such numbers.
constexpr std::size_t head = 4, per_piece = 5;
void append(std::vector<std::int64_t>& numbers, const message& m) {
  numbers.insert(numbers.end(), {static_cast<std::int64_t>(m.pieces.size()), m.tag, m.at.begin, m.at.end});
  for (const pixel_piece& p : m.pieces)
    numbers.insert(numbers.end(), {p.at.begin, p.at.end, p.layers, p.wide, std::bit_cast<std::int64_t>(p.error)});
}
void append_messages(std::vector<message>& all, const std::vector<std::int64_t>& numbers, int peer) {
  for (std::size_t at = 0; at + head <= numbers.size();) {
    message m{peer, static_cast<int>(numbers[at + 1]), {numbers[at + 2], numbers[at + 3]}, {}};
    const auto end = at + head + per_piece * static_cast<std::size_t>(numbers[at]);
    for (std::size_t i = at + head; i < end; i += per_piece)
      m.pieces.push_back(
          {{numbers[i], numbers[i + 1]}, numbers[i + 2], numbers[i + 3], -1, std::bit_cast<double>(numbers[i + 4])});
    all.push_back(std::move(m));
    at = end;
  }
}

// Send the layouts of the messages of a round, and receive the layouts of the messages to this rank. All layouts for a peer
// are sent in one message, because a round may contain one message for each row of the image.
std::vector<message> exchange_layouts(MPI_Comm comm, const plan::round& planned, int number,
                                      const std::vector<message>& sent) {
  std::map<int, std::vector<std::int64_t>> out;
  for (const message& m : sent) append(out[m.peer], m);
  std::vector<MPI_Request> requests(out.size());
  std::size_t next = 0;
  for (const auto& [peer, numbers] : out)
    MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, peer, number, comm, &requests[next++]);
  std::set<int> senders;
  for (const plan::message& m : planned.receives) senders.insert(m.peer);
  std::vector<message> received;
  for (const int peer : senders) {
    MPI_Status status;
    MPI_Probe(peer, number, comm, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_INT64_T, &count);
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    MPI_Recv(numbers.data(), count, MPI_INT64_T, peer, number, comm, MPI_STATUS_IGNORE);
    append_messages(received, numbers, peer);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return received;
}

}  // namespace

exchange_schedule make_schedule(MPI_Comm comm, const plan::rank_plan& mine, std::int64_t elements,
                                const exchange_object& object) {
  compositing::schedule_walk walk(elements, object);
  for (std::size_t r = 0; r < mine.rounds.size(); ++r) {
    auto sent = walk.sends(mine.rounds[r]);
    auto received = exchange_layouts(comm, mine.rounds[r], static_cast<int>(r), sent);
    walk.add_round(mine.rounds[r], std::move(sent), std::move(received));
  }
  collectively(comm, [&] {
    if (!walk.fault().empty()) throw usage_error(walk.fault());
  });
  return walk.finish(mine.result);
}

}  // namespace osteon::comm
