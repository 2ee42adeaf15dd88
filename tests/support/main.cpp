// The main function for the tests of a module without MPI: test_MODULE [FILE_test.cpp] [options of GoogleTest].
#include <gtest/gtest.h>

#include "support/chosen_file.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!osteon::test::choose_file(argc, argv)) return 2;
  return RUN_ALL_TESTS();
}
