#include <bridge/launch/joined_job.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bridge/launch/child_process.hpp>
#include <bridge/launch/join_plan.hpp>
#include <bridge/launch/other_mpi.hpp>
#include <bridge/launch/srun_advice.hpp>
#include <bridge/wire/job_key.hpp>
#include <bridge/wire/servers/relay.hpp>
#include <bridge/wire/servers/server.hpp>
#include <bridge/wire/socket.hpp>
#include <chrono>
#include <common/run_folder.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

namespace osteon::bridge::launch {

namespace {

using clock = std::chrono::steady_clock;

/// The local address of a connection to `host`. This program listens on this address. An empty address means all addresses.
std::string host_of(const std::string& address) {
  const auto colon = address.rfind(':');
  return colon != std::string::npos && address.find(':') == colon ? address.substr(0, colon) : address;
}

double wire_number(const join_plan& plan, const char* key, double otherwise) {
  const auto at = plan.wire.find(key);
  return at == plan.wire.end() ? otherwise : std::strtod(at->second.c_str(), nullptr);
}

/// One run of a joined job.
class joined_job {
 public:
  joined_job(const join_plan& plan, const job_settings& options)
      : plan_(plan), options_(options), key_(plan.key_file.empty() ? wire::new_key() : wire::read_key_file(plan.key_file)) {}

  outcome run() {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&watched, number);
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &watched, &before);
    signals_ = wire::descriptor(signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC));
    start();
    while (!all_ended()) {
      wait_for_something();
      handle_signals();
      watch();
    }
    watch();  // all clusters may have ended in the meantime
    for (auto& c : children_) c.hand_on_rest();
    for (auto& r : relays_) r.hand_on_rest();
    end_relays();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return {exit_code_of_job(), reason_};
  }

 private:
  std::map<std::string, std::string> variables(std::size_t index) const {
    const join_cluster& c = plan_.clusters[index];
    std::map<std::string, std::string> all;
    const auto add = [&](const char* prefix, const std::map<std::string, std::string>& keys) {
      for (const auto& [key, value] : keys) {
        std::string name = prefix;
        for (const char x : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(x)));
        all[name] = value;
      }
    };
    add("OSTEON_WIRE_", plan_.wire);
    add("OSTEON_WIRE_", c.wire);
    add("OSTEON_BRIDGE_", plan_.bridge);
    all["OSTEON_WIRE_SERVER"] = server_address(c.server);
    all["OSTEON_WIRE_KEY"] = key_;
    all["OSTEON_WIRE_CLUSTER"] = std::to_string(index);
    if (!c.address.empty()) all["OSTEON_WIRE_ADDRESS"] = c.address;
    if (!c.relay.empty()) {
      all["OSTEON_WIRE_RELAY"] = c.relay;
    } else if (!hub_address_.empty()) {
      all["OSTEON_WIRE_RELAY"] = hub_address_;
    }
    return all;
  }

  std::string server_address(const std::string& given) const {
    const std::string host = given.empty() ? host_ : given;
    return host.find(':') == std::string::npos ? wire::join_address(host, server_->port()) : host;
  }

  /// The address of this machine for all clusters. The result is empty if clusters use different addresses, or if the plan
  /// contains only a name.
  std::string address_of_all() const {
    const std::string host = wire::own_numeric(host_);
    const bool all = std::all_of(plan_.clusters.begin(), plan_.clusters.end(),
                                 [&](const join_cluster& c) { return c.server.empty() || host_of(c.server) == host; });
    return all ? host : "";
  }

  void start() {
    wire::server_settings s;
    s.key = key_;
    s.tls = !plan_.wire.contains("tls") || plan_.wire.at("tls") == "on";
    s.join_seconds = wire_number(plan_, "join_s", 60);
    s.cut_seconds = wire_number(plan_, "cut_s", 30);
    bool local = true, spreads = false, relays = !plan_.hub.empty();
    for (const join_cluster& c : plan_.clusters) {
      s.clusters.push_back({c.name, c.ranks, c.relay});
      local = local && c.prefix.empty();
      // In an allocation, srun starts processes also on other hosts.
      spreads = spreads || (c.prefix.empty() && is_started_by_srun(c) && std::getenv("SLURM_JOB_ID"));
      relays = relays || !c.relay.empty();
    }
    host_ = !plan_.server.empty() ? plan_.server : local && !spreads ? "127.0.0.1" : wire::host_name();
    if (const auto colon = host_.rfind(':'); colon != std::string::npos && host_.find(':') == colon) {
      s.ports = host_.substr(colon + 1);
      host_ = host_.substr(0, colon);
    }
    s.host = address_of_all();
    server_ = std::make_unique<wire::startup_server>(s);
    if (plan_.server.empty() && (!local || spreads))
      options_.note(fmt::format(
          "clusters connect to this machine as '{}' (guessed); set `server` if they require another name", host_));
    if (relays) start_hub();
    for (std::size_t i = 0; i < plan_.clusters.size(); ++i) {
      const join_cluster& c = plan_.clusters[i];
      if (!c.relay.empty()) start_relay(i);
      server_->set_relay(static_cast<int>(i), c.relay.empty() ? hub_address_ : c.relay);
    }
    reported_signal_.resize(plan_.clusters.size());
    by_itself_.resize(plan_.clusters.size());
    for (std::size_t i = 0; i < plan_.clusters.size(); ++i) start_cluster(i);
  }

  wire::settings relay_link() const {
    wire::settings s;
    const std::string here = address_of_all();
    s.server = wire::join_address(here.empty() ? "127.0.0.1" : here, server_->port());
    s.key = key_;
    s.tls = !plan_.wire.contains("tls") || plan_.wire.at("tls") == "on";
    s.join_seconds = wire_number(plan_, "join_s", 60);
    s.cut_seconds = wire_number(plan_, "cut_s", 30);
    s.heartbeat_seconds = wire_number(plan_, "heartbeat_s", 5);
    return s;
  }

  void start_hub() {
    wire::relay_settings s;
    s.link = relay_link();
    std::string host = plan_.hub.empty() ? host_ : plan_.hub;
    if (const auto colon = host.rfind(':'); colon != std::string::npos) {
      s.ports = host.substr(colon + 1);
      host = host.substr(0, colon);
    }
    s.host = wire::own_numeric(host);
    hub_ = std::make_unique<wire::relay>(s);
    hub_address_ = wire::join_address(host, hub_->port());
    hub_thread_ = std::thread([this] {
      try {
        hub_->run();
      } catch (const error& e) {
        server_->fail(e.what());
      }
    });
  }

  void start_relay(std::size_t index) {
    const join_cluster& c = plan_.clusters[index];
    const std::vector<std::string> command{c.osteon.empty() ? options_.osteon : c.osteon,
                                           "relay",
                                           "--cluster",
                                           std::to_string(index),
                                           "--hub",
                                           hub_address_,
                                           "--listen",
                                           c.relay};
    relays_.emplace_back(c.name + " relay", shell(c), relay_script(c, variables(index), command));
  }

  static std::vector<std::string> shell(const join_cluster& c) {
    std::vector<std::string> command = c.prefix;
    command.insert(command.end(), {"sh", "-s"});
    return command;
  }

  void start_cluster(std::size_t index) {
    join_cluster c = plan_.clusters[index];
    int here = 0;
    for (const join_cluster& other : plan_.clusters) here += other.prefix.empty() ? other.ranks : 0;
    if (c.prefix.empty()) {
      if (c.library.empty()) c.library = options_.library;
      // With more ranks than cores, waiting ranks must not occupy the cores of computing ranks.
      if (here > options_.cores) {
        c.environment.emplace("OMPI_MCA_mpi_yield_when_idle", "1");
        if (!plan_.bridge.contains("yield")) c.environment.emplace("OSTEON_BRIDGE_YIELD", "1");
      }
    }
    const std::string script = start_script(c, variables(index), options_.program);
    if (options_.shows_scripts) options_.note(fmt::format("cluster '{}':\n{}", c.name, script));
    // The library folder is on this machine. A prefix would select another machine.
    std::optional<tmpdir_of_run> meanwhile;
    if (c.prefix.empty()) meanwhile.emplace(folder_);
    children_.emplace_back(
        c.name, shell(c), script, [this, index](const std::string& line) { return hear(index, line); },
        c.prefix.empty() ? folder_.lock() : -1);
  }

  /// A line of a cluster. When the job ends, notified ranks print the reason. These lines are suppressed, because the reason
  /// is printed once at the end.
  bool hear(std::size_t index, const std::string& line) {
    if (const int number = reported_signal(line); number != 0) reported_signal_[index] = number;
    if (line.find("cannot import name 'MPI' from 'mpi4py'") != std::string::npos) lacks_mpi4py_ = true;
    constexpr std::string_view ours = "osteon bridge: ";
    if (line.rfind(ours, 0) != 0) return true;
    const std::string failure = "\n" + server_->failure() + "\n";
    return failure.find("\n" + line.substr(ours.size()) + "\n") == std::string::npos;
  }

  bool all_ended() {
    bool all = true;
    for (std::size_t i = 0; i < children_.size(); ++i) {
      const bool ended = children_[i].ended();
      if (ended && !terminated_) by_itself_[i] = true;
      all = ended && all;
    }
    return all;
  }

  void wait_for_something() {
    std::vector<pollfd> fds{{signals_.get(), POLLIN, 0}};
    for (auto* group : {&children_, &relays_}) {
      for (auto& c : *group) {
        for (const int fd : {c.output(), c.errors()}) {
          if (fd >= 0) fds.push_back({fd, POLLIN, 0});
        }
      }
    }
    poll(fds.data(), fds.size(), 200);
    for (auto& c : children_) c.flush();
    for (auto& r : relays_) r.flush();
  }

  void handle_signals() {
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) == sizeof info) {
      const int number = static_cast<int>(info.ssi_signo);
      if (number == SIGCHLD) continue;
      for (auto& c : children_) c.signal(number);
      if (number != SIGUSR1 && number != SIGUSR2)
        end_job(fmt::format("ended by signal {} ({})", number, strsignal(number)), false);
    }
  }

  /// Notify all processes of the reason, and make sure that all processes end.
  void end_job(const std::string& reason, bool notifies) {
    if (!reason_.empty()) return;
    reason_ = reason;
    ending_ = clock::now();
    if (notifies) server_->fail(reason);
  }

  void watch() {
    using state = wire::startup_server::state;
    const state now = server_->now();
    if (now == state::failed) end_job(server_->failure(), false);
    for (std::size_t i = 0; i < children_.size(); ++i) {
      child_process& c = children_[i];
      if (!c.ended() || !reason_.empty() || now == state::finished) continue;
      c.flush();  // the last lines of the launcher contain more information than its exit code
      std::string text = fmt::format("cluster '{}' has ended: its launcher ({}) {}", c.name(),
                                     launcher_text(plan_.clusters[i]), fate(c.status(), reported_signal_[i]));
      if (now == state::joining && !server_->refusal().empty()) text += "; a connection was rejected: " + server_->refusal();
      if (c.status() != 0) {
        cause_ = static_cast<int>(i);
        if (lacks_mpi4py_) text += ". " + about_mpi4py();
        end_job(text, true);
      } else if (server_->joined(static_cast<int>(i)) == 0) {
        end_job(text +
                    ", but none of its processes joined. Check that the program is linked to libmpi_abi.so.1 (see `ldd`) "
                    "and calls "
                    "MPI_Init, and that its launcher passes on the variables OSTEON_WIRE_... (Open MPI's does with -x)",
                true);
      } else if (first_quiet_end_ == clock::time_point{}) {
        first_quiet_end_ = clock::now();
      } else if (since(first_quiet_end_) > 3) {
        end_job(text + ", though not all of its processes called MPI_Finalize", true);
      }
    }
    if (now == state::joining && reason_.empty()) watch_for_other_mpi();
    if (reason_.empty()) return;
    const double t = since(ending_);
    if (t > options_.grace_s + 5) {
      for (auto& c : children_) c.signal(SIGKILL);
    } else if (t > options_.grace_s && !terminated_) {
      terminated_ = true;
      for (auto& c : children_) c.signal(SIGTERM);
    }
  }

  /// A process with another MPI library computes alone. This fault is reported immediately instead of after the computation.
  /// The process is checked twice, because a program may load the library of the bridge after the first check.
  void watch_for_other_mpi() {
    if (since(looked_) < 1) return;
    looked_ = clock::now();
    const auto found = find_other_mpi(key_);
    for (const other_mpi& one : found) {
      if (std::find(suspects_.begin(), suspects_.end(), one.pid) == suspects_.end()) continue;
      const bool known = one.cluster >= 0 && static_cast<std::size_t>(one.cluster) < plan_.clusters.size();
      end_job(
          fmt::format("cluster '{}': process {} ({}) runs alone on {} instead of osteon's libmpi_abi.so.1, so it will never "
                      "join: compile the program with osteon-mpicc (bridge/docs/bridge.md){}",
                      known ? plan_.clusters[static_cast<std::size_t>(one.cluster)].name : "?", one.pid, one.program,
                      one.library, one.program.find("python") == std::string::npos ? "" : ". " + about_mpi4py()),
          true);
      // A cluster with another MPI library cannot be notified. The cluster is terminated immediately.
      ending_ -= std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(options_.grace_s));
      return;
    }
    suspects_.clear();
    for (const other_mpi& one : found) suspects_.push_back(one.pid);
  }

  std::string about_mpi4py() const {
    const auto wrapper = std::filesystem::path(options_.library).parent_path() / "bin" / "osteon-mpicc";
    const bool here = !options_.library.empty() && std::filesystem::exists(wrapper);
    return fmt::format(
        "mpi4py from PyPI's wheel supports other MPIs only; build it: MPICC={} pip install --force-reinstall --no-cache-dir "
        "--no-binary mpi4py mpi4py",
        here ? wrapper.string() : "osteon-mpicc");
  }

  void end_relays() {
    server_->wait(2);
    if (hub_) {
      hub_->stop();
      hub_thread_.join();
    }
    const auto began = clock::now();
    for (auto& r : relays_) {
      while (!r.ended()) {
        if (since(began) > 2) r.signal(SIGTERM);
        if (since(began) > 4) r.signal(SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      r.hand_on_rest();
    }
  }

  static double since(clock::time_point t) { return std::chrono::duration<double>(clock::now() - t).count(); }

  /// Exit code of the cluster that has caused the end of the job. Without such a cluster, the result is the exit code of the
  /// first cluster that has failed by itself.
  int exit_code_of_job() const {
    const auto code = [&](std::size_t i) { return code_of(children_[i].status(), reported_signal_[i]); };
    if (cause_ >= 0) return code(static_cast<std::size_t>(cause_));
    for (const int code_of_notified : {70, 0}) {  // notified ranks end with the code 70
      for (std::size_t i = 0; i < children_.size(); ++i) {
        if (by_itself_[i] && WIFEXITED(children_[i].status()) && code(i) != 0 && code(i) != code_of_notified) return code(i);
      }
    }
    const bool whole =
        reason_.empty() && std::all_of(children_.begin(), children_.end(), [](auto& c) { return c.status() == 0; });
    return whole ? 0 : machine_error("").exit_code();
  }

  const join_plan& plan_;
  const job_settings& options_;
  std::string key_, host_, hub_address_, reason_;
  wire::descriptor signals_;
  std::unique_ptr<wire::startup_server> server_;
  std::unique_ptr<wire::relay> hub_;
  std::thread hub_thread_;
  run_folder folder_;  ///< folder for temporary files of MPI; removed after all children have ended
  std::vector<child_process> children_, relays_;
  std::vector<int> reported_signal_;  ///< for each cluster: signal that has killed a process, as the launcher has reported
  std::vector<bool> by_itself_;       ///< for each cluster: true if the cluster has ended before a signal of this program
  std::vector<pid_t> suspects_;
  clock::time_point ending_{}, first_quiet_end_{}, looked_ = clock::now();
  int cause_ = -1;  ///< index of the cluster that has caused the end of the job
  bool terminated_ = false, lacks_mpi4py_ = false;
};

}  // namespace

outcome run(const join_plan& plan, const job_settings& options) { return joined_job(plan, options).run(); }

}  // namespace osteon::bridge::launch
