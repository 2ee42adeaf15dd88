#pragma once
/// @file
/// Measure the links of the hosts that a job runs on.
#include <mpi.h>

#include <optional>
#include <osteon/machine/probe/core_choice.hpp>
#include <osteon/machine/probe/job_hosts.hpp>
#include <osteon/machine/probe/link_probe.hpp>

namespace osteon::machine {

/// Measure the machine that the ranks of `comm` run on. Ranks are bound to cores of their own meanwhile, and released
/// afterwards, so that classes inside a host can be told apart; not where several hosts share one kernel.
/// @param bind false: leave ranks where they are
/// @param which_core measure also whether it matters which core measures, with the same budget again; set on rank 0
/// @return the result on rank 0, nothing elsewhere (see `shared`)
/// @throws machine_error if a host has more ranks than cores that they may use, or stops to answer
/// @throws usage_error as probe_links and probe_core_choice do
/// @collective on comm
/// @cost about options.budget_s at most, and as much for `which_core`
probe_result probe(MPI_Comm comm, const job_hosts& hosts, const probe_options& options, bool bind = true,
                   std::optional<core_choice>* which_core = nullptr);

/// The description of rank 0 on all ranks. @collective on comm
description shared(MPI_Comm comm, const description& machine);

}  // namespace osteon::machine
