#pragma once
/// @file
/// Collectives between two groups in several clusters. Each pair of ranks with data for each other exchanges one message. If
/// `out` is given, a function is nonblocking.
#include <bridge/inter_cluster/world.hpp>

namespace osteon::bridge::inter {

int barrier(communicator* c, MPI_Request* out);
int bcast(communicator* c, MPI_Request* out, void* buffer, int n, MPI_Datatype type, int root);
int reduce(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype type, MPI_Op op, int root);
int allreduce(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype type, MPI_Op op);
int reduce_scatter(communicator* c, MPI_Request* out, const void* a, void* b, const int* counts, MPI_Datatype type,
                   MPI_Op op);
int reduce_scatter_block(communicator* c, MPI_Request* out, const void* a, void* b, int n, MPI_Datatype type, MPI_Op op);
int gather(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u,
           int root);
int gatherv(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, const int* m, const int* y,
            MPI_Datatype u, int root);
int scatter(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u,
            int root);
int scatterv(communicator* c, MPI_Request* out, const void* a, const int* n, const int* x, MPI_Datatype t, void* b, int m,
             MPI_Datatype u, int root);
int allgather(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u);
int allgatherv(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, const int* m, const int* y,
               MPI_Datatype u);
int alltoall(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u);
int alltoallv(communicator* c, MPI_Request* out, const void* a, const int* n, const int* x, MPI_Datatype t, void* b,
              const int* m, const int* y, MPI_Datatype u);
int alltoallw(communicator* c, MPI_Request* out, const void* a, const int* n, const int* x, const MPI_Datatype* t, void* b,
              const int* m, const int* y, const MPI_Datatype* u);

}  // namespace osteon::bridge::inter
