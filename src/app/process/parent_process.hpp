#pragma once
/// @file
/// Record that a process passes to its ranks as their first argument `--started-by=RECORD`. Launchers forward this argument;
/// users never write it.
#include <optional>
#include <string>
#include <vector>

namespace osteon::app {

/// Description, for the ranks, of the process that a user started.
struct parent_process {
  int ranks = 1;             ///< number of ranks that the process starts
  bool interactive = false;  ///< true if the process has a terminal, because ranks cannot detect this terminal
  std::string time;          ///< start time of the command, UTC, ISO 8601
  std::string host;          ///< host on which `socket` is valid
  std::string network;       ///< the network namespace on that host
  std::string socket;        ///< socket name of the connection to it (front_link), or empty
  std::string images;        ///< digest of the images of the job; empty without images
  std::string labels;        ///< digest of the label images of the job

  bool operator==(const parent_process&) const = default;
};

/// Argument that contains the record.
std::string started_by(const parent_process& parent);

/// If the first of `arguments` contains a record, remove this argument and store the record. Call this function once at the
/// start of the program.
/// @throws usage_error if the record is not valid
void extract_parent_record(std::vector<std::string>& arguments);

/// Process that started this process as a rank; none if a user or a launcher started this process.
const std::optional<parent_process>& parent();

/// Start time of the user's command: the start time of the parent, or of this process without a parent.
std::string start_time();

}  // namespace osteon::app
