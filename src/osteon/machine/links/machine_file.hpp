#pragma once
/// @file
/// Machine files (machine.json), written by `osteon probe`.
#include <osteon/machine/links/links.hpp>
#include <string>
#include <string_view>

namespace osteon::machine {

/// Value of the key "schema".
inline constexpr std::string_view machine_schema = "osteon.machine/1";

/// Convert a description to the text of a machine file.
std::string to_text(const description& machine);

/// Parse the text of a machine file.
/// @param name name of the file, for messages
/// @throws data_error if the text is not a machine file, has another schema, or is inconsistent
description parse_machine(std::string_view text, const std::string& name);

/// Write a machine file. @throws machine_error if the file cannot be written
void write_machine(const std::string& file, const description& machine);
/// Read a machine file. @throws data_error as parse_machine, or if the file cannot be read
description read_machine(const std::string& file);

/// Measurements of a machine file for the hosts of the current job. The hosts are in the order of the job, with the cores
/// currently allowed by cgroups.
/// @param name name of the file, for messages
/// @throws data_error if hosts or cores differ from the description (a file of another allocation). The message lists up to
///        eight hosts that differ.
description matched(const description& machine, const host_list& hosts, const std::string& name);

}  // namespace osteon::machine
