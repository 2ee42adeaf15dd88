#include <gtest/gtest.h>

#include <osteon/job/subprocess.hpp>

namespace external_test {

using osteon::job::run_program;

TEST(run_program, returns_output_and_exit_code) {
  const auto result = run_program({"sh", "-c", "echo one; echo two >&2; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "one\n");
  EXPECT_EQ(result.err, "two\n");
}

// Invariant: both pipes are read, so that a program does not block if it fills one of the pipes.
TEST(run_program, drains_both_pipes) {
  const auto result = run_program({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.size(), 300000u);
  EXPECT_EQ(result.err.size(), 300000u);
}

TEST(run_program, says_when_a_program_is_missing_or_killed) {
  EXPECT_EQ(run_program({"osteon-no-such-program"}).exit_code, 127);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).exit_code, 137);
}

// Invariant: a program that would continue is ended. Its output until this time is kept.
TEST(run_program, ends_with_a_job_that_is_stopped) {
  int asked = 0;
  const auto result = run_program({"sh", "-c", "echo begun; exec sleep 60"}, [&] { return ++asked > 3; });
  EXPECT_EQ(result.exit_code, 128 + 15);
  EXPECT_EQ(result.out, "begun\n");
}

// Invariant: arguments reach the program unchanged, without a shell.
TEST(run_program, does_not_interpret_its_arguments) { EXPECT_EQ(run_program({"printf", "%s", "a b;$(c)"}).out, "a b;$(c)"); }

}  // namespace external_test
