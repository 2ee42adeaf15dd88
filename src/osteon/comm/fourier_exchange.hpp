#pragma once
/// @file
/// The one place where a Fourier transform sends messages.
#include <osteon/comm/fourier_3d.hpp>
#include <osteon/comm/fourier_parts.hpp>

namespace osteon::comm {

/// Block p of `to` becomes what rank p has in its block of this rank's number in `from`; blocks of `block` elements.
/// @param own whether the block for oneself is copied, too
/// @collective on comm
void exchange_blocks(MPI_Comm comm, const complex* from, complex* to, std::ptrdiff_t block, bool own,
                     exchange_account& account);

/// Give `count` elements to a partner that gives as many. @collective on both
void swap_with(MPI_Comm comm, int partner, const complex* from, complex* to, std::ptrdiff_t count,
               exchange_account& account);

}  // namespace osteon::comm
