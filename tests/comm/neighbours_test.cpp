#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/neighbours.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/comm/virtual_ranks.hpp>

namespace neighbours_test {

using namespace osteon;

constexpr int tag = 1000;

// Each rank of a ring has `own` elements. Two ghosts follow, of the previous and of the next rank.
constexpr std::int32_t own = 5;
plan::neighbour_part ring(int rank, int ranks) {
  const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
  // The channel is the side of the receiver. With one or two ranks, both messages have an equal peer.
  return {"ring",
          {{.peer = before, .channel = 1, .list = {0}}, {.peer = after, .channel = 0, .list = {own - 1}}},
          {{.peer = before, .channel = 0, .run = {own, own + 1}}, {.peer = after, .channel = 1, .run = {own + 1, own + 2}}},
          plan::arrival::place};
}

template <class T>
void fill_ring(MPI_Comm comm, comm::neighbours& ghosts, int round) {
  const int me = comm::rank(comm), ranks = comm::size(comm);
  const auto value = [&](int rank, int i) { return static_cast<T>(1000 * round + 10 * rank + i); };
  std::vector<T> values(own + 2);
  for (int i = 0; i < own; ++i) values[static_cast<std::size_t>(i)] = value(me, i);
  ghosts.begin(values.data(), sizeof(T));
  values[2] += 1;  // computation between start and end of the exchange
  ghosts.end(values.data());
  EXPECT_EQ(values[own], value((me + ranks - 1) % ranks, own - 1));
  EXPECT_EQ(values[own + 1], value((me + 1) % ranks, 0));
  EXPECT_EQ(values[2], value(me, 2) + 1);
}

// Oracle: values computed by hand. There are several runs with two sizes, so that messages are initialised once and started
// repeatedly.
TEST(neighbours, fill_ghosts_again_and_again) {
  comm::neighbours ghosts(MPI_COMM_WORLD, tag, ring(comm::rank(MPI_COMM_WORLD), comm::size(MPI_COMM_WORLD)));
  for (int round = 0; round < 4; ++round) {
    fill_ring<float>(MPI_COMM_WORLD, ghosts, round);
    fill_ring<double>(MPI_COMM_WORLD, ghosts, round);
  }
}

// Oracle: the lists, processed one after another. One thread processes each short list, and all threads process each long
// list. A rank sends messages to itself and to the next rank.
TEST(neighbours, pack_long_lists_by_any_number_of_threads) {
  const int me = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD), next = (me + 1) % ranks,
            before = (me + ranks - 1) % ranks;
  const int threads = omp_get_max_threads();
  for (const std::int32_t length : {10, 1500, 20000}) {
    // Every third element, starting at an offset that depends on the message. Two messages remain on the rank, and two
    // messages go around the ring.
    const auto at = [length](std::int32_t message, std::int32_t n) { return message + 3 * ((7 * n) % length); };
    const std::int32_t elements = 3 * length + 4;
    plan::neighbour_part part{"lists", {}, {}, plan::arrival::place};
    for (std::int32_t m = 0; m < 4; ++m) {
      std::vector<std::int32_t> list;
      for (std::int32_t n = 0; n < length; ++n) list.push_back(at(m, n));
      const std::int32_t begin = elements + m * length;
      part.sends.push_back({.peer = m < 2 ? me : next, .channel = m, .list = std::move(list)});
      part.receives.push_back({.peer = m < 2 ? me : before, .channel = m, .run = {begin, begin + length}});
    }
    for (const int team : {1, 2, 3}) {
      omp_set_num_threads(team);
      comm::neighbours ghosts(MPI_COMM_WORLD, tag, part);
      for (int round = 0; round < 2; ++round) {
        const auto value = [&](int rank, std::int32_t i) { return static_cast<float>(i + 3 * rank + round); };
        std::vector<float> values(static_cast<std::size_t>(elements + 4 * length));
        for (std::int32_t i = 0; i < elements; ++i) values[static_cast<std::size_t>(i)] = value(me, i);
        ghosts.exchange(values.data());
        int wrong = 0;
        for (std::int32_t m = 0; m < 4; ++m)
          for (std::int32_t n = 0; n < length; ++n)
            wrong += values[static_cast<std::size_t>(elements + m * length + n)] != value(m < 2 ? me : before, at(m, n));
        EXPECT_EQ(wrong, 0) << length << " " << team;
      }
    }
  }
  omp_set_num_threads(threads);
}

// Oracle: values computed by hand, for ranks that are threads.
TEST(neighbours, of_virtual_ranks_do_the_same) {
  const auto ledgers = comm::run_virtual_ranks(6, [](MPI_Comm comm) {
    ASSERT_EQ(comm::size(comm), 6);
    comm::neighbours ghosts(comm, tag, ring(comm::rank(comm), 6));
    for (int round = 0; round < 3; ++round) fill_ring<double>(comm, ghosts, round);
    EXPECT_EQ(comm::max_over_ranks(comm, comm::rank(comm)), 5);
    EXPECT_EQ(comm::sum_over_ranks(comm, comm::rank(comm)), 15);
  });
  const auto traffic = comm::traffic_of(ledgers);
  ASSERT_EQ(traffic.size(), 1U);
  EXPECT_EQ(traffic[0].plan, "ring, 8 B");
  EXPECT_EQ(traffic[0].runs, 3);
  EXPECT_EQ(traffic[0].messages, 3 * 6 * 2);
  EXPECT_EQ(traffic[0].bytes, 3 * 6 * 2 * 8);
  EXPECT_TRUE(traffic[0].problems.empty());
}

// Oracle: values computed by hand. Content inside a part is not counted outside the part. If a part is repeated, the first
// time counts.
TEST(neighbours, of_virtual_ranks_are_told_apart_by_parts) {
  std::vector<comm::message_parts> parts(3);
  const auto ledgers = comm::run_virtual_ranks(3, [&](MPI_Comm comm) {
    comm::attachment_of(comm)->parts = &parts[static_cast<std::size_t>(comm::rank(comm))];
    comm::neighbours ghosts(comm, tag, ring(comm::rank(comm), 3));
    fill_ring<double>(comm, ghosts, 0);
    for (int round = 0; round < 2; ++round) {
      comm::sent_part outer(comm, "outer");
      fill_ring<double>(comm, ghosts, round);
      const comm::sent_part inner(comm, "inner");
      for (int n = 0; n < 4; ++n) fill_ring<double>(comm, ghosts, n);
      if (round == 1) outer.becomes("last");
    }
  });
  EXPECT_EQ(comm::traffic_of(ledgers)[0].runs, 1);
  for (const auto& of_rank : parts) {
    ASSERT_EQ(of_rank.parts.size(), 3U);
    for (const auto& [name, runs] : {std::pair("inner", 4), std::pair("outer", 1), std::pair("last", 1)}) {
      const auto found =
          std::find_if(of_rank.parts.begin(), of_rank.parts.end(), [name = name](const auto& p) { return p.name == name; });
      ASSERT_NE(found, of_rank.parts.end()) << name;
      EXPECT_EQ(found->sent->entries().at(0).runs.at(0).runs, runs) << name;
    }
  }
}

// Oracle: a run counts the occurrences of its parts. A virtual rank computes with the arithmetic of MPI.
TEST(neighbours, parts_of_a_run_are_counted) {
  comm::communicator world = comm::communicator::duplicate(MPI_COMM_WORLD);
  const comm::attached_ledger ledger(world.get());
  for (int n = 0; n < 3; ++n) {
    comm::sent_part part(world.get(), "step");
    if (n == 2) part.becomes("end");
  }
  EXPECT_EQ(comm::ledger_of(world.get())->parts(), (std::map<std::string, std::int64_t>{{"end", 1}, {"step", 2}}));
}

// Oracle: the definitions of MPI, evaluated by hand.
TEST(neighbours, virtual_ranks_reduce_and_gather) {
  const auto check = [](MPI_Comm comm) {
    const int me = comm::rank(comm), ranks = comm::size(comm);
    std::array<double, 2> ends{double(me), double(-me)};
    comm::all_reduce(comm, ends.data(), ends.size(), MPI_MAX);
    EXPECT_EQ(ends, (std::array{double(ranks - 1), 0.0}));
    std::uint8_t bits = static_cast<std::uint8_t>(1U << (me % 8));
    comm::all_reduce(comm, &bits, 1, MPI_BOR);
    EXPECT_EQ(bits, static_cast<std::uint8_t>((1U << ranks) - 1));
    EXPECT_EQ(comm::exclusive_sum_over_ranks(comm, me + 1), me * (me + 1) / 2);
    EXPECT_EQ(comm::broadcast_from_first(comm, 7 + me), 7);
    const std::vector<int> mine(static_cast<std::size_t>(me), me);
    const auto all = comm::gather_to_all(comm, mine);
    std::vector<int> expected;
    for (int r = 0; r < ranks; ++r) expected.insert(expected.end(), static_cast<std::size_t>(r), r);
    EXPECT_EQ(all.values, expected);
    const auto first = comm::gather_on_first(comm, mine);
    EXPECT_EQ(first.values, me == 0 ? expected : std::vector<int>());
    const std::vector<int> begins = comm::offsets_of(first.counts);
    std::vector<int> gathered(first.values.size()), back(mine.size());
    comm::gather_values(comm, mine.data(), me, gathered.data(), first.counts, begins);
    EXPECT_EQ(gathered, first.values);
    comm::scatter_values(comm, gathered.data(), first.counts, begins, back.data(), me);
    EXPECT_EQ(back, mine);
  };
  comm::run_virtual_ranks(5, check);
  check(MPI_COMM_WORLD);
}

// Oracle: the sum in the order of the ranks. The sums of the chosen values depend on their order.
TEST(neighbours, combine_in_the_order_of_the_ranks) {
  const int me = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  plan::neighbour_part part{"sum", {}, {}, plan::arrival::add};
  for (int r = 0; r < ranks; ++r)
    if (r != me) part.sends.push_back({.peer = r, .list = {1, 0}});
  part.receives = part.sends;
  comm::neighbours copies(MPI_COMM_WORLD, tag, std::move(part));
  const auto value = [](int rank, int i) { return 1.0F / static_cast<float>(3 + 7 * rank + i); };
  std::vector<float> values{value(me, 0), value(me, 1), value(me, 2)};
  copies.combine(values, 1, me, [](float a, float b) { return a + b; });
  for (int i = 0; i < 2; ++i) {
    float sum = value(0, i);
    for (int r = 1; r < ranks; ++r) sum += value(r, i);
    EXPECT_EQ(values[static_cast<std::size_t>(i)], sum);
  }
  EXPECT_EQ(values[2], value(me, 2));
}

// Rank r has row r of a table of shape (ranks, ranks). Rank r receives column r.
plan::neighbour_part turned(int rank, int ranks) {
  const box3 row{{0, 0, 0}, {1, 1, ranks}}, column{{0, 0, 0}, {1, ranks, 1}};
  plan::neighbour_part part{"turned", {}, {}, plan::arrival::place};
  for (int r = 0; r < ranks; ++r) {
    part.sends.push_back({.peer = r, .whole = row, .part = {{0, 0, r}, {1, 1, r + 1}}});
    part.receives.push_back({.peer = r, .whole = column, .part = {{0, r, 0}, {1, r + 1, 1}}});
  }
  (void)rank;
  return part;
}

// Oracle: transposition by hand, for both methods of exchange of boxes.
TEST(neighbours, move_boxes) {
  const int me = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  std::vector<int> row(static_cast<std::size_t>(ranks)), column(row), one_by_one(row);
  for (int i = 0; i < ranks; ++i) row[static_cast<std::size_t>(i)] = 100 * me + i;
  comm::neighbours boxes(MPI_COMM_WORLD, tag, turned(me, ranks));
  boxes.move(row.data(), column.data(), sizeof(int));
  boxes.receive_one_by_one(row.data(), sizeof(int), [&](std::size_t message, std::span<const std::byte> came) {
    ASSERT_EQ(came.size(), sizeof(int));
    std::memcpy(&one_by_one[message], came.data(), sizeof(int));
  });
  for (int i = 0; i < ranks; ++i) EXPECT_EQ(column[static_cast<std::size_t>(i)], 100 * i + me);
  EXPECT_EQ(one_by_one, column);
}

// Oracle: counts determined by hand. The counts are equal for every kind of run.
TEST(neighbours, are_counted) {
  const int me = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  comm::attached_ledger ledger(MPI_COMM_WORLD);
  const comm::communicator duplicate = comm::communicator::duplicate(MPI_COMM_WORLD);
  {
    comm::neighbours ghosts(duplicate.get(), tag, ring(me, ranks));
    for (int round = 0; round < 5; ++round) fill_ring<float>(duplicate.get(), ghosts, round);
    comm::neighbours boxes(MPI_COMM_WORLD, tag, turned(me, ranks));
    std::vector<double> row(static_cast<std::size_t>(ranks)), column(row);
    boxes.move(row.data(), column.data(), sizeof(double));
    for (int i = 0; i < 7; ++i) const auto counted = comm::counted_call::all_reduce(MPI_COMM_WORLD, 8);
  }
  const auto all = comm::gathered(MPI_COMM_WORLD, ledger.get());
  if (me != 0) return;
  const auto traffic = comm::traffic_of(all);
  ASSERT_EQ(traffic.size(), 3U);
  const auto expect = [](const comm::plan_traffic& t, const std::string& name, std::int64_t runs, std::int64_t messages,
                         std::int64_t bytes) {
    EXPECT_EQ(t.plan, name);
    EXPECT_EQ(t.runs, runs) << name;
    EXPECT_EQ(t.messages, messages) << name;
    EXPECT_EQ(t.bytes, bytes) << name;
    EXPECT_TRUE(t.problems.empty()) << name << ": " << t.problems[0].text;
  };
  const int of_ring = ranks == 1 ? 0 : 2 * ranks;
  expect(traffic[0], "ring, 4 B", 5, 5 * of_ring, 5 * of_ring * 4);
  expect(traffic[1], "turned, 8 B", 1, ranks * (ranks - 1), ranks * (ranks - 1) * 8);
  expect(traffic[2], "reductions, 8 B", 7, 7 * 2 * (ranks - 1), 7 * 2 * (ranks - 1) * 8);
}

// Oracle: counts and seconds computed by hand. Stages divide the messages of a plan. A stage begins on all ranks at the same
// run.
TEST(neighbours, are_counted_by_stage) {
  std::vector<comm::message_ledger> ledgers(3);
  for (int r = 0; r < 3; ++r) {
    comm::message_ledger& ledger = ledgers[static_cast<std::size_t>(r)];
    const auto run = [&](const char* name, int times, double waited) {
      const int entry = ledger.entry_of(name);
      for (int i = 0; i < times; ++i) ledger.ran(entry, ledger.shape_of(entry, {ring(r, 3).counted(r, 4)}), waited);
    };
    run("early", 1, 0);
    ledger.begin_stage(1);
    run("ring", 2, 0.25);
    ledger.begin_stage(2);
    run("ring", 3, 1);
    ledger = comm::message_ledger::unpacked(ledger.packed());
  }
  for (const auto& [stage, runs, waited] : {std::tuple{1, 2, 1.5}, std::tuple{2, 3, 9.0}}) {
    const auto traffic = comm::traffic_of(ledgers, stage);
    ASSERT_EQ(traffic.size(), 1U);
    EXPECT_EQ(traffic[0].plan, "ring");
    EXPECT_EQ(traffic[0].runs, runs);
    EXPECT_EQ(traffic[0].messages, 6 * runs);
    EXPECT_EQ(traffic[0].waited_seconds, waited);
    EXPECT_EQ(traffic[0].most_waited_seconds, waited / 3);
    EXPECT_EQ(traffic[0].what.rounds, 1);
    EXPECT_TRUE(traffic[0].problems.empty());
  }
  const auto both = comm::traffic_of(ledgers);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].runs, 5);
  EXPECT_EQ(both[1].waited_seconds, 10.5);
  EXPECT_TRUE(comm::traffic_of(ledgers, 3).empty());
}

// Oracle: the planted fault.
TEST(neighbours, a_planted_wrong_message_is_found) {
  std::vector<comm::message_ledger> ledgers(3);
  for (int r = 0; r < 3; ++r) {
    auto part = ring(r, 3);
    if (r == 1) part.sends[0].list.push_back(1);  // the message has one element more than rank 0 expects
    comm::message_ledger& ledger = ledgers[static_cast<std::size_t>(r)];
    const int entry = ledger.entry_of("ring");
    ledger.ran(entry, ledger.shape_of(entry, {part.counted(r, 4)}), 0);
  }
  const auto traffic = comm::traffic_of(ledgers);
  ASSERT_EQ(traffic[0].problems.size(), 1U);
  EXPECT_EQ(traffic[0].problems[0].where, "round 0, rank 0");
  EXPECT_NE(traffic[0].problems[0].text.find("expects 4 bytes"), std::string::npos) << traffic[0].problems[0].text;
}

// Oracle: virtual ranks detect the same fault at the same time, and all virtual ranks end.
TEST(neighbours, a_wrong_message_ends_virtual_ranks) {
  const auto run = [](auto change) {
    comm::run_virtual_ranks(4, [&](MPI_Comm comm) {
      auto part = ring(comm::rank(comm), 4);
      if (comm::rank(comm) == 2) change(part);
      comm::neighbours ghosts(comm, tag, std::move(part));
      std::vector<float> values(own + 2);
      ghosts.exchange(values.data());
    });
  };
  EXPECT_THROW(run([](auto& part) { part.sends[0].list.push_back(1); }), machine_error);
  EXPECT_THROW(run([](auto& part) { part.sends.pop_back(); }), machine_error);  // the wait of rank 3 never ends
}

}  // namespace neighbours_test
