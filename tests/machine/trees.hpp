#pragma once
// The five machines of the tests.
#include <osteon/machine/topology/topology.hpp>

namespace osteon::machine::samples {

inline host_tree two_sockets() { return synthetic_host("pack:2 l3:1 core:4 pu:1"); }
// An EPYC with 12 L3 of 8 cores on each of two sockets.
inline host_tree epyc() { return synthetic_host("pack:2 [numa] l3:12 core:8 pu:1"); }
inline host_list unequal() {
  host_list hosts;
  hosts.add("big", epyc());
  hosts.add("small", two_sockets());
  hosts.add("threads", synthetic_host("pack:1 [numa] l3:1 core:6 pu:2"));
  return hosts;
}
// Socket 0 lacks core 1, socket 1 lacks its last two.
inline host_tree missing_cores() { return without_cores(two_sockets(), {1, 6, 7}); }
inline host_list eleven_of_48() { return {11, synthetic_host("pack:2 [numa] l3:4 core:6 pu:1")}; }

}  // namespace osteon::machine::samples
