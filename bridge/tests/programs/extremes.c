/* MPI_MAX and MPI_MIN of every integer type, by every reducing function. Oracle: the comparison of C, for values with and
 * without the highest bit, different on each rank. */
#include <stdint.h>

#include "check.h"

#define LENGTH 70

static int rank, size;

/* One type: `value` of a rank and a place, and the extremes over the ranks first to last - 1. */
#define TYPE(name, ctype)                                                                              \
  static ctype name##_value(int r, int i) {                                                            \
    const unsigned long long high = 1ULL << (8 * sizeof(ctype) - 1);                                   \
    const ctype all[5] = {(ctype)-1, 1, (ctype)high, (ctype)(high - 1), 0};                            \
    return all[(r + i / (r + 1)) % 5];                                                                 \
  }                                                                                                    \
  static ctype name##_extreme(int last, int i, int largest) {                                          \
    ctype found = name##_value(0, i);                                                                  \
    for (int r = 1; r < last; ++r) {                                                                   \
      const ctype v = name##_value(r, i);                                                              \
      if (largest ? v > found : v < found) found = v;                                                  \
    }                                                                                                  \
    return found;                                                                                      \
  }                                                                                                    \
  static void name##_check(const ctype* got, int last, int first, int count, int largest) {            \
    for (int i = 0; i < count; ++i) CHECK(got[i] == name##_extreme(last, first + i, largest));         \
  }                                                                                                    \
  static void name##_test(MPI_Datatype type, int largest) {                                            \
    const MPI_Op op = largest ? MPI_MAX : MPI_MIN;                                                     \
    const int whole = LENGTH / size * size, part = whole / size;                                       \
    ctype mine[LENGTH], got[LENGTH];                                                                   \
    int* parts = malloc((size_t)size * sizeof(int));                                                   \
    MPI_Request request;                                                                               \
    for (int r = 0; r < size; ++r) parts[r] = part;                                                    \
    for (int i = 0; i < LENGTH; ++i) mine[i] = name##_value(rank, i);                                  \
    OK(MPI_Allreduce(mine, got, LENGTH, type, op, MPI_COMM_WORLD));                                    \
    name##_check(got, size, 0, LENGTH, largest);                                                       \
    memcpy(got, mine, sizeof got);                                                                     \
    OK(MPI_Allreduce(MPI_IN_PLACE, got, LENGTH, type, op, MPI_COMM_WORLD));                            \
    name##_check(got, size, 0, LENGTH, largest);                                                       \
    OK(MPI_Allreduce_c(mine, got, LENGTH, type, op, MPI_COMM_WORLD));                                  \
    name##_check(got, size, 0, LENGTH, largest);                                                       \
    OK(MPI_Iallreduce(mine, got, LENGTH, type, op, MPI_COMM_WORLD, &request));                         \
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                         \
    name##_check(got, size, 0, LENGTH, largest);                                                       \
    OK(MPI_Allreduce_init(mine, got, LENGTH, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request));      \
    OK(MPI_Start(&request));                                                                           \
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                         \
    OK(MPI_Request_free(&request));                                                                    \
    name##_check(got, size, 0, LENGTH, largest);                                                       \
    OK(MPI_Reduce(mine, got, LENGTH, type, op, size - 1, MPI_COMM_WORLD));                             \
    if (rank == size - 1) name##_check(got, size, 0, LENGTH, largest);                                 \
    OK(MPI_Scan(mine, got, LENGTH, type, op, MPI_COMM_WORLD));                                         \
    name##_check(got, rank + 1, 0, LENGTH, largest);                                                   \
    OK(MPI_Exscan(mine, got, LENGTH, type, op, MPI_COMM_WORLD));                                       \
    if (rank > 0) name##_check(got, rank, 0, LENGTH, largest);                                         \
    OK(MPI_Reduce_scatter(mine, got, parts, type, op, MPI_COMM_WORLD));                                \
    name##_check(got, size, rank* part, part, largest);                                                \
    OK(MPI_Reduce_scatter_block(mine, got, part, type, op, MPI_COMM_WORLD));                           \
    name##_check(got, size, rank* part, part, largest);                                                \
    for (int i = 0; i < LENGTH; ++i) mine[i] = name##_value(0, i), got[i] = name##_value(1, i);        \
    OK(MPI_Reduce_local(mine, got, LENGTH, type, op));                                                 \
    name##_check(got, 2, 0, LENGTH, largest);                                                          \
    free(parts);                                                                                       \
  }

TYPE(u8, uint8_t)
TYPE(u16, uint16_t)
TYPE(u32, uint32_t)
TYPE(u64, uint64_t)
TYPE(uc, unsigned char)
TYPE(us, unsigned short)
TYPE(un, unsigned)
TYPE(ul, unsigned long)
TYPE(ull, unsigned long long)
TYPE(i8, int8_t)
TYPE(i16, int16_t)
TYPE(i32, int32_t)
TYPE(i64, int64_t)
TYPE(sc, signed char)
TYPE(sh, short)
TYPE(in, int)
TYPE(lo, long)
TYPE(ll, long long)
TYPE(aint, MPI_Aint)
TYPE(count, MPI_Count)
TYPE(offset, MPI_Offset)

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  for (int largest = 0; largest < 2; ++largest) {
    u8_test(MPI_UINT8_T, largest);
    u16_test(MPI_UINT16_T, largest);
    u32_test(MPI_UINT32_T, largest);
    u64_test(MPI_UINT64_T, largest);
    uc_test(MPI_UNSIGNED_CHAR, largest);
    us_test(MPI_UNSIGNED_SHORT, largest);
    un_test(MPI_UNSIGNED, largest);
    ul_test(MPI_UNSIGNED_LONG, largest);
    ull_test(MPI_UNSIGNED_LONG_LONG, largest);
    i8_test(MPI_INT8_T, largest);
    i16_test(MPI_INT16_T, largest);
    i32_test(MPI_INT32_T, largest);
    i64_test(MPI_INT64_T, largest);
    sc_test(MPI_SIGNED_CHAR, largest);
    sh_test(MPI_SHORT, largest);
    in_test(MPI_INT, largest);
    lo_test(MPI_LONG, largest);
    ll_test(MPI_LONG_LONG, largest);
    aint_test(MPI_AINT, largest);
    count_test(MPI_COUNT, largest);
    offset_test(MPI_OFFSET, largest);
  }
  if (rank == 0) printf("extremes: ok, %d ranks\n", size);
  OK(MPI_Finalize());
  return 0;
}
