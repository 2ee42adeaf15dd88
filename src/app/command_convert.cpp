#include <fmt/format.h>
#include <mpi.h>

#include <app/commands.hpp>
#include <app/json_output.hpp>
#include <app/terminal.hpp>
#include <osteon/job/convert.hpp>

namespace osteon::app {

int convert(const std::string& from, const std::string& to, const job::script_options& options, const std::string& json) {
  terminal_sink log(is_interactive());
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  int code = 0;
  try {
    const auto files = job::convert(MPI_COMM_SELF, from, to, options, log);
    write_json(json, {{"schema", "osteon.convert/1"}, {"files", files}});
    if (json != "-")
      for (const std::string& file : files) fmt::print("{}\n", file);
  } catch (const error& e) {
    fmt::print(stderr, "osteon: {}\n", e.what());
    code = exit_code(e.kind());
  }
  MPI_Finalize();
  return code;
}

}  // namespace osteon::app
