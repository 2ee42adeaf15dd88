#pragma once
/// @file
/// PNG pictures, deflated in strips by threads and by the ranks that hold rows of a picture.
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osteon::io {

/// Write 8-bit RGBA, rows from top to bottom, under a temporary name and rename it when it is complete.
///
/// The file is independent of the numbers of ranks and threads.
/// @param rgba shape (height, width, 4), straight (not premultiplied) alpha
/// @throws machine_error if the file cannot be written
void write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgba);

/// First row of each rank, followed by the height, as expected by write_png().
std::vector<int> png_rows(int height, int ranks);

/// Write a picture whose rows png_rows()[r] to png_rows()[r + 1] are on rank r. Each rank deflates its rows; rank 0 writes.
/// @throws machine_error on all ranks if the file cannot be written @collective on comm
void write_png(MPI_Comm comm, const std::string& path, int width, int height, std::span<const std::uint8_t> own_rows);

}  // namespace osteon::io
