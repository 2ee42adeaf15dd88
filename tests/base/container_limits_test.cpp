#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <osteon/base/container_limits.hpp>
#include <string>

namespace container_limits_test {

namespace fs = std::filesystem;
using osteon::container_limits;

// A root folder with system files, as a program in a container sees them.
class fake_system {
 public:
  fake_system() {
    std::string name = (fs::temp_directory_path() / "osteon-system-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~fake_system() { fs::remove_all(root_); }
  fake_system(const fake_system&) = delete;
  fake_system& operator=(const fake_system&) = delete;

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  container_limits limits() const { return osteon::limits_of_container(root_); }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

void put_unified(const fake_system& system, const std::string& group, const std::string& mounted = "/") {
  system.put("proc/self/cgroup", "0::" + group + "\n");
  system.put("proc/self/mountinfo", "29 23 0:26 / /proc rw - proc proc rw\n30 23 0:27 " + mounted +
                                        " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
}

// Oracle: the written numbers, computed by hand. A quota of 150 ms per 100 ms is 1.5 cores.
TEST(container_limits, version_2_in_a_container) {
  const fake_system system;
  put_unified(system, "/");
  system.put("sys/fs/cgroup/cpu.max", "150000 100000\n");
  system.put("sys/fs/cgroup/memory.max", "1048576\n");
  system.put("sys/fs/cgroup/memory.current", "700000\n");
  system.put("sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 200000\nfile 3\n");
  const container_limits found = system.limits();
  EXPECT_DOUBLE_EQ(found.cores.value(), 1.5);
  EXPECT_EQ(found.memory_bytes.value(), 1048576);
  EXPECT_EQ(found.memory_used_bytes.value(), 500000) << "without file cache that can be dropped";
}

// Oracle: the tightest limit of the group and its ancestors, determined by hand.
TEST(container_limits, version_2_of_nested_groups) {
  const fake_system system;
  put_unified(system, "/job.slice/step_0/task");
  system.put("sys/fs/cgroup/job.slice/cpu.max", "400000 100000\n");
  system.put("sys/fs/cgroup/job.slice/step_0/cpu.max", "800000 100000\n");
  system.put("sys/fs/cgroup/job.slice/step_0/task/cpu.max", "max 100000\n");
  system.put("sys/fs/cgroup/job.slice/memory.max", "2000000\n");
  system.put("sys/fs/cgroup/job.slice/memory.current", "1500000\n");
  system.put("sys/fs/cgroup/job.slice/step_0/task/memory.max", "1000000\n");
  system.put("sys/fs/cgroup/job.slice/step_0/task/memory.current", "100000\n");
  const container_limits found = system.limits();
  EXPECT_DOUBLE_EQ(found.cores.value(), 4);
  EXPECT_EQ(found.memory_bytes.value(), 2000000) << "it leaves 500000, the inner one 900000";
}

// Oracle: the documentation of --cgroupns=host. The mount shows the group of the container as its root, but the path is the
// path on the host.
TEST(container_limits, version_2_with_the_path_of_the_host) {
  const fake_system system;
  put_unified(system, "/docker/abc", "/docker/abc");
  system.put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(system.limits().cores.value(), 2);
  put_unified(system, "/docker/abc");  // the path does not exist below the mount
  EXPECT_DOUBLE_EQ(system.limits().cores.value(), 2);
}

// Oracle: the written numbers. The number 9223372036854771712 means that there is no limit.
TEST(container_limits, version_1) {
  const fake_system system;
  system.put("proc/self/cgroup",
             "12:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n0::/system\n");
  system.put("proc/self/mountinfo",
             "33 32 0:28 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
             "34 32 0:29 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  system.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  system.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  system.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "4194304\n");
  system.put("sys/fs/cgroup/memory/memory.usage_in_bytes", "3000000\n");
  system.put("sys/fs/cgroup/memory/memory.stat", "cache 9\ntotal_inactive_file 1000000\n");
  const container_limits found = system.limits();
  EXPECT_DOUBLE_EQ(found.cores.value(), 0.5);
  EXPECT_EQ(found.memory_bytes.value(), 4194304);
  EXPECT_EQ(found.memory_used_bytes.value(), 2000000);
  system.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  system.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(system.limits().cores);
  EXPECT_FALSE(system.limits().memory_bytes);
}

// Oracle: there is no limit if a value is missing or is not a number.
TEST(container_limits, none) {
  const fake_system system;
  EXPECT_FALSE(system.limits().cores);
  put_unified(system, "/");
  EXPECT_FALSE(system.limits().memory_bytes);
  system.put("sys/fs/cgroup/cpu.max", "max 100000\n");
  system.put("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_FALSE(system.limits().cores);
  EXPECT_FALSE(system.limits().memory_bytes);
  system.put("sys/fs/cgroup/cpu.max", "abc\n");
  EXPECT_FALSE(system.limits().cores);
  system.put("proc/self/cgroup", "x\n::\n");
  EXPECT_FALSE(system.limits().cores);
}

// Oracle: quotas of half a core and of 1.9 cores permit one core on every machine.
TEST(container_limits, cores_within_a_quota) {
  const fake_system system;
  put_unified(system, "/");
  setenv("OSTEON_SYSTEM_ROOT", system.root().c_str(), 1);
  for (const char* quota : {"50000 100000", "190000 100000"}) {
    system.put("sys/fs/cgroup/cpu.max", quota);
    EXPECT_EQ(osteon::usable_cores(), 1) << quota;
    EXPECT_EQ(osteon::cores_of_host(), 1) << quota;
  }
  system.put("sys/fs/cgroup/memory.max", "1000000");
  system.put("sys/fs/cgroup/memory.current", "1500000");
  EXPECT_EQ(osteon::memory_left_in_container().value(), 0);
  unsetenv("OSTEON_SYSTEM_ROOT");
}

}  // namespace container_limits_test
