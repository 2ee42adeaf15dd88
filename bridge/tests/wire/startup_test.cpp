#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <bridge/wire/socket.hpp>
#include <thread>
#include <wire/job.hpp>

namespace startup_test {

using namespace osteon::bridge::wire;

/// The text of the error of a rank that cannot join.
std::string told(const settings& s) {
  try {
    endpoint::join(s, "");
  } catch (const link_error& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const std::string& p) { return text.find(p) != std::string::npos; });
}

registration process(int cluster, int rank, int size) {
  registration r;
  r.cluster = cluster;
  r.local_rank = rank;
  r.local_size = size;
  r.host = "node";
  r.short_bytes = 1000;
  return r;
}

class startup : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(tls, startup, testing::Bool());

TEST_P(startup, another_key_is_refused_at_once_and_by_name) {
  const auto server = test::start_server({1, 1}, GetParam());
  settings s = test::settings_for(*server, 0, 0, 1, GetParam());
  s.key = "not the key of the tests at all";
  const auto began = std::chrono::steady_clock::now();
  const std::string text = told(s);
  EXPECT_TRUE(contains(text, {"key"})) << text;
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 2.5);
  // At the time limit for joining, the other processes are notified.
  const std::string other = told(test::settings_for(*server, 1, 0, 1, GetParam()));
  EXPECT_TRUE(contains(other, {"cluster 'a': 0 of 1 processes", "a connection was rejected"})) << other;
}

TEST(startup, tls_on_one_side_only_is_told) {
  const auto server = test::start_server({1, 1}, true);
  const std::string text = told(test::settings_for(*server, 0, 0, 1, false));
  EXPECT_TRUE(contains(text, {"rejected this process", "tls on one side only"})) << text;
}

TEST(startup, no_server_is_told_with_its_address) {
  settings s;
  s.server = "127.0.0.1:1";
  s.key = "a key of the tests, long enough";
  s.join_seconds = 0.5;
  const std::string text = told(s);
  EXPECT_TRUE(contains(text, {"127.0.0.1:1", "Connection refused"})) << text;
}

// Singletons: every process reports size 1, because the launcher belongs to another MPI library.
TEST(startup, singletons_are_told_to_all) {
  const auto server = test::start_server({2, 1}, true);
  std::vector<std::future<std::string>> all;
  for (int n = 0; n < 2; ++n) {
    all.push_back(std::async(std::launch::async, [&] { return told(test::settings_for(*server, 0, 0, 1, true)); }));
  }
  all.push_back(std::async(std::launch::async, [&] { return told(test::settings_for(*server, 1, 0, 1, true)); }));
  std::vector<std::string> texts;
  for (auto& f : all) texts.push_back(f.get());
  for (const auto& t : texts)
    EXPECT_TRUE(contains(t, {"cluster 'a': 2 processes registered of 2 expected", "singletons"})) << t;
}

TEST(startup, a_wrong_address_is_no_route_for_all) {
  try {
    test::join({1, 1}, true, [](settings& s, int cluster, int) {
      s.join_seconds = 1;
      if (cluster == 0) s.address = "127.0.0.1:1";
    });
    FAIL();
  } catch (const link_error& e) {
    EXPECT_TRUE(contains(e.what(), {"no route", "cluster 'a'", "127.0.0.1:1"})) << e.what();
  }
}

// Unrelated programs send bytes to the ports. Nevertheless, the job must join and work.
TEST(startup, garbage_on_the_ports_does_no_harm) {
  const std::string port = std::to_string(listen_on("", "127.0.0.1").second);
  const auto server = test::start_server({1, 1}, true);
  std::atomic<bool> stop{false};
  std::thread stranger([&] {
    settings options;
    std::vector<char> junk(5000, 'x');
    for (unsigned n = 0; !stop; ++n) {
      for (const std::string& to : {"127.0.0.1:" + port, "127.0.0.1:" + std::to_string(server->port())}) {
        std::string reason;
        descriptor fd = dial(to, options, reason);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        junk[n % junk.size()] = static_cast<char>(n * 7);
        if (fd) send(fd.get(), junk.data(), 1 + n * 37 % junk.size(), MSG_NOSIGNAL);
      }
    }
  });
  std::vector<std::future<std::unique_ptr<endpoint>>> joining;
  for (int c = 0; c < 2; ++c) {
    settings s = test::settings_for(*server, c, 0, 1, true);
    if (c == 0) s.ports = port;
    joining.push_back(std::async(std::launch::async, [s] { return endpoint::join(s, ""); }));
  }
  test::job j;
  for (auto& f : joining) j.ranks.push_back(f.get());
  const auto data = test::pattern(200000, 1);
  for (int n = 0; n < 20; ++n) {
    const ticket sent = j.ranks[0]->send(1, {}, data);
    message m = test::next(*j.ranks[1]);
    std::vector<std::byte> got(m.total);
    j.ranks[1]->wait(j.ranks[1]->accept(m, got));
    EXPECT_EQ(got, data);
    j.ranks[0]->wait(sent);
  }
  stop = true;
  stranger.join();
  test::close(j);
}

// Oracle: the rules, applied manually.
TEST(diagnose, names_what_does_not_fit) {
  const std::vector<expected_cluster> two{{"a", 2, ""}, {"b", 1, ""}};
  EXPECT_EQ(diagnose(two, {process(0, 0, 2), process(0, 1, 2), process(1, 0, 1)}, true), "");
  EXPECT_EQ(diagnose(two, {process(0, 0, 2)}, false), "");
  EXPECT_TRUE(contains(diagnose(two, {process(0, 0, 2)}, true), {"cluster 'a': 1 of 2", "cluster 'b': 0 of 1"}));
  EXPECT_TRUE(contains(diagnose(two, {process(0, 0, 3)}, false), {"reports 3 processes in its cluster instead of 2"}));
  EXPECT_TRUE(contains(diagnose(two, {process(0, 1, 2), process(0, 1, 2)}, false), {"registered twice"}));
  EXPECT_TRUE(contains(diagnose(two, {process(0, 0, 1), process(0, 0, 1)}, false), {"singletons"}));
  EXPECT_TRUE(contains(diagnose(two, {process(5, 0, 1)}, false), {"cluster 5", "there are 2"}));
  registration old = process(1, 0, 1);
  old.wire = wire_version + 1;
  EXPECT_TRUE(contains(diagnose(two, {old}, false), {"version", "install the same osteon"}));
}

}  // namespace startup_test
