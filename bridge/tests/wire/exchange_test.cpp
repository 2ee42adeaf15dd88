#include <gtest/gtest.h>

#include <wire/job.hpp>

namespace exchange_test {

using namespace osteon::bridge::wire;

struct variant {
  bool tls;
  progress_mode progress;
  int streams;
};

class exchange : public testing::TestWithParam<variant> {
 protected:
  test::job joined(const std::vector<int>& sizes) {
    return test::join(sizes, GetParam().tls, [](settings& s, int, int) {
      s.progress = GetParam().progress;
      s.streams = GetParam().streams;
    });
  }
};

INSTANTIATE_TEST_SUITE_P(wire, exchange,
                         testing::Values(variant{false, progress_mode::thread, 1}, variant{true, progress_mode::thread, 1},
                                         variant{true, progress_mode::thread, 3}, variant{false, progress_mode::polling, 1}),
                         [](const auto& which) {
                           return std::string(which.param.tls ? "tls" : "plain") +
                                  (which.param.progress == progress_mode::thread ? "_thread_" : "_polling_") +
                                  std::to_string(which.param.streams);
                         });

// Oracle: the sent messages, in order.
TEST_P(exchange, every_process_gets_what_each_other_sends_in_order) {
  test::job j = joined({2, 1});
  ASSERT_EQ(j.ranks[2]->world().rank, 2);
  ASSERT_EQ(j.ranks[2]->world().clusters[1].first_rank, 2);
  EXPECT_EQ(j.ranks[0]->world().processes[2].facts, "facts");
  const std::vector<std::size_t> sizes{0, 8, 70000, 1, 300000, 65536, 3, 2 << 20};
  std::vector<std::future<void>> work;
  for (int me = 0; me < 3; ++me) {
    work.push_back(std::async(std::launch::async, [&, me] {
      endpoint& e = *j.ranks[static_cast<std::size_t>(me)];
      const std::vector<int> others = me == 2 ? std::vector<int>{0, 1} : std::vector<int>{2};
      std::vector<std::vector<std::byte>> data;
      for (std::size_t i = 0; i < sizes.size(); ++i)
        data.push_back(test::pattern(sizes[i], static_cast<unsigned>(i) + 7U * static_cast<unsigned>(me)));
      std::vector<ticket> sent;
      for (const int o : others) {
        for (std::size_t i = 0; i < sizes.size(); ++i)
          sent.push_back(e.send(o, {.cid = 5, .tag = static_cast<int>(i)}, data[i], i == 3));
      }
      std::vector<std::size_t> next(3, 0);
      for (std::size_t n = 0; n < others.size() * sizes.size(); ++n) {
        message m = test::next(e);
        const std::size_t i = next[static_cast<std::size_t>(m.source)]++;
        EXPECT_EQ(m.fields.tag, static_cast<int>(i));
        EXPECT_EQ(m.fields.cid, 5U);
        ASSERT_EQ(m.total, sizes[i]);
        std::vector<std::byte> got(m.total);
        e.wait(e.accept(m, got));
        EXPECT_EQ(got, test::pattern(sizes[i], static_cast<unsigned>(i) + 7U * static_cast<unsigned>(m.source)));
      }
      for (const ticket& t : sent) e.wait(t);
      e.close();
    }));
  }
  for (auto& w : work) w.get();
  EXPECT_TRUE(j.server->wait(5));
  EXPECT_EQ(j.server->now(), startup_server::state::finished);
}

}  // namespace exchange_test
