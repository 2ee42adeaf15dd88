// The main function of a module's tests without MPI: test_MODULE [FILE_test.cpp] [gtest's options].
#include <gtest/gtest.h>

#include "support/chosen_file.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!osteon::test::choose_file(argc, argv)) return 2;
  return RUN_ALL_TESTS();
}
