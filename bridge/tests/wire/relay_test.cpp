#include <gtest/gtest.h>

#include <bridge/wire/servers/relay.hpp>
#include <wire/job.hpp>

namespace relay_test {

using namespace osteon::bridge::wire;

/// Relays in threads of their own. There is one hub, and one relay for each cluster, which dials the hub.
struct relays {
  explicit relays(const startup_server& server, int clusters) {
    start(server, -1, "");
    const std::string hub = "127.0.0.1:" + std::to_string(all[0]->port());
    for (int c = 0; c < clusters; ++c) start(server, c, hub);
  }
  void start(const startup_server& server, int cluster, const std::string& hub) {
    relay_settings s;
    s.link = test::settings_for(server, std::max(cluster, 0), 0, 1, true);
    s.host = "127.0.0.1";
    s.hub = hub;
    s.cluster = cluster;
    all.push_back(std::make_unique<relay>(s));
    relay* r = all.back().get();
    work.push_back(std::async(std::launch::async, [r] { r->run(); }));
  }
  std::vector<std::unique_ptr<relay>> all;
  std::vector<std::future<void>> work;
};

// Oracle: the sent messages. The route has three hops: the relay of a, the hub, and the relay of b.
TEST(relay, carries_messages_between_clusters_that_only_dial_out) {
  test::job j;
  j.server = test::start_server({2, 2}, true);
  relays r(*j.server, 2);
  for (int c = 0; c < 2; ++c)
    j.server->set_relay(c, "127.0.0.1:" + std::to_string(r.all[static_cast<std::size_t>(c) + 1]->port()));
  std::vector<std::future<std::unique_ptr<endpoint>>> joining;
  for (int rank = 0; rank < 4; ++rank) {
    settings s = test::settings_for(*j.server, rank / 2, rank % 2, 2, true);
    s.relay = "127.0.0.1:" + std::to_string(r.all[static_cast<std::size_t>(rank / 2) + 1]->port());
    joining.push_back(std::async(std::launch::async, [s] { return endpoint::join(s, ""); }));
  }
  for (auto& f : joining) j.ranks.push_back(f.get());
  const auto data = test::pattern(1 << 20, 3);
  std::vector<ticket> sent;
  for (int rank = 0; rank < 2; ++rank) {
    for (int other = 2; other < 4; ++other) {
      sent.push_back(j.ranks[static_cast<std::size_t>(rank)]->send(other, {.tag = rank}, data));
    }
  }
  for (int other = 2; other < 4; ++other) {
    for (int n = 0; n < 2; ++n) {
      endpoint& e = *j.ranks[static_cast<std::size_t>(other)];
      message m = test::next(e);
      EXPECT_EQ(m.fields.tag, m.source);
      std::vector<std::byte> got(m.total);
      e.wait(e.accept(m, got));
      EXPECT_EQ(got, data);
    }
  }
  for (std::size_t i = 0; i < sent.size(); ++i) j.ranks[i / 2]->wait(sent[i]);
  test::close(j);
  EXPECT_TRUE(j.server->wait(5));
  for (auto& w : r.work) EXPECT_NO_THROW(w.get());
  EXPECT_GE(r.all[0]->forwarded(), 4U * 16U);
}

}  // namespace relay_test
