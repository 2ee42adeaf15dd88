#pragma once
/// @file
/// Pictures of a network with link loads; of a plan with ranks as rows, rounds as columns and messages as coloured lines; of
/// measured links with hosts as rows and columns and bandwidth as colour.
#include <osteon/job/plans/job_plans.hpp>
#include <osteon/machine/probe/link_probe.hpp>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>

namespace osteon::app {

/// Draw a network as SVG: PUs as squares (left half: injection, right half: ejection), crossbars as bars,
/// links as lines to the right of their direction; colours show the load.
/// @param loads of each link, 0 or more
/// @param unit unit of the load: "message", or empty for fractions of the largest load
/// @throws usage_error if the picture is not legible
std::string draw_network(const net::network& network, std::span<const double> loads, const std::string& title,
                         const std::string& unit);

/// Draw any plan as SVG: beyond 64 ranks or 80 rounds as a map of senders and receivers.
/// @param order rank at each visibility index: the rows, front first; empty: ascending ranks
/// @throws usage_error if the picture is not legible
std::string draw_plan(const plan::plan& plan, const std::vector<int>& order = {});

/// @throws usage_error if the name does not end in .svg or .png
void require_picture_name(const std::string& file);

/// Draw the links of a probe. Hosts are sorted by group. Isolated links are above the diagonal, measured loaded links below.
/// Slow hosts are red and framed. For a single host, cores are drawn by their classes.
/// @param file .svg or .png
/// @throws usage_error as require_picture_name, machine_error if the file cannot be written
void draw_links(const machine::probe_result& probed, const std::string& file);

/// Draw the plans of a job as SVG: squares for senders (rows) and receivers (columns), darker for more bytes. With many
/// ranks a square represents several.
std::string draw_traffic(const job::job_plans& plans);

}  // namespace osteon::app
