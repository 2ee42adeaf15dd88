#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/json_output.hpp>
#include <app/mpi_session.hpp>
#include <app/terminal.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::app {

int render(const job::render_request& request, const std::string& target) {
  return on_all_ranks([&](MPI_Comm comm) {
    const bool root = comm::rank(comm) == 0;
    terminal_sink shown(is_interactive());
    const auto answer = job::render_file(comm, request, root ? static_cast<sink&>(shown) : quiet());
    if (root) write_json(target, answer);
  });
}

}  // namespace osteon::app
