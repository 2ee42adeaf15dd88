// The `osteon` command: parsing and printing only.
#include <fmt/format.h>

#include <fcntl.h>
#include <omp.h>
#include <signal.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/dashed_names.hpp>
#include <app/process/front_link.hpp>
#include <app/process/launcher.hpp>
#include <app/process/parent_process.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <common/printable.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <osteon/base/container_limits.hpp>
#include <osteon/base/error.hpp>
#include <osteon/io/hdf5_locks.hpp>
#include <osteon/io/netcdf.hpp>
#include <sstream>
#include <string>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

// Python interprets an empty element of PYTHONPATH as the working directory, and would execute the files there in place of
// modules. `export PYTHONPATH=$PYTHONPATH:/x`, for example, may create an empty element. Other elements are kept.
void leave_out_working_directory() {
  const char* given = std::getenv("PYTHONPATH");
  if (!given) return;
  std::string kept;
  std::istringstream elements(given);
  for (std::string element; std::getline(elements, element, ':');)
    if (!element.empty()) kept += (kept.empty() ? "" : ":") + element;
  setenv("PYTHONPATH", kept.c_str(), 1);
}

// Add the installed package, PREFIX/share/osteon/python, to the front of PYTHONPATH for the Python programs that osteon
// starts. The function has no effect on PYTHONPATH in a build tree. The programs do not multiply matrices, so that the
// threads of a BLAS would only cost time.
void set_up_python() {
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  leave_out_working_directory();
  const auto package = std::filesystem::path(osteon::app::own_path()).parent_path().parent_path() / "share/osteon/python";
  if (!std::filesystem::exists(package / "osteon")) return;
  const char* others = std::getenv("PYTHONPATH");
  const std::string path = package.string() + (others && *others ? ":" + std::string(others) : "");
  setenv("PYTHONPATH", path.c_str(), 1);
}

// OpenMP uses all cores of the affinity mask; the CPU quota of a container may be smaller.
void bound_threads() {
  if (!std::getenv("OMP_NUM_THREADS") && osteon::usable_cores() < omp_get_max_threads())
    omp_set_num_threads(osteon::usable_cores());
}

int dispatch(int argc, char** argv) {
  using namespace osteon;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  app::extract_parent_record(arguments);
  app::protect_dashed_names(arguments);
  app::registry commands("osteon: mechanics, failure, heat and flow from CT images.",
                         std::string("Example:\n  osteon run examples/bone.toml\n\n") + app::exit_codes,
                         std::move(arguments));
  commands.set_heading("Analysis");
  for (const auto add : {app::add_new, app::add_check, app::add_estimate, app::add_run, app::add_resume, app::add_batch,
                         app::add_cohort, app::add_rev, app::add_loads, app::add_morphometry, app::add_studio})
    add(commands);
  commands.set_heading("Files");
  for (const auto add : {app::add_import, app::add_convert, app::add_export, app::add_verify}) add(commands);
  commands.set_heading("Pictures");
  for (const auto add : {app::add_render, app::add_report, app::add_compare}) add(commands);
  commands.set_heading("Machine");
  for (const auto add : {app::add_probe, app::add_place}) add(commands);
  commands.set_heading("Research tools");
  app::add_plan(commands);
  commands.add_group("net", "Predict communication times and conflicts on a network",
                     "Examples:\n  osteon net conflicts --network hxb:8x8x16 --plan transposition\n"
                     "  osteon net cost --method binary-swap -n 1024");
  for (const auto add : {app::add_net_conflicts, app::add_net_deadlock, app::add_net_cost, app::add_net_choose,
                         app::add_net_simulate, app::add_net_draw})
    add(commands);
  commands.set_heading("Machine");
  app::add_linked_commands(commands);
  commands.set_heading("Program");
  for (const auto add : {app::add_schema, app::add_version, app::add_completion, app::add_manual}) add(commands);

  return commands.run();
}

// Open missing standard streams. Otherwise a file that is opened later could get the descriptor of a standard stream, and
// printed text would be written to the file.
void open_standard_files() {
  for (const int file : {0, 1, 2})
    if (fcntl(file, F_GETFD) < 0) open("/dev/null", O_RDWR);
}

int run(int argc, char** argv) {
  using namespace osteon;
  try {
    set_up_python();
    const int code = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 && code == 0) throw machine_error("cannot write to standard output; check the free space");
    return code;
  } catch (const error& e) {
    if (*e.what()) app::print_message(fmt::format("osteon: {}\n", e.what()));
    return app::program_exit_code(e.kind());
  } catch (const std::bad_alloc&) {
    app::print_message("osteon: out of memory; `osteon estimate` predicts the memory of a job\n");
  } catch (const std::exception& e) {
    app::print_message(fmt::format("osteon: {}\n", e.what()));
  }
  return exit_code(error_kind::machine);
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__GLIBC__)
  // Fields are allocated and freed in the course of a job. Mapped blocks return to the system when they are freed. Holes on
  // the heap would cost an eighth of the solver's memory.
  mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
  open_standard_files();
  signal(SIGCHLD, SIG_DFL);  // if the parent ignored SIGCHLD, exit codes of children would be lost
  osteon::io::use_no_hdf5_locks();
  osteon::io::leave_hdf5_at_exit();
  bound_threads();
  const int code = run(argc, argv);
  return osteon::app::report_to_front(code) ? 0 : code;
}
