#include <bit>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/plan_exchange.hpp>

namespace osteon::comm {

namespace {

using message = exchange_schedule::message;

// A message's description as numbers, for the other end.
constexpr std::size_t head = 3, per_piece = 5;
std::vector<std::int64_t> in_numbers(const message& m) {
  std::vector<std::int64_t> numbers{m.tag, m.at.begin, m.at.end};
  for (const pixel_piece& p : m.pieces)
    numbers.insert(numbers.end(), {p.at.begin, p.at.end, p.layers, p.wide, std::bit_cast<std::int64_t>(p.error)});
  return numbers;
}
message from_numbers(const std::vector<std::int64_t>& numbers, int peer) {
  message m{peer, static_cast<int>(numbers[0]), {numbers[1], numbers[2]}, {}};
  for (std::size_t i = head; i + per_piece <= numbers.size(); i += per_piece)
    m.pieces.push_back(
        {{numbers[i], numbers[i + 1]}, numbers[i + 2], numbers[i + 3], -1, std::bit_cast<double>(numbers[i + 4])});
  return m;
}

// Messages to this rank in a round.
std::vector<message> told(MPI_Comm comm, const plan::round& steps, int number, const std::vector<message>& sent) {
  std::vector<std::vector<std::int64_t>> out;
  std::vector<MPI_Request> requests(sent.size());
  for (const message& m : sent) {
    const auto& numbers = out.emplace_back(in_numbers(m));
    MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, m.peer, number, comm,
              &requests[out.size() - 1]);
  }
  std::vector<message> came;
  for (const plan::step& s : steps.steps) {
    if (s.what == plan::action::send) continue;
    MPI_Status status;
    MPI_Probe(s.peer, number, comm, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_INT64_T, &count);
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    MPI_Recv(numbers.data(), count, MPI_INT64_T, s.peer, number, comm, MPI_STATUS_IGNORE);
    came.push_back(from_numbers(numbers, s.peer));
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return came;
}

}  // namespace

exchange_schedule make_schedule(MPI_Comm comm, const plan::rank_plan& mine, std::int64_t elements,
                                const exchange_object& object) {
  compositing::schedule_walk walk(elements, object);
  for (std::size_t r = 0; r < mine.rounds.size(); ++r) {
    auto sent = walk.sends(mine.rounds[r]);
    auto came = told(comm, mine.rounds[r], static_cast<int>(r), sent);
    walk.go(mine.rounds[r], std::move(sent), std::move(came));
  }
  collectively(comm, [&] {
    if (!walk.fault().empty()) throw usage_error(walk.fault());
  });
  return walk.finish(mine.result);
}

}  // namespace osteon::comm
