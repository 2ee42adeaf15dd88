#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bridge/wire/frame_stream.hpp>
#include <wire/job.hpp>

namespace farewell_test {

using namespace osteon::bridge::wire;

/// A stream, and the socket at its other end.
struct connected {
  descriptor other;
  std::unique_ptr<frame_stream> stream;
};

connected pair_of_sockets() {
  int ends[2] = {};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no sockets");
  return {descriptor(ends[0]), std::make_unique<frame_stream>(channel(descriptor(ends[1]), nullptr, side::accepted))};
}

void say(const connected& c, command kind) {
  const std::string bytes = encode(frame{kind, ""});
  ASSERT_EQ(write(c.other.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

// Oracle: computed by hand. A command may arrive while another command is processed or answered. The same call must pass on
// this command.
TEST(farewell, nothing_that_was_read_stays_behind) {
  const connected c = pair_of_sockets();
  std::vector<command> heard;
  say(c, command::ping);
  c.stream->serve([&](const frame& f) {
    heard.push_back(f.kind);
    if (heard.size() > 1) return;
    c.stream->send(command::ping);
    say(c, command::fini);
  });
  EXPECT_EQ(heard, (std::vector{command::ping, command::fini}));
  EXPECT_TRUE(c.stream->flushed());
}

// Oracle: computed by hand. A process that can no longer write must still read the reason.
TEST(farewell, the_last_word_of_one_who_left_is_heard) {
  connected c = pair_of_sockets();
  say(c, command::fail);
  c.other.close();
  c.stream->send(command::ping);
  c.stream->flush();
  std::vector<command> heard;
  c.stream->serve([&](const frame& f) { heard.push_back(f.kind); });
  EXPECT_EQ(heard, std::vector{command::fail});
  EXPECT_TRUE(c.stream->ended());
}

// Oracle: the time-out of the test. In an earlier version, half of these jobs waited for five seconds for a command that had
// already been read. Heartbeats would trigger another check. In this test, heartbeats are too late.
TEST(farewell, many_short_jobs_part_at_once) {
  for (int n = 0; n < 30; ++n) {
    test::job j = test::join({1, 1}, n % 2 == 0, [](settings& s, int, int) { s.heartbeat_seconds = 1000; });
    test::close(j);
    EXPECT_TRUE(j.server->wait(5));
    EXPECT_EQ(j.server->failure(), "");
  }
}

}  // namespace farewell_test
