#include <common/run_folder.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace run_folder_test {

namespace fs = std::filesystem;
using namespace osteon;

// A test with a private TMPDIR. The variables of a batch system are removed.
class RunFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/rf.XXXXXX";  // the name is short, because a test below checks lengths of paths
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    tmpdir_ = name;
    for (const char* variable : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES", "FLUX_JOB_NNODES", "PBS_NODEFILE",
                                 "LSB_DJOB_HOSTFILE", "PE_HOSTFILE", "OSTEON_GIVEN_TMPDIR"})
      unsetenv(variable);
    before_ = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "";
    setenv("TMPDIR", tmpdir_.c_str(), 1);
  }
  void TearDown() override {
    fs::remove_all(tmpdir_);
    if (before_.empty())
      unsetenv("TMPDIR");
    else
      setenv("TMPDIR", before_.c_str(), 1);
  }
  fs::path make(const std::string& name, int mode = 0700) const {
    fs::create_directory(tmpdir_ / name);
    chmod((tmpdir_ / name).c_str(), static_cast<mode_t>(mode));
    return tmpdir_ / name;
  }
  bool is_empty() const { return fs::is_empty(tmpdir_); }
  fs::path tmpdir_;
  std::string before_;
};

// Runs `body` in a child process and waits for the end of this process.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Oracle: the folder is below TMPDIR. The folder is removed with its entire content.
TEST_F(RunFolder, IsRemovedAtTheEnd) {
  {
    const run_folder folder;
    ASSERT_EQ(fs::path(folder.path()).parent_path(), tmpdir_);
    fs::create_directories(folder.path() + "/ompi.host.0/pid.1/0");
    std::ofstream(folder.path() + "/ompi.host.0/pid.1/contact.txt") << "x";
  }
  EXPECT_TRUE(is_empty());
}

// Oracle: a process that ends without destructors leaves its folder. The next run removes this folder, but does not remove
// the folder of an active run.
TEST_F(RunFolder, OfAKilledRunIsRemovedByTheNextOne) {
  const run_folder living;
  in_child([] {
    auto* folder = new run_folder;
    fs::create_directories(folder->path() + "/ompi.host.0/pid.1");
    _exit(0);
  });
  EXPECT_EQ(std::distance(fs::directory_iterator(tmpdir_), {}), 2);
  EXPECT_EQ(remove_left_run_folders(tmpdir_.string()), 1);
  EXPECT_TRUE(fs::exists(living.path()));
}

// Oracle: the folder remains while a child process that inherited the lock is alive.
TEST_F(RunFolder, StaysAsLongAsAChildHoldsTheLock) {
  int to_child[2];
  ASSERT_EQ(pipe(to_child), 0);
  in_child([&] {
    auto* folder = new run_folder;
    if (fork() == 0) {  // the child process keeps a copy of the descriptor until the pipe is closed
      close(to_child[1]);
      char byte = 0;
      [[maybe_unused]] const auto count = read(to_child[0], &byte, 1);
      _exit(folder->path().empty());
    }
    _exit(0);
  });
  close(to_child[0]);
  EXPECT_EQ(remove_left_run_folders(tmpdir_.string()), 0);
  close(to_child[1]);
  int removed = 0;
  for (int i = 0; i < 1000 && removed == 0; ++i, usleep(5000)) removed = remove_left_run_folders(tmpdir_.string());
  EXPECT_EQ(removed, 1);
}

// Oracle: the child process of a fork does not remove the folder of its parent, even if the destructor runs in the child
// process.
TEST_F(RunFolder, IsNotRemovedByAForkedChild) {
  auto folder = std::make_unique<run_folder>();
  in_child([&] { folder.reset(); });
  EXPECT_TRUE(fs::exists(folder->path() + "/lock"));
}

// Oracle: four kinds of entries remain: folders that others can write, links, other names, and folders with files that do
// not belong to MPI.
TEST_F(RunFolder, NothingOfOthersIsRemoved) {
  make("osteon-mpi.abcdef", 0755);
  std::ofstream(make("osteon-mpi.mydata") / "thesis.txt") << "x";
  make("osteon-mpi.backup2");
  const fs::path target = make("data");
  std::ofstream(target / "lock") << "x";
  fs::create_directory_symlink(target, tmpdir_ / "osteon-mpi.linked");
  fs::create_directories(make("ompi.host.0") / "pid.1");
  EXPECT_EQ(remove_left_run_folders(tmpdir_.string()), 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(tmpdir_), {}), 6);
  EXPECT_TRUE(fs::exists(target / "lock"));
}

// Oracle: ranks that outlive their launcher create the folder again without a lock. This folder is also removed.
TEST_F(RunFolder, WithoutALockIsRemovedIfItHoldsFilesOfMpiOnly) {
  fs::create_directories(make("osteon-mpi.abcdef") / "ompi.host.0/pid.1");
  EXPECT_EQ(remove_left_run_folders(tmpdir_.string()), 1);
  EXPECT_TRUE(is_empty());
}

// Oracle: a Unix socket at TMPDIR/ompi.HOST.USER/pid.NUMBER/pmix-NUMBER has at most 107 characters with the folder, if it
// has at most 107 characters without the folder.
TEST_F(RunFolder, LeavesRoomForTheAddressesOfSockets) {
  for (const std::size_t length : {30UL, 41UL, 42UL, 43UL, 50UL, 59UL, 60UL, 80UL}) {
    const std::string longer = tmpdir_.string() + "/" + std::string(length - tmpdir_.string().size() - 1, 'x');
    ASSERT_EQ(longer.size(), length);
    fs::create_directory(longer);
    setenv("TMPDIR", longer.c_str(), 1);
    const run_folder folder;
    EXPECT_EQ(!folder.path().empty(), length + 18 + 48 <= 107 || length + 48 > 107) << length;
  }
}

// Oracle: on several hosts, TMPDIR is unchanged. A list of hosts contains one line per process.
TEST_F(RunFolder, IsNotMadeOnSeveralHosts) {
  setenv("SLURM_JOB_NUM_NODES", "2", 1);
  EXPECT_EQ(run_folder().path(), "");
  setenv("SLURM_JOB_NUM_NODES", "1", 1);
  EXPECT_NE(run_folder().path(), "");
  const std::string list = (tmpdir_ / "hosts").string();
  std::ofstream(list) << "a\na\n";
  setenv("PBS_NODEFILE", list.c_str(), 1);
  EXPECT_NE(run_folder().path(), "");
  std::ofstream(list) << "a\nb\n";
  EXPECT_EQ(run_folder().path(), "");
  unsetenv("PBS_NODEFILE");
  unsetenv("SLURM_JOB_NUM_NODES");
}

// Oracle: child processes started during the run have the folder as TMPDIR. After the run, and after restore_tmpdir() in a
// child, TMPDIR has its original value.
TEST_F(RunFolder, TmpdirIsRestored) {
  const run_folder folder;
  {
    const tmpdir_of_run meanwhile(folder);
    EXPECT_EQ(std::getenv("TMPDIR"), folder.path());
    const int status = in_child([&] {
      restore_tmpdir();
      _exit(std::getenv("TMPDIR") == tmpdir_.string() && !std::getenv("OSTEON_GIVEN_TMPDIR") ? 7 : 0);
    });
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
  EXPECT_EQ(std::getenv("TMPDIR"), tmpdir_.string());
  unsetenv("TMPDIR");
  {
    const run_folder other;
    const tmpdir_of_run meanwhile(other);
    EXPECT_EQ(std::getenv("TMPDIR"), other.path());
  }
  EXPECT_EQ(std::getenv("TMPDIR"), nullptr);
  EXPECT_EQ(std::getenv("OSTEON_GIVEN_TMPDIR"), nullptr);
}

// Oracle: if TMPDIR does not exist, no folder is created and no error occurs.
TEST_F(RunFolder, AMissingTmpdirIsNoError) {
  setenv("TMPDIR", (tmpdir_ / "missing").c_str(), 1);
  const run_folder folder;
  EXPECT_EQ(folder.path(), "");
  const tmpdir_of_run meanwhile(folder);
  EXPECT_EQ(std::getenv("TMPDIR"), (tmpdir_ / "missing").string());
}

}  // namespace run_folder_test
