#pragma once
/// @file
/// PNG pictures, deflated in strips by the threads of all ranks that have rows of a picture.
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osteon::io {

/// Write an 8-bit RGBA picture with rows from top to bottom. The file has a temporary name until the file is complete. The
/// content of the file does not depend on the numbers of ranks and threads.
/// @param rgba shape (height, width, 4), straight (not premultiplied) alpha
/// @throws machine_error if the file cannot be written
void write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgba);

/// First row of each rank, followed by the height, as required by write_png().
std::vector<int> png_rows(int height, int ranks);

/// Write a picture distributed by rows. Rank r stores the rows from png_rows()[r] to png_rows()[r + 1] - 1. Each rank
/// deflates its rows; rank 0 writes the file.
/// @throws machine_error on all ranks if the file cannot be written @collective on comm
void write_png(MPI_Comm comm, const std::string& path, int width, int height, std::span<const std::uint8_t> own_rows);

}  // namespace osteon::io
