#pragma once
/// @file
/// machine.json: a machine as `osteon probe` found it.
#include <osteon/machine/links/links.hpp>
#include <string>
#include <string_view>

namespace osteon::machine {

/// Value of the file's "schema".
inline constexpr std::string_view machine_schema = "osteon.machine/1";

/// The description as the text of a machine file.
std::string to_text(const description& machine);

/// The description in the text of a machine file.
/// @param name of the file, for messages
/// @throws data_error where it is no such text, has another schema, or contradicts itself
description parse_machine(std::string_view text, const std::string& name);

/// @throws machine_error if the file cannot be written
void write_machine(const std::string& file, const description& machine);
/// @throws data_error as parse_machine does, or if the file cannot be read
description read_machine(const std::string& file);

/// The measurements of a file for the hosts that a job has now: in their order, and with the cores that their cgroups allow
/// now.
/// @param name of the file, for messages
/// @throws data_error if these are not the hosts of the description, or have other cores: a file of another allocation. The
///         message names up to eight hosts that differ.
description matched(const description& machine, const host_list& hosts, const std::string& name);

}  // namespace osteon::machine
