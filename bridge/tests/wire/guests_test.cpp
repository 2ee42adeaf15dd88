#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <bridge/wire/guests.hpp>
#include <bridge/wire/servers/relay.hpp>
#include <bridge/wire/socket.hpp>
#include <filesystem>
#include <thread>
#include <wire/job.hpp>

namespace guests_test {

using namespace osteon::bridge::wire;

std::size_t open_descriptors() {
  const auto all = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Connections that send no data.
std::vector<descriptor> strangers(const std::string& address, std::size_t how_many) {
  std::vector<descriptor> all;
  std::string reason;
  for (std::size_t n = 0; n < how_many; ++n) all.push_back(dial(address, {}, reason));
  return all;
}

/// True if a socket listens at the address.
bool answers(const std::string& address) {
  std::string reason;
  const descriptor fd = dial(address, {}, reason);
  pollfd one{fd.get(), POLLOUT, 0};
  return fd && poll(&one, 1, 2000) == 1 && socket_error(fd.get()).empty();
}

std::string free_port() { return std::to_string(listen_on("", "127.0.0.1").second); }

constexpr std::size_t crowd = 100;  ///< number of connections above the limit

/// The largest number of descriptors of this process during half a second. The descriptors of the guests are not counted.
std::size_t most_taken(std::size_t before, const std::function<void()>& meanwhile = {}) {
  std::size_t most = 0;
  for (int n = 0; n < 25; ++n) {
    if (meanwhile) meanwhile();
    most = std::max(most, open_descriptors());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return most - std::min(most, before + crowd);
}

// Oracle: the limit. The job must start nevertheless.
TEST(guests, strangers_take_few_descriptors_of_the_server) {
  server_settings s;
  s.key = "a key of the tests, long enough";
  s.host = "127.0.0.1";
  s.clusters = {{"a", 1, ""}, {"b", 1, ""}};
  s.join_seconds = 20;
  startup_server server(s);
  const std::size_t before = open_descriptors();
  const auto idle = strangers("127.0.0.1:" + std::to_string(server.port()), crowd);
  EXPECT_LE(most_taken(before), most_guests + 5);
  std::vector<std::future<std::unique_ptr<endpoint>>> joining;
  for (int c = 0; c < 2; ++c) {
    settings options = test::settings_for(server, c, 0, 1, true);
    options.join_seconds = 20;
    joining.push_back(std::async(std::launch::async, [options] { return endpoint::join(options, ""); }));
  }
  test::job j;
  for (auto& f : joining) j.ranks.push_back(f.get());
  test::close(j);
}

// Oracle: the limit. Messages must continue to arrive.
TEST(guests, strangers_take_few_descriptors_of_a_process) {
  const std::string port = free_port();
  test::job j = test::join({1, 1}, true, [&](settings& s, int cluster, int) {
    if (cluster == 0) s.ports = port;
  });
  const std::size_t before = open_descriptors();
  const auto idle = strangers("127.0.0.1:" + port, crowd);
  EXPECT_LE(most_taken(before,
                       [&] {
                         j.ranks[1]->send(0, {}, test::pattern(100, 1));
                         EXPECT_EQ(test::next(*j.ranks[0]).total, 100);
                       }),
            most_guests + 5);
  test::close(j);
}

// Oracle: computed by hand. No socket may listen on an address of this machine other than the address of the job.
TEST(guests, a_job_on_one_machine_listens_on_its_loopback_address_only) {
  const std::string port = free_port();
  test::job j = test::join({1, 1}, true, [&](settings& s, int cluster, int) {
    if (cluster == 0) s.ports = port;
  });
  EXPECT_TRUE(answers("127.0.0.1:" + port));
  EXPECT_FALSE(answers("127.0.0.2:" + port));
  test::close(j);
}

// Oracle: computed by hand. Behind NAT, this machine does not know the address that other processes use. The process
// therefore listens on all addresses.
TEST(guests, a_forwarded_address_listens_everywhere) {
  const std::string port = free_port();
  test::job j = test::join({1, 1}, true, [&](settings& s, int cluster, int) {
    if (cluster != 0) return;
    s.ports = port;
    s.address = "127.0.0.1:" + port;
  });
  EXPECT_TRUE(answers("127.0.0.2:" + port));
  test::close(j);
}

}  // namespace guests_test
