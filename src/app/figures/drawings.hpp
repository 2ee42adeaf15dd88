#pragma once
/// @file
/// Pictures of networks, plans and links. The picture of a network shows link loads. The picture of a plan has ranks as
/// rows, rounds as columns and messages as coloured lines. The picture of measured links has hosts as rows and columns, and
/// the colour shows the bandwidth.
#include <osteon/job/plans/job_plans.hpp>
#include <osteon/machine/probe/link_probe.hpp>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>

namespace osteon::app {

/// Draw a network as SVG: PUs as squares (left half: injection, right half: ejection), crossbars as bars,
/// links as lines that are shifted to the right of their direction. Colours show the load.
/// @param loads load of each link, 0 or more
/// @param unit unit of the load: "message", or empty for fractions of the largest load
/// @throws usage_error if the picture is not legible
std::string draw_network(const net::network& network, std::span<const double> loads, const std::string& title,
                         const std::string& unit);

/// Draw a plan as SVG. A plan with more than 64 ranks or 80 rounds is drawn as a map of senders and receivers.
/// @param order rank of each row, ordered by visibility from the front; empty: ascending ranks
/// @throws usage_error if the picture is not legible
std::string draw_plan(const plan::plan& plan, const std::vector<int>& order = {});

/// @throws usage_error if the name does not end in .svg or .png
void require_picture_name(const std::string& file);

/// Draw the links of a probe. Hosts are sorted by group. Bandwidths of isolated links are above the diagonal, and bandwidths
/// under load are below the diagonal. Slow hosts are red and framed. If there is only one host, the picture shows the
/// classes of cores.
/// @param file .svg or .png
/// @throws usage_error as require_picture_name, machine_error if the file cannot be written
void draw_links(const machine::probe_result& probed, const std::string& file);

/// Draw the plans of a job as SVG. Squares for senders (rows) and receivers (columns) are darker for more bytes. With many
/// ranks, a square represents several ranks.
std::string draw_traffic(const job::job_plans& plans);

}  // namespace osteon::app
