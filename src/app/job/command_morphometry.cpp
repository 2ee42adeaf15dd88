#include <fmt/format.h>
#include <omp.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/directory_lock.hpp>
#include <osteon/job/shape/morphometry.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

struct morphometry_options {
  std::string job, output, json;
  std::vector<std::string> set;
  bool throats = false;
};

int measure(const morphometry_options& o) {
  note_stop_signals();
  return on_all_ranks([&](MPI_Comm comm) {
    const bool root = comm::rank(comm) == 0;
    terminal_sink shown(is_interactive());
    log_sink& log = root ? static_cast<log_sink&>(shown) : null_log();
    job::spec spec;
    std::optional<job::directory_lock> lock;
    comm::collectively(comm, [&] {
      spec = job::read_job(o.job, {}, o.set);
      if (!o.output.empty()) spec.output_directory = o.output;
      spec = job::job_for_shape(spec);
      if (comm::size(comm) == 1 && !std::getenv("OMP_NUM_THREADS"))
        omp_set_num_threads(static_cast<int>(job::usable_cores()));
      if (!root) return;
      job::find_filters(spec);
      lock.emplace(job::output_paths(spec).directory);
      job::source_of(spec).prepare(spec, log, stop_was_requested);
    });
    const json answer = job::measure_shape(comm, spec, o.throats, log);
    comm::collectively(comm, [&] {
      if (!root) return;
      const auto path = std::filesystem::path(spec.output_directory) / "morphometry.json";
      job::write_file(path.string(), job::to_text(answer));
      write_json(o.json, answer);
      if (o.json != "-")
        fmt::print("\n{}: shape of the solid\n{}\n  written to {}\n", spec.name, job::table_of_shape(answer), path.string());
    });
  });
}

}  // namespace

void add_morphometry(registry& commands) {
  const auto o = std::make_shared<morphometry_options>();
  command c =
      commands.add("morphometry", "Measure BV/TV, Tb.Th, Tb.Sp, Conn.D and related quantities", [o] { return measure(*o); });
  add_job(c, o->job);
  c.add_option("-o,--output", o->output,
               "Output directory, in which morphometry/ is created (default: output.directory of the job, else <name>.out)");
  c.add_flag("--throats", o->throats,
             "Also measure pore throats: the largest balls that enter from outside and that pass through");
  add_set(c, o->set);
  add_json(c, o->json);
  c.footer(
      "Uses all cores unless a launcher starts it. Definitions: docs/reference/morphometry.md\n\nExamples:\n  osteon "
      "morphometry "
      "examples/bone.toml\n  osteon morphometry rock.toml --throats\n  mpirun -n 4 osteon morphometry bone.toml --set "
      "segment.threshold=300");
}

}  // namespace osteon::app
