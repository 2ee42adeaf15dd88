/* Data between clusters as external32 (OSTEON_BRIDGE_DATA=external32). Typed data received as bytes are big-endian;
 * typed data received with their type are unchanged. Oracle: the table of external32 in the standard. */
#include "check.h"

struct mixed {
  char letter;
  double number;
  short two[2];
  long double longer;
};

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  const int last = size - 1; /* in another cluster than rank 0 */

  /* one of each kind of number, sent in a type with gaps */
  struct mixed here = {0}, there = {'x', 1.0, {1, 256}, -2.0L};
  const int lengths[4] = {1, 1, 2, 1};
  MPI_Aint places[4], base;
  MPI_Datatype kinds[4] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_LONG_DOUBLE}, type, row;
  OK(MPI_Get_address(&here, &base));
  OK(MPI_Get_address(&here.letter, &places[0]));
  OK(MPI_Get_address(&here.number, &places[1]));
  OK(MPI_Get_address(&here.two, &places[2]));
  OK(MPI_Get_address(&here.longer, &places[3]));
  for (int i = 0; i < 4; ++i) places[i] -= base;
  OK(MPI_Type_create_struct(4, lengths, places, kinds, &type));
  OK(MPI_Type_commit(&type));
  if (rank == last) {
    OK(MPI_Send(&there, 1, type, 0, 1, MPI_COMM_WORLD));
    OK(MPI_Send(&there, 1, type, 0, 2, MPI_COMM_WORLD));
  }
  if (rank == 0) {
    const unsigned char wanted[29] = {'x', 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0xc0, 0};
    unsigned char bytes[29];
    MPI_Status status;
    int count = 0;
    OK(MPI_Recv(bytes, 29, MPI_BYTE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(memcmp(bytes, wanted, 29) == 0);
    OK(MPI_Recv(&here, 1, type, last, 2, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == 1 && here.letter == 'x' && here.number == 1.0 && here.two[0] == 1 && here.two[1] == 256 &&
          here.longer == -2.0L);
  }

  /* rows of a matrix, longs above 2^32, complex numbers, pairs: all to all and back by a reduction */
  long matrix[2][3] = {{1L << 40, 2, 3}, {4, 5, 6}}, column[2] = {0, 0};
  OK(MPI_Type_vector(2, 1, 3, MPI_LONG, &row));
  OK(MPI_Type_commit(&row));
  if (rank == last) OK(MPI_Send(matrix, 1, row, 0, 3, MPI_COMM_WORLD));
  if (rank == 0) {
    OK(MPI_Recv(column, 2, MPI_LONG, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(column[0] == 1L << 40 && column[1] == 4);
  }
  struct {
    double value;
    int place;
  } mine = {rank == last ? -7.5 : 1.0, rank}, least;
  OK(MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
  CHECK(least.value == -7.5 && least.place == last);

  /* packed on one rank, unpacked on another rank */
  char packed[64];
  int at = 0, number = 77, needed = 0;
  double half = 0.5;
  OK(MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &needed));
  CHECK(needed >= 4 && needed < 64);
  if (rank == last) {
    OK(MPI_Pack(&number, 1, MPI_INT, packed, sizeof packed, &at, MPI_COMM_WORLD));
    OK(MPI_Pack(&half, 1, MPI_DOUBLE, packed, sizeof packed, &at, MPI_COMM_WORLD));
    OK(MPI_Send(packed, at, MPI_PACKED, 0, 4, MPI_COMM_WORLD));
  }
  if (rank == 0) {
    number = 0, half = 0;
    OK(MPI_Recv(packed, sizeof packed, MPI_PACKED, last, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Unpack(packed, sizeof packed, &at, &number, 1, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Unpack(packed, sizeof packed, &at, &half, 1, MPI_DOUBLE, MPI_COMM_WORLD));
    CHECK(number == 77 && half == 0.5);
  }
  OK(MPI_Type_free(&row));
  OK(MPI_Type_free(&type));
  OK(MPI_Finalize());
  if (rank == 0) printf("external32: ok, %d ranks\n", size);
  return 0;
}
