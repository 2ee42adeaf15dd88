#include <fmt/format.h>

#include <app/net/net_ends.hpp>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>

namespace osteon::app {

void add_net_ends(command c, net_ends_options& target) {
  c.add_option("--startup", target.startup, "Of the sender, per message, such as 5us (default: the network's)");
  c.add_option("--receive-overhead", target.receive, "Of the receiver, per message").show_default();
  c.add_option("--arrival-overhead", target.arrival, "And per message that comes beside another one of its round")
      .show_default();
  c.add_option("--match-time", target.match, "And per message that came before it in the round").show_default();
  c.add_option("--barrier-time", target.barrier, "Of a barrier after each round").show_default();
  c.add_option("--combine-rate", target.combine,
               "At which a rank blends or sums what arrives, such as 88MB/s (default: in no time)");
}

net::simulate_options read_net_ends(const net_ends_options& o) {
  net::simulate_options result;
  std::string faults;
  const auto time = [&](const char* option, const std::string& text) {
    const double value = net::parse_time(text);
    if (!(value >= 0))
      faults += fmt::format("{}{} {}: it must be a time such as 5us", faults.empty() ? "" : "; ", option, text);
    return value;
  };
  if (!o.startup.empty()) result.send_overhead = time("--startup", o.startup);
  result.receive_overhead = time("--receive-overhead", o.receive);
  result.arrival_overhead = time("--arrival-overhead", o.arrival);
  result.match_time = time("--match-time", o.match);
  result.barrier_time = time("--barrier-time", o.barrier);
  if (!o.combine.empty()) {
    result.combine_rate = net::parse_rate(o.combine);
    if (!(result.combine_rate > 0))
      faults += fmt::format("{}--combine-rate {}: it must be a rate such as 88MB/s", faults.empty() ? "" : "; ", o.combine);
  }
  if (!faults.empty()) throw usage_error(faults);
  return result;
}

}  // namespace osteon::app
