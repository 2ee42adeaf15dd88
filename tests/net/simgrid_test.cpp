#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <osteon/net/costs/simulate.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <simgrid/s4u.hpp>
#include <string>

namespace simgrid_test {

using namespace osteon;
namespace sg = simgrid::s4u;

// Time by the flow model of SimGrid without its TCP factors. Each run is a process, because an engine cannot be created
// twice.
double time_by_simgrid(const net::network& where, const plan::plan& what) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const char* words[] = {"test", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0",
                           "--log=root.threshold:error"};
    int count = 5;
    sg::Engine engine(&count, const_cast<char**>(words));
    auto* zone = sg::create_full_zone("network");
    std::vector<sg::Link*> links;
    for (std::size_t l = 0; l < where.links.size(); ++l)
      links.push_back(
          zone->create_link(std::string("l").append(std::to_string(l)), where.links[l].rate)->set_latency(0)->seal());
    std::vector<sg::Host*> hosts;
    for (int pu = 0; pu < where.pus; ++pu)
      hosts.push_back(zone->create_host(std::string("h").append(std::to_string(pu)), 1e9));
    std::vector<sg::LinkInRoute> route;
    for (int from = 0; from < where.pus; ++from)
      for (int to = 0; to < where.pus; ++to) {
        if (from == to) continue;
        route.clear();
        for (const int l : where.route(from, to)) route.emplace_back(links[static_cast<std::size_t>(l)]);
        zone->add_route(hosts[static_cast<std::size_t>(from)]->get_netpoint(),
                        hosts[static_cast<std::size_t>(to)]->get_netpoint(), nullptr, nullptr, route, false);
      }
    zone->seal();
    sg::Actor::create("rounds", hosts[0], [&] {
      for (std::int64_t r = 0; r < what.rounds; ++r) {
        std::vector<sg::CommPtr> under_way;
        for (int rank = 0; rank < what.ranks; ++rank)
          for (const auto& m : what.of(rank, r).sends)
            under_way.push_back(sg::Comm::sendto_async(hosts[static_cast<std::size_t>(rank)],
                                                       hosts[static_cast<std::size_t>(m.peer)],
                                                       static_cast<std::uint64_t>(what.bytes(m))));
        for (const auto& comm : under_way) comm->wait();
      }
    });
    engine.run();
    const double time = sg::Engine::get_clock();
    const auto written = write(ends[1], &time, sizeof time);
    _exit(written == sizeof time ? 0 : 1);
  }
  double time = -1;
  close(ends[1]);
  if (read(ends[0], &time, sizeof time) != sizeof time) time = -1;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return time;
}

// Oracle: SimGrid, an independent flow simulator. The test simulates the transposition of FT on 64 and 256 PUs, as printed
// and repaired, without start-up.
TEST(simgrid, has_the_same_time_for_the_transposition) {
  for (const auto& [shape, side] : {std::pair{"4x4x4", 8}, {"4x8x8", 16}}) {
    const auto where = net::network_by_text(std::string("hxb:") + shape + ",startup=0s");
    const std::int64_t bytes = std::int64_t{256} * 256 * 128 * 16 / (side * side) / side;
    for (const auto order : {plan::transposition_order::printed, plan::transposition_order::x_first}) {
      const auto what = plan::transposition(side * side, order, plan::equal_parcels(bytes));
      net::simulate_options barrier;
      barrier.barrier = true;
      const double own = net::simulate(where, what, barrier).total, peer = time_by_simgrid(where, what);
      EXPECT_NEAR(own, peer, 1e-4 * peer) << shape << " " << what.name;
    }
  }
}

// Oracle: SimGrid, on a pattern whose flows have several rates. The pattern is a shift on a mesh and on an oversubscribed
// fat tree.
TEST(simgrid, has_the_same_time_where_rates_differ) {
  for (const char* text : {"mesh:4x4x4,startup=0s", "fattree:4x4x4,over=2,startup=0s"}) {
    const auto where = net::network_by_text(text);
    const auto what =
        plan::shift_exchange({4, 4, 4}, [](int from, int to) { return 20000 + 1000 * ((from * 7 + to * 3) % 11); });
    net::simulate_options barrier;
    barrier.barrier = true;
    const double own = net::simulate(where, what, barrier).total, peer = time_by_simgrid(where, what);
    EXPECT_NEAR(own, peer, 1e-3 * peer) << text;
  }
}

}  // namespace simgrid_test
