#pragma once
/// @file
/// A picture of a network and of what its links carry.
#include <osteon/net/network.hpp>
#include <span>
#include <string>

namespace osteon::app {

/// Draw a network as SVG: PUs as squares whose left half is the injection and right half the ejection, crossbars as bars,
/// links as lines to the right of their direction; colours tell the load.
/// @param loads of each link, 0 or more
/// @param unit what a load of 1 is: "message", or empty if loads are shares of the largest
/// @throws usage_error if there is more to draw than one could see
std::string draw_network(const net::network& what, std::span<const double> loads, const std::string& title,
                         const std::string& unit);

}  // namespace osteon::app
