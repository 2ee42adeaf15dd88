#include <cstdio>

#include "level.hpp"

int level_of_net();
int level_of_kernel();
int level_of_inline_in_physics_solvers();

// The modules kernel and physics_solvers are compiled for each level. The module net and this program are compiled once.
int main() {
  std::printf("%d %d %d %d\n", level_of_inline(), level_of_net(), level_of_kernel(), level_of_inline_in_physics_solvers());
}
