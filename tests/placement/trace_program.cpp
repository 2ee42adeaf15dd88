// A program with known messages for the test of the trace. A communicator has 4 ranks in reverse order.
#include <mpi.h>

#include <array>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  std::array<char, 4096> out{}, in{};
  const auto sendrecv = [&](MPI_Comm comm, int bytes, int to, int from) {
    MPI_Sendrecv(out.data(), bytes, MPI_CHAR, to, 0, in.data(), bytes, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE);
  };
  // Rank 0 of the world is rank 3 of `reversed`. Each world rank sends 100 doubles to rank 3 - rank.
  int mine = 0;
  MPI_Comm_rank(reversed, &mine);
  MPI_Sendrecv(out.data(), 100, MPI_DOUBLE, rank, 1, in.data(), 100, MPI_DOUBLE, rank, 1, reversed, MPI_STATUS_IGNORE);
  // A ring that is not closed. Each rank sends 10 bytes upwards, with MPI_PROC_NULL at the ends.
  sendrecv(MPI_COMM_WORLD, 10, rank < 3 ? rank + 1 : MPI_PROC_NULL, rank > 0 ? rank - 1 : MPI_PROC_NULL);
  // A persistent message of 7 bytes from rank 0 to rank 1, started three times.
  MPI_Request request;
  if (rank < 2) {
    if (rank == 0)
      MPI_Send_init(out.data(), 7, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request);
    else
      MPI_Recv_init(in.data(), 7, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 3; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  }
  // A periodic row of 4 ranks. Each rank sends 1000 bytes to the left and to the right.
  const int length = 4, periodic = 1;
  MPI_Comm row;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &periodic, 0, &row);
  MPI_Neighbor_alltoall(out.data(), 1000, MPI_CHAR, in.data(), 1000, MPI_CHAR, row);
  // Each rank sends 1 byte to each rank.
  MPI_Alltoall(out.data(), 1, MPI_CHAR, in.data(), 1, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Comm_free(&row);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
}
