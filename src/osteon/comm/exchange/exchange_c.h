/** @file
 * The exchanges of comm/exchange.hpp for other languages: libosteon_exchange.so.
 *
 * Functions return 0, or an exit code of the osteon program with a message of at most `length` bytes in `error`. As in C++
 * they are collective, and a request that is refused is refused on all ranks.
 */
#ifndef OSTEON_EXCHANGE_C_H
#define OSTEON_EXCHANGE_C_H
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef struct osteon_all_to_all osteon_all_to_all;

/** Plan an exchange. @param schedule as all_to_all_options::schedule has it; "auto" chooses */
int osteon_all_to_all_make(const MPI_Comm* comm, const char* schedule, int barriers, osteon_all_to_all** made, char* error,
                           size_t length);
/** How it is carried out. Lives as long as the exchange. */
const char* osteon_all_to_all_schedule(const osteon_all_to_all* exchange);
/** Elements that each rank has for this one, from those that this one has for each; both shape (ranks). */
int osteon_all_to_all_counts(osteon_all_to_all* exchange, const int64_t* to, int64_t* from, char* error, size_t length);
/** Exchange parcels that lie one after the other, in the order of the ranks, in `out` and in `in`. */
int osteon_all_to_all_run(osteon_all_to_all* exchange, const void* out, const int64_t* to, void* in, const int64_t* from,
                          int64_t element_bytes, char* error, size_t length);
/** @pre MPI is not finalized; collective */
void osteon_all_to_all_free(osteon_all_to_all* exchange);

/** Inclusive prefix sums over ranks, element by element, in place. @param type 'f' float, 'd' double, 'i' int32_t, 'l' int64_t;
 * integers wrap around */
int osteon_prefix_sum(const MPI_Comm* comm, void* object, int64_t count, char type, char* error, size_t length);
/** The object of rank `root` on all ranks, in place. */
int osteon_broadcast(const MPI_Comm* comm, void* object, int64_t bytes, int root, char* error, size_t length);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
