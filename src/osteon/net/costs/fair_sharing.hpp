#pragma once
/// @file
/// Max-min fair rates of flows with common links. The rates are updated after flows have been added or removed.
#include <cstdint>
#include <span>
#include <vector>

namespace osteon::net {

/// Flows and their rates. Rates are max-min fair if each flow has a bottleneck. A bottleneck of a flow is a saturated link
/// on which no other flow has a higher rate. @cite [BertsekasGallager1992], section 6.5.2
///
/// After changes, the rates are recomputed only for flows with possibly changed bottlenecks. The rates of all other flows
/// are subtracted from the capacities of the links. The bottleneck condition is then checked on all affected links. Flows
/// that violate the condition are also recomputed. This step is repeated until no flow violates the condition. At the end,
/// all flows satisfy the condition. The rates therefore equal the rates of a complete solution.
class fair_sharing {
 public:
  /// @param capacity capacity of each link, above 0
  explicit fair_sharing(std::vector<double> capacity);

  /// Add a flow along at least one link. A path may contain a link twice. The rate of the flow is valid after the next
  /// update.
  /// @return number of the flow; numbers of removed flows are reused
  int add(std::span<const int> path);
  void remove(int flow);

  /// Recompute the rates after flows have been added or removed.
  /// @return flows with changed rates; the list is valid until the next call
  std::span<const int> update();

  double rate(int flow) const { return flows_[static_cast<std::size_t>(flow)].rate; }

 private:
  struct flow_state {
    std::vector<int> path;
    double rate = 0;
    int bottleneck = -1;
    std::uint32_t life = 0;  // number of earlier flows with the same number
    bool chosen = false, fixed = false;
  };
  struct entry {
    int flow;
    std::uint32_t life;
  };
  struct port {
    double capacity = 0;
    double left = 0;             // capacity minus the rates of all flows that keep their rates in this update
    std::vector<entry> entries;  // flows on this link, including removed flows
    int gone = 0;                // number of entries of removed flows
    int chosen = 0;              // number of entries of flows that are being recomputed
    int open = 0;                // number of chosen entries without a rate
    bool touched = false;
  };

  void touch(int l);
  void choose(int f);
  void solve();
  void fix(int f, int bottleneck, double rate);
  bool widen();
  const std::vector<entry>& entries_of(port& p);

  port& at(int l) { return ports_[static_cast<std::size_t>(l)]; }
  flow_state& flow_at(int f) { return flows_[static_cast<std::size_t>(f)]; }

  std::vector<port> ports_;
  std::vector<flow_state> flows_;
  std::vector<int> free_, touched_, chosen_, joining_, changed_;
  std::vector<double> before_;  // rates of chosen_ before the update
  std::vector<std::pair<double, int>> heap_;
  std::size_t open_flows_ = 0;
};

}  // namespace osteon::net
