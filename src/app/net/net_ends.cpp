#include <fmt/format.h>

#include <app/net/net_ends.hpp>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>

namespace osteon::app {

void add_net_ends(command c, net_ends_options& target) {
  c.add_option("--startup", target.startup, "Sender overhead per message, such as 5us (default: of the network)");
  c.add_option("--receive-overhead", target.receive, "Receiver overhead per message").show_default();
  c.add_option("--arrival-overhead", target.arrival,
               "Additional overhead per message that arrives together with another one of its round")
      .show_default();
  c.add_option("--match-time", target.match, "Additional overhead per message that arrived earlier in the round")
      .show_default();
  c.add_option("--barrier-time", target.barrier, "Time of a barrier after each round").show_default();
  c.add_option("--combine-rate", target.combine,
               "Rate at which a rank blends or sums received data, such as 88MB/s (default: infinite)");
}

net::simulate_options read_net_ends(const net_ends_options& o) {
  net::simulate_options result;
  std::string faults;
  const auto time = [&](const char* option, const std::string& text) {
    const double value = net::parse_time(text);
    if (!(value >= 0))
      faults += fmt::format("{}{} {}: must be a time such as 5us", faults.empty() ? "" : "; ", option, text);
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
      faults += fmt::format("{}--combine-rate {}: must be a rate such as 88MB/s", faults.empty() ? "" : "; ", o.combine);
  }
  if (!faults.empty()) throw usage_error(faults);
  return result;
}

}  // namespace osteon::app
