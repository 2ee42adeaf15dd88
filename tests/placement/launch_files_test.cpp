#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/placement/hosts/batch_script.hpp>
#include <osteon/placement/hosts/target.hpp>

namespace osteon::placement::launch_files_test {

target two_hosts() {
  machine::host_list hosts;
  // The first core of the second host belongs to another job.
  hosts.add("n1", machine::synthetic_host("core:2 pu:2"));
  hosts.add("n2", machine::restricted(machine::synthetic_host("core:3 pu:1"), {1, 2}));
  return every_core(machine::assumed(hosts));
}

// Oracle: files verified with `taskset -cp` under Open MPI 4.1 and MPICH 4.0. Rank 0 is on the last core of n2.
TEST(LaunchFiles, NameHostsAndCores) {
  const target where = two_hosts();
  const std::vector<int> place = {3, 0, 1};
  const auto text = [&](const char* kind) { return launch_file_of(parse_launcher(kind), where, place, "f").text; };
  EXPECT_EQ(text("ompi4-rankfile"), "rank 0=n2 slot=1\nrank 1=n1 slot=0\nrank 2=n1 slot=1\n");
  EXPECT_EQ(text("ompi5"), text("ompi4-rankfile"));
  EXPECT_EQ(text("seq"), "n2\nn1\nn1\n");
  EXPECT_EQ(text("slurm"), text("seq"));
  EXPECT_EQ(text("hydra"), "n2:1 binding=user:2\nn1:1 binding=user:0\nn1:1 binding=user:2\n");
  EXPECT_EQ(launch_file_of(launcher::ompi5, where, place, "f").command, "mpirun -n 3 --map-by rankfile:file=f PROGRAM");
  const launch_file script = launch_file_of(launcher::wrap, where, place, "f");
  EXPECT_TRUE(script.executable);
  EXPECT_NE(script.text.find("0) host=n2 pu=2;;\n1) host=n1 pu=0;;\n2) host=n1 pu=2;;\n*)"), std::string::npos)
      << script.text;
}

TEST(LaunchFiles, RefuseWhatAShellWouldRead) {
  EXPECT_THROW(parse_launcher("pbs"), usage_error);
  machine::host_list hosts;
  hosts.add("n1; rm -rf", machine::synthetic_host("core:2 pu:1"));
  const target where = every_core(machine::assumed(hosts));
  EXPECT_THROW(launch_file_of(launcher::wrap, where, std::vector<int>{0}, "f"), usage_error);
}

// Oracle: determined by hand. Two nodes with 6 cores have one team of 4 each, because a team does not extend across nodes
// that are large enough. On nodes with 3 cores, a team of 4 extends across nodes. Teams of 2 use all cores.
TEST(BatchScript, TeamsStayInsideNodes) {
  const auto firsts = [](const char* host, int threads) {
    const target found =
        places_of_teams(every_core(machine::assumed(machine::host_list(1, machine::synthetic_host(host)))), threads);
    std::vector<int> cores;
    for (const machine::place p : found.places) cores.push_back(p.core);
    return cores;
  };
  EXPECT_EQ(firsts("numa:2 core:6 pu:1", 4), (std::vector<int>{0, 6}));
  EXPECT_EQ(firsts("numa:2 core:3 pu:1", 4), (std::vector<int>{0}));
  EXPECT_EQ(firsts("numa:2 core:4 pu:1", 2), (std::vector<int>{0, 2, 4, 6}));
  EXPECT_THROW(firsts("core:2 pu:1", 3), usage_error);
}

TEST(BatchScript, AsksForMeasuredHostsByName) {
  const target where = two_hosts();
  const std::vector<int> place = {3, 0, 1};
  batch_options options{.named_hosts = true, .program = "./program x"};
  const std::string slurm = batch_script(where, place, options);
  EXPECT_NE(slurm.find("#SBATCH --nodelist=n1,n2\n"), std::string::npos) << slurm;
  EXPECT_NE(slurm.find("host_of=(1 0 0)\npus_of=(2 0 2)\n"), std::string::npos) << slurm;
  EXPECT_NE(slurm.find("\"$work/bind\" ./program x\n"), std::string::npos) << slurm;
  options.system = batch_system::pbs;
  const std::string pbs = batch_script(where, place, options);
  EXPECT_NE(pbs.find("#PBS -l select=1:ncpus=2:mpiprocs=2:ompthreads=1:host=n1+1:ncpus=2:mpiprocs=2:ompthreads=1:host=n2\n"),
            std::string::npos)
      << pbs;
  EXPECT_THROW(parse_batch_system("lsf"), usage_error);
}

}  // namespace osteon::placement::launch_files_test
