#pragma once
/// @file
/// Record that a process passes to the ranks that it starts, as their first argument `--started-by=RECORD`. Launchers
/// forward it; users never write it.
#include <optional>
#include <string>
#include <vector>

namespace osteon::app {

/// Process that a user starts, as described to its ranks.
struct parent_process {
  int ranks = 1;             ///< number of ranks that it starts
  bool interactive = false;  ///< true if it has a terminal, which ranks cannot detect
  std::string time;          ///< start of its command, UTC, ISO 8601
  std::string host;          ///< host on which `socket` is valid
  std::string network;       ///< the network namespace on that host
  std::string socket;        ///< socket name of the connection to it (front_link), or empty
  std::string images;        ///< digest of the images of the job that the ranks compute, empty if there is none
  std::string labels;        ///< digest of its label images

  bool operator==(const parent_process&) const = default;
};

/// Argument that contains the record.
std::string started_by(const parent_process& parent);

/// Remove that argument from the front of `arguments`, if present, and store its record. Call once at the start of the
/// program.
/// @throws usage_error if the record is not valid
void extract_parent_record(std::vector<std::string>& arguments);

/// Process that started this one as one of its ranks; none if a user or a launcher started it.
const std::optional<parent_process>& parent();

/// Start time of the user's command: of the parent, or of this process.
std::string start_time();

}  // namespace osteon::app
