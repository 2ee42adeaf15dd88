#pragma once
// The five machines of the tests.
#include <osteon/machine/topology/topology.hpp>

namespace osteon::machine::samples {

inline host_tree two_sockets() { return synthetic_host("pack:2 l3:1 core:4 pu:1"); }
// An EPYC with two sockets. Each socket has 12 L3 caches for 8 cores each.
inline host_tree epyc() { return synthetic_host("pack:2 [numa] l3:12 core:8 pu:1"); }
inline host_list unequal() {
  host_list hosts;
  hosts.add("big", epyc());
  hosts.add("small", two_sockets());
  hosts.add("threads", synthetic_host("pack:1 [numa] l3:1 core:6 pu:2"));
  return hosts;
}
// Core 1 is missing on socket 0. The last two cores are missing on socket 1.
inline host_tree missing_cores() { return without_cores(two_sockets(), {1, 6, 7}); }
inline host_list eleven_of_48() { return {11, synthetic_host("pack:2 [numa] l3:4 core:6 pu:1")}; }

}  // namespace osteon::machine::samples
