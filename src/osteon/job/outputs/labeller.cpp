#include <osteon/job/outputs/labeller.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <osteon/base/json_text.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/render/rays/view.hpp>

extern char** environ;

namespace osteon::job {

namespace {

// HEAD and SIDE in python/osteon/report/picture_labels.py: heights and widths of the labels for a picture with a shorter
// edge of 1000.
constexpr double head = 74, side = 236, shorter_edge = 1000, least_unit = 0.25;
constexpr int smallest_labelled = 400;  // edge in pixels; in smaller pictures, text would be illegible
constexpr int patience_ms = 120'000;
constexpr std::size_t bar_colours = 256;

// The background in 8-bit sRGB.
nlohmann::ordered_json ground_of_labels(const render::scene& scene) {
  const auto ground = render::to_rgba8({1, 1, 0, 0, {0, 0, 0, 0}}, scene.background);
  return {ground[0], ground[1], ground[2]};
}

nlohmann::ordered_json view_of_labels(const render::scene& scene, index3 domain) {
  const render::view from = render::view::of(scene.view, domain, scene.spacing_mm, scene.width, scene.height);
  return {{"right", {from.right.x, from.right.y, from.right.z}},
          {"up", {from.up.x, from.up.y, from.up.z}},
          {"mm_per_pixel", from.pixel * (from.perspective ? from.depth(from.focus) : 1)}};
}

}  // namespace

std::optional<std::array<int, 2>> size_within_labels(int width, int height) {
  if (std::min(width, height) < smallest_labelled) return {};
  const double unit = std::max(least_unit, std::min(width / (shorter_edge + side), height / (shorter_edge + head)));
  return {{width - static_cast<int>(std::lround(side * unit)), height - static_cast<int>(std::lround(head * unit))}};
}

std::array<int, 2> size_with_labels(int width, int height) {
  const double unit = std::max(least_unit, std::min(width, height) / shorter_edge);
  return {width + static_cast<int>(std::lround(side * unit)), height + static_cast<int>(std::lround(head * unit))};
}

bool labeller::is_ready(MPI_Comm comm, log_sink& log) {
  int ready = 0;
  if (comm::rank(comm) == 0) {
    if (!is_started_) {
      is_started_ = true;
      start();
      std::optional<std::string> line;
      while (socket_ >= 0 && (line = receive()) && *line != "ready") last_message_ = *line;
      if (!line) {
        end();
        log.warn(fmt::format("using built-in labels for titles, colour bars and scales: {}",
                             last_message_.empty() ? "the labelling program does not start" : last_message_));
      }
    }
    ready = socket_ >= 0 ? 1 : 0;
  }
  MPI_Bcast(&ready, 1, MPI_INT, 0, comm);
  return ready != 0;
}

void labeller::draw(const std::string& path, int width, int height, const picture_words& words,
                    const render::annotations& notes, const render::scene& scene, index3 domain, log_sink& log) {
  nlohmann::ordered_json request = {{"picture", std::filesystem::absolute(path).string()},
                                    {"page", {width, height}},
                                    {"title", words.title},
                                    {"job", words.job},
                                    {"results", words.results},
                                    {"field", words.field},
                                    {"long_name", words.long_name},
                                    {"component", words.component},
                                    {"units", words.units},
                                    {"low", notes.low},
                                    {"high", notes.high},
                                    {"colours", render::bar_colours(notes, bar_colours)},
                                    {"ground", ground_of_labels(scene)},
                                    {"view", view_of_labels(scene, domain)}};
  if (words.largest) request["largest"] = *words.largest;
  if (words.axes) request["direction"] = *words.axes;
  std::optional<std::string> line;
  if (send(json_to_text(request, -1, true) + "\n"))
    while ((line = receive()) && *line != "done" && !line->starts_with("failed: ")) last_message_ = *line;
  if (line == "done") return;
  if (!line) end();
  log.warn(fmt::format(
      "'{}' has no labels: {}", path,
      line ? line->substr(line->find(' ') + 1)
           : fmt::format("the labelling program has ended{}{}", last_message_.empty() ? "" : ": ", last_message_)));
}

void labeller::start() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    last_message_ = std::strerror(errno);
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {0, 1, 2}) posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor);
  const std::vector<std::string> arguments = python_command({"-m", "osteon.report.label_pictures"});
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int failed = posix_spawnp(&process_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  if (failed == 0) return;
  process_ = 0;
  last_message_ = fmt::format("cannot start '{}': {}", arguments.front(), std::strerror(failed));
  end();
}

void labeller::end() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (process_ == 0) return;
  // The process ends when the socket is closed. If the process does not respond, the process is killed after a timeout.
  constexpr int steps = 200;
  int status = 0;
  for (int i = 0; i < steps; ++i) {
    const pid_t ended = waitpid(process_, &status, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) {
      process_ = 0;
      return;
    }
    usleep(10'000);
  }
  kill(process_, SIGKILL);
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
}

bool labeller::send(const std::string& line) {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<std::string> labeller::receive() {
  for (;;) {
    if (const auto ends = unread_.find('\n'); ends != std::string::npos) {
      std::string line = unread_.substr(0, ends);
      unread_.erase(0, ends + 1);
      return line;
    }
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      last_message_ = "no response";
      return {};
    }
    std::array<char, 4096> buffer{};
    const ssize_t count = read(socket_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    unread_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

labeller& labels_of_program() {
  static labeller only;
  return only;
}

}  // namespace osteon::job
