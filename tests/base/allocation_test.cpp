#include <osteon/base/allocation.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <map>
#include <sstream>

namespace allocation_test {

using namespace osteon;
using std::string;
using std::vector;

// Variables of a recorded environment, a line each.
variable_reader recorded(const string& text) {
  std::map<string, string> variables;
  std::istringstream lines(text);
  for (string line; std::getline(lines, line);)
    if (const auto equals = line.find('='); equals != string::npos)
      variables[line.substr(0, equals)] = line.substr(equals + 1);
  return [variables](const string& name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  };
}

// Slurm 22.05.8: sbatch -N2 --ntasks-per-node=2 --time=5
constexpr const char* slurm_two_hosts =
    "SLURMD_NODENAME=n1\nSLURM_CPUS_ON_NODE=2\nSLURM_JOB_CPUS_PER_NODE=2(x2)\nSLURM_JOB_ID=1\nSLURM_JOB_NODELIST=n[1-2]\n"
    "SLURM_JOB_NUM_NODES=2\nSLURM_MEM_PER_CPU=500\nSLURM_NTASKS=4\nSLURM_NTASKS_PER_NODE=2\nSLURM_PROCID=0\n"
    "SLURM_TASKS_PER_NODE=2(x2)\n";
// sbatch -N2 -c1
constexpr const char* slurm_without_tasks =
    "SLURM_JOB_CPUS_PER_NODE=1(x2)\nSLURM_JOB_ID=2\nSLURM_JOB_NODELIST=n[1-2]\nSLURM_MEM_PER_CPU=500\n"
    "SLURM_TASKS_PER_NODE=1(x2)\n";
// sbatch -n5 --mem=700
constexpr const char* slurm_unequal =
    "SLURM_JOB_CPUS_PER_NODE=2(x2),1\nSLURM_JOB_ID=4\nSLURM_JOB_NODELIST=n[1-3]\nSLURM_MEM_PER_NODE=700\nSLURM_NTASKS=5\n"
    "SLURM_TASKS_PER_NODE=2(x2),1\n";
// sbatch with a second component: hetjob -N2 -n2
constexpr const char* slurm_heterogeneous =
    "SLURM_HET_SIZE=2\nSLURM_JOB_CPUS_PER_NODE=2\nSLURM_JOB_CPUS_PER_NODE_HET_GROUP_1=1(x2)\nSLURM_JOB_ID=7\n"
    "SLURM_JOB_NODELIST=n1\nSLURM_JOB_NODELIST_HET_GROUP_1=n[2-3]\nSLURM_MEM_PER_NODE=300\nSLURM_NTASKS=2\n"
    "SLURM_TASKS_PER_NODE=2\n";
// Torque: nodes=8:ppn=1
constexpr const char* torque =
    "PBS_ENVIRONMENT=PBS_BATCH\nPBS_JOBID=5436955.server\nPBS_NP=8\nPBS_NUM_NODES=8\nPBS_NUM_PPN=1\nPBS_O_HOST=login\n";
// LSF 7: bsub -n 4
constexpr const char* lsf =
    "LSB_DJOB_HOSTFILE=/home/user/.lsbatch/1239206877.748.hostfile\nLSB_JOBID=748\nLSB_MCPU_HOSTS=grid03 1 grid05 1 grid01 "
    "2\n"
    "LSB_QUEUE=normal\n";
// qstat -f of PBS Pro
constexpr const char* qstat =
    "Job Id: 69301.mycluster\n    Job_Name = job\n    resources_used.cput = 4090:56:03\n    resources_used.mem = "
    "13378420kb\n"
    "    resources_used.walltime = 64:26:16\n    job_state = R\n    exec_host = b141/0*2+b142/0*2\n"
    "    Resource_List.mem = 8gb\n    Resource_List.walltime = 100:00:00\n";

TEST(allocation, is_absent_outside_of_batch_jobs) {
  EXPECT_FALSE(allocation_of(recorded("HOME=/root\n")));
  // Variables of a job whose hosts are unknown, as in a container.
  EXPECT_FALSE(allocation_of(recorded("SLURM_JOB_ID=1\nSLURM_NTASKS=2\n")));
  EXPECT_FALSE(allocation_of(recorded("SLURM_JOB_ID=1\nSLURM_JOB_NODELIST=n[1-\n")));
  EXPECT_FALSE(allocation_of(recorded("PBS_JOBID=1\nPBS_NODEFILE=/no/such/file\n")));
}

// Oracle: the options of sbatch.
TEST(allocation, of_slurm_has_hosts_tasks_and_memory) {
  const auto two = allocation_of(recorded(slurm_two_hosts)).value();
  EXPECT_EQ(two.hosts, (vector<string>{"n1", "n2"}));
  EXPECT_EQ(two.tasks, (vector<int>{2, 2}));
  EXPECT_EQ(two.total_tasks(), 4);
  EXPECT_TRUE(two.tasks_are_requested);
  EXPECT_EQ(two.memory_bytes, 2 * 500.0 * (1 << 20));
  EXPECT_FALSE(two.seconds_left);
  const auto plain = allocation_of(recorded(slurm_without_tasks)).value();
  EXPECT_FALSE(plain.tasks_are_requested);
  EXPECT_EQ(plain.cores, (vector<int>{1, 1}));
  const auto unequal = allocation_of(recorded(slurm_unequal)).value();
  EXPECT_EQ(unequal.tasks, (vector<int>{2, 2, 1}));
  EXPECT_EQ(unequal.memory_bytes, 700.0 * (1 << 20));
  const auto mixed = allocation_of(recorded(slurm_heterogeneous)).value();
  EXPECT_EQ(mixed.groups, 2);
  EXPECT_EQ(mixed.hosts, vector<string>{"n1"});
}

TEST(allocation, of_slurm_is_one_task_of_an_array) {
  const auto job =
      allocation_of(recorded(string(slurm_two_hosts) + "SLURM_ARRAY_JOB_ID=12\nSLURM_ARRAY_TASK_ID=3\n")).value();
  EXPECT_EQ(title_of(job), "Slurm job 12_3");
  EXPECT_EQ(query_of(job)[2], "--jobs=12_3");
}

TEST(allocation, of_slurm_without_a_memory_limit) {
  const auto job = allocation_of(recorded("SLURM_JOB_ID=1\nSLURM_JOB_NODELIST=n1\nSLURM_MEM_PER_NODE=0\n")).value();
  EXPECT_FALSE(job.memory_bytes);
  EXPECT_EQ(job.tasks, vector<int>{1});
}

// Oracle: the texts of `squeue --format=%L`.
TEST(allocation, of_slurm_takes_the_time_left_from_squeue) {
  auto job = allocation_of(recorded(slurm_two_hosts)).value();
  add_answer(job, "4:52\n");
  EXPECT_EQ(job.seconds_left, 292);
  add_answer(job, "1-02:03:04 2099-01-01T00:00:00\n");
  EXPECT_EQ(job.seconds_left, 93784);
  // The end of a job that `scontrol update EndTime=` shortened is before that of its limit.
  const std::time_t soon = std::time(nullptr) + 100;
  string end(32, '\0');
  end.resize(std::strftime(end.data(), end.size(), "%Y-%m-%dT%H:%M:%S", std::localtime(&soon)));
  add_answer(job, "4:52 " + end + "\n");
  EXPECT_NEAR(*job.seconds_left, 100, 2);
  job.seconds_left.reset();
  for (const char* other : {"UNLIMITED NONE\n", "INVALID\n", "NOT_SET\n", ""}) add_answer(job, other);
  EXPECT_FALSE(job.seconds_left);
}

TEST(allocation, of_pbs_counts_the_lines_of_the_host_file) {
  string file = "/tmp/nodes.XXXXXX";
  close(mkstemp(file.data()));
  std::ofstream(file) << "c1\nc1\nc2\nc2\n";
  auto job = allocation_of(recorded(string(torque) + "PBS_NODEFILE=" + file + "\n")).value();
  unlink(file.c_str());
  EXPECT_EQ(job.system, batch_system::pbs);
  EXPECT_EQ(job.hosts, (vector<string>{"c1", "c2"}));
  EXPECT_EQ(job.tasks, (vector<int>{2, 2}));
  EXPECT_EQ(query_of(job).back(), "5436955.server");
  add_answer(job, qstat);  // 100 h - 64 h 26 min 16 s
  EXPECT_EQ(job.seconds_left, 360000 - (64 * 3600 + 26 * 60 + 16));
  EXPECT_EQ(job.memory_bytes, 4.0 * (1 << 30));  // of two hosts
}

TEST(allocation, of_lsf_counts_slots) {
  auto job = allocation_of(recorded(lsf)).value();
  EXPECT_EQ(job.hosts, (vector<string>{"grid03", "grid05", "grid01"}));
  EXPECT_EQ(job.tasks, (vector<int>{1, 1, 2}));
  add_answer(job, "0:29 L;4 G\n");
  EXPECT_EQ(job.seconds_left, 29 * 60);
  EXPECT_EQ(job.memory_bytes, 4.0 * (1 << 30));
  job.seconds_left.reset();
  add_answer(job, "0:29 E;-\n");  // an estimate of the user does not end the job
  EXPECT_FALSE(job.seconds_left);
}

TEST(allocation, lists_of_slurm) {
  EXPECT_EQ(hosts_in_list("n[1-3,07],m"), (vector<string>{"n1", "n2", "n3", "n07", "m"}));
  EXPECT_EQ(hosts_in_list("n[08-10]"), (vector<string>{"n08", "n09", "n10"}));
  EXPECT_EQ(hosts_in_list("r[0-1]n[2-3]"), (vector<string>{"r0n2", "r0n3", "r1n2", "r1n3"}));
  EXPECT_TRUE(hosts_in_list("n[a-b]").empty());
  EXPECT_TRUE(hosts_in_list("n[1-999999999]m[1-999999999]").empty());
  EXPECT_EQ(counts_in_list("2(x3),1"), (vector<int>{2, 2, 2, 1}));
  EXPECT_TRUE(counts_in_list("2(x),1").empty());
  EXPECT_TRUE(counts_in_list("many").empty());
}

}  // namespace allocation_test
