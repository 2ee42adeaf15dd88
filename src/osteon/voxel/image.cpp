#include <osteon/voxel/image.hpp>

namespace osteon::voxel {

std::size_t size_of(scalar type) {
  switch (type) {
    case scalar::u1:
    case scalar::i1:
      return 1;
    case scalar::u2:
    case scalar::i2:
      return 2;
    case scalar::u4:
    case scalar::i4:
    case scalar::f4:
      return 4;
    case scalar::f8:
      return 8;
  }
  return 1;
}

std::string name_of(scalar type) {
  constexpr const char* names[] = {"u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"};
  return names[static_cast<int>(type)];
}

}  // namespace osteon::voxel
