#pragma once
/// @file
/// The name by which ParaView and PyVista know results.
#include <osteon/base/log_sink.hpp>
#include <string>

namespace osteon::job {

/// Give a results file a second name, by a hard link: the same bytes, on the disk once. What has that name is replaced.
/// @return whether it has it now; a file system without hard links is told in a note @collective local
bool give_second_name(const std::string& results, const std::string& name, log_sink& log);

}  // namespace osteon::job
