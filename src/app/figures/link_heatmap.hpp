#pragma once
/// @file
/// A picture of measured links: hosts as rows and columns, bandwidth as colour.
#include <osteon/machine/link_probe.hpp>
#include <string>

namespace osteon::app {

/// @throws usage_error if the name does not end in .svg or .png
void require_picture_name(const std::string& file);

/// Draw the links of a probe. Hosts are sorted by group; above the diagonal are isolated links, below loaded ones where they
/// were measured; slow hosts are red and framed. Of one host alone the cores are drawn, by their classes.
/// @param file .svg or .png
/// @throws usage_error as require_picture_name, machine_error if the file cannot be written
void draw_links(const machine::probe_result& probed, const std::string& file);

}  // namespace osteon::app
