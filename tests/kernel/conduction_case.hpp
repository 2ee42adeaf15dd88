#pragma once
/// @file
/// A box of random materials whose rows are cut here and there by insulation, with a wall behind its back.
#include <osteon/kernel/conduction.hpp>
#include <random>
#include <vector>

namespace osteon::test {

struct conduction_case {
  std::vector<kernel::conduction_segment> segments;
  std::vector<std::uint8_t> material;  ///< cells, then a row of wall cells (material 0) for each plane
  std::int32_t cells;

  conduction_case(std::int32_t nz, std::int32_t ny, std::int32_t nx) : cells(nz * ny * nx) {
    std::mt19937 random(5);
    for (std::int32_t i = 0; i < cells; ++i) material.push_back(static_cast<std::uint8_t>(1 + random() % 3));
    material.resize(material.size() + static_cast<std::size_t>(nz * nx), 0);
    for (std::int32_t z = 0; z < nz; ++z)
      for (std::int32_t y = 0; y < ny; ++y)
        for (std::int32_t x = 0; x < nx;) {
          const auto length = std::min(nx - x, 1 + static_cast<std::int32_t>(random() % 9));
          const std::int32_t first = (z * ny + y) * nx + x, last = first + length - 1;
          const bool cut_before = x == 0 || random() % 2 == 0;
          segments.push_back({first, length, z > 0 ? first - ny * nx : first, z + 1 < nz ? first + ny * nx : first,
                              y > 0 ? first - nx : first, y + 1 < ny ? first + nx : cells + z * nx + x,
                              cut_before ? first : first - 1, last});
          if (!cut_before) segments[segments.size() - 2].right = first;
          x += length;
        }
  }

  template <class T>
  kernel::conduction_stencil<T> stencil() const {
    kernel::conduction_stencil<T> k;
    k.mixed = segments;
    k.material = material.data();
    k.resistivity = {T(0), T(1), T(0.25), T(10)};
    k.face = {T(2), T(3), T(5)};
    return k;
  }
};

}  // namespace osteon::test
