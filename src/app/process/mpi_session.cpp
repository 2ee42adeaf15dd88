#include <app/process/mpi_session.hpp>

#include <fmt/format.h>

#include <app/process/front_link.hpp>
#include <app/process/launcher.hpp>
#include <app/process/launcher_variables.hpp>
#include <app/process/parent_process.hpp>
#include <app/process/srun.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <common/printable.hpp>
#include <cstdlib>
#include <exception>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::app {

namespace {

// A rank that cannot communicate with the other ranks (comm::throw_first_error) ends all ranks without unwinding.
[[noreturn]] void end_all_ranks() {
  int code = exit_code(error_kind::machine);
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const error& e) {
    code = exit_code(e.kind());
    print_message(fmt::format("osteon: [rank {}] {}\n", comm::rank(MPI_COMM_WORLD), e.what()));
  } catch (...) {
    print_message(fmt::format("osteon: [rank {}] ended by an unknown error\n", comm::rank(MPI_COMM_WORLD)));
  }
  report_to_front(code);
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

}  // namespace

mpi_of_process::mpi_of_process(int threads) {
  if (!parent() && !launched_processes()) folder_.emplace();  // a parent process creates one folder for all ranks
  int provided = 0;
  if (folder_) {
    const tmpdir_of_run meanwhile(*folder_);
    MPI_Init_thread(nullptr, nullptr, threads, &provided);
  } else {
    MPI_Init_thread(nullptr, nullptr, threads, &provided);
  }
  restore_tmpdir();
}

mpi_of_process::~mpi_of_process() { MPI_Finalize(); }

int on_all_ranks(const std::function<void(MPI_Comm)>& body) {
  const std::string mpi = job::this_build().mpi;
  if (is_launched_for_open_mpi(mpi)) reject_independent_copies(1);
  if (const std::string wrong = wrong_mpi_of_step(mpi); !wrong.empty())
    throw usage_error(launched_rank() == 0 ? wrong : "");  // one process prints the message
  follow_front();
  // Virtual ranks are threads that call MPI one at a time; commands with virtual ranks check the support.
  const mpi_of_process session(MPI_THREAD_SERIALIZED);
  std::set_terminate(end_all_ranks);
  int code = 0;
  const int rank = comm::rank(MPI_COMM_WORLD);
  if (parent()) {  // ranks on other hosts than that of the parent
    int connected = has_front();
    comm::all_reduce(MPI_COMM_WORLD, &connected, 1, MPI_MAX);
    if (connected) leave_code_to_others();
  }
  try {
    reject_independent_copies(comm::size(MPI_COMM_WORLD));
    body(MPI_COMM_WORLD);
  } catch (const error& e) {
    // All ranks throw the same text (comm::collectively). All ranks end, and one rank prints the text.
    if (rank == 0 && *e.what()) print_message(fmt::format("osteon: {}\n", e.what()));
    code = exit_code(e.kind());
    if (e.kind() == error_kind::interrupted) {  // only some ranks may have received the request
      code = program_exit_code(e.kind());
      comm::all_reduce(MPI_COMM_WORLD, &code, 1, MPI_MAX);
    }
  } catch (const std::exception& e) {
    // Only this rank failed. The other ranks may wait in a collective call, and must be ended.
    print_message(fmt::format("osteon: [rank {}] {}\n", rank, e.what()));
    report_to_front(exit_code(error_kind::machine));
    MPI_Abort(MPI_COMM_WORLD, exit_code(error_kind::machine));
  }
  return code;
}

}  // namespace osteon::app
