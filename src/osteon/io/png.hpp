#pragma once
/// @file
/// PNG pictures, deflated in strips: by threads, and by ranks that hold rows of one.
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osteon::io {

/// Write 8-bit RGBA, rows from top to bottom, under a temporary name and rename it when it is complete.
///
/// The file depends neither on the number of ranks nor on that of threads.
/// @param rgba shape (height, width, 4), straight (not premultiplied) alpha
/// @throws machine_error if the file cannot be written
void write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgba);

/// The first row of each rank, and the height, as write_png() expects them.
std::vector<int> png_rows(int height, int ranks);

/// Write a picture whose rows png_rows()[r] to png_rows()[r + 1] are on rank r. Each rank deflates its rows; rank 0 writes.
/// @throws like the other one, on all ranks @collective on comm
void write_png(MPI_Comm comm, const std::string& path, int width, int height, std::span<const std::uint8_t> own_rows);

}  // namespace osteon::io
