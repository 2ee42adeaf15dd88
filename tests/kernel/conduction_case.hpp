#pragma once
/// @file
/// A box of random materials. Insulation interrupts its rows at some places, and there is a wall behind its back.
#include <osteon/kernel/heat/conduction.hpp>
#include <random>
#include <utility>
#include <vector>

namespace osteon::test {

struct conduction_case {
  std::vector<kernel::conduction_segment> segments;
  std::vector<material_number>
      material;  ///< number 0 (not a cell), then the cells, then a row of wall cells (material 0) for each plane
  std::vector<std::uint8_t> open;
  std::int32_t cells;  ///< the numbers of the cells are below this number

  conduction_case(std::int32_t nz, std::int32_t ny, std::int32_t nx) : cells(1 + nz * ny * nx) {
    std::mt19937 random(5);
    material.push_back(0);
    for (std::int32_t i = 1; i < cells; ++i) material.push_back(static_cast<material_number>(1 + random() % 3));
    material.resize(material.size() + static_cast<std::size_t>(nz * nx + kernel::conduction_padding), 0);
    open.resize(material.size());
    for (std::int32_t z = 0; z < nz; ++z)
      for (std::int32_t y = 0; y < ny; ++y) {
        const std::int32_t first = 1 + (z * ny + y) * nx;
        const bool below = z > 0, above = z + 1 < nz, front = y > 0;
        segments.push_back({first,
                            static_cast<std::uint32_t>(nx),
                            0,
                            {below ? first - ny * nx : first, above ? first + ny * nx : first, front ? first - nx : first,
                             y + 1 < ny ? first + nx : cells + z * nx}});
        for (std::int32_t x = 0; x < nx; ++x) {
          auto& bits = open[static_cast<std::size_t>(first + x)];
          bits = static_cast<std::uint8_t>(bits | below | above << 1 | front << 2 | 1 << 3);
          if (x + 1 == nx || random() % 8 == 0) continue;
          bits = static_cast<std::uint8_t>(bits | 1 << 5);
          open[static_cast<std::size_t>(first + x + 1)] = 1 << 4;
        }
      }
  }

  // Cuts each segment in two after the given number of cells. The cells at the cut remain neighbours.
  void split(std::int32_t length) {
    std::vector<kernel::conduction_segment> parts;
    for (const kernel::conduction_segment& s : segments) {
      parts.push_back({s.first, static_cast<std::uint32_t>(length), 0, s.neighbour});
      parts.push_back({s.first + length, s.length - static_cast<std::uint32_t>(length), 0, s.neighbour});
      for (std::int32_t& n : parts.back().neighbour) n += length;
    }
    segments = std::move(parts);
  }

  template <class T>
  kernel::conduction_stencil<T> stencil() const {
    kernel::conduction_stencil<T> k;
    k.segments = segments;
    k.open = open.data();
    k.material = material.data();
    k.resistivity = {T(0), T(1), T(0.25), T(10)};
    k.storage = {T(0), T(0.5), T(2), T(0.125)};
    k.face = {T(2), T(3), T(5)};
    return k;
  }
};

}  // namespace osteon::test
