#pragma once
/// @file
/// Max-min fair rates of flows that share links, updated as flows are added and removed.
#include <cstdint>
#include <span>
#include <vector>

namespace osteon::net {

/// Flows and their rates. Rates are max-min fair if each flow has a bottleneck: a saturated link on which no flow has a
/// higher rate. @cite [BertsekasGallager1992], section 6.5.2
///
/// After changes, only flows with a possibly changed bottleneck are recomputed, with the rates of the others subtracted from
/// the links; then the condition is checked on all affected links, and flows that violate it are added, until none do. The
/// condition holds for all flows at the end, so the rates equal those of a complete solution.
class fair_sharing {
 public:
  /// @param capacity of each link, above 0
  explicit fair_sharing(std::vector<double> capacity);

  /// A flow along these links, at least one; it has its rate after the next update. A link may occur twice.
  /// @return its number, which may be reused from a removed flow
  int add(std::span<const int> path);
  void remove(int flow);

  /// Update for the flows added or removed since the last update. @return flows with changed rates; valid until the next
  /// call
  std::span<const int> update();

  double rate(int flow) const { return flows_[static_cast<std::size_t>(flow)].rate; }

 private:
  struct flow_state {
    std::vector<int> path;
    double rate = 0;
    int bottleneck = -1;
    std::uint32_t life = 0;  // counts the flows that have had this number
    bool chosen = false, fixed = false;
  };
  struct entry {
    int flow;
    std::uint32_t life;
  };
  struct port {
    double capacity = 0;
    double left = 0;             // capacity less the rates of flows that are not being solved for
    std::vector<entry> entries;  // flows on this link; some may have been removed
    int gone = 0;                // of the entries
    int chosen = 0;              // entries of flows that are being solved for
    int open = 0;                // those of them without a rate
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
