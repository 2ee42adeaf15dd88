! The module mpi_f08: handles and statuses of their own types, omitted error arguments. Oracle: hand.
program modern
  use mpi_f08
  implicit none
  type(MPI_Comm) :: half
  type(MPI_Datatype) :: row
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  integer :: rank, ranks, next, last, got, error
  double precision :: matrix(3, 4), line(4)
  logical :: flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)

  matrix = 0
  matrix(2, :) = rank + 1
  call MPI_Type_vector(4, 1, 3, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  call MPI_Irecv(line, 4, MPI_DOUBLE_PRECISION, last, 3, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(matrix(2, 1), 1, row, next, 3, MPI_COMM_WORLD, requests(2), error)
  if (error /= MPI_SUCCESS) call fail(1)
  call MPI_Waitall(2, requests, statuses)
  if (any(line /= last + 1) .or. statuses(1)%MPI_SOURCE /= last .or. statuses(1)%MPI_TAG /= 3) call fail(2)
  if (requests(1) /= MPI_REQUEST_NULL .or. any(requests /= MPI_REQUEST_NULL)) call fail(3)
  call MPI_Get_count(statuses(1), MPI_DOUBLE_PRECISION, got)
  if (got /= 4) call fail(4)

  call MPI_Isend(rank, 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD, requests(1))
  call MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, status)
  call MPI_Recv(got, 1, MPI_INTEGER, status%MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE)
  if (got /= last) call fail(5)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  call MPI_Comm_size(half, got)
  if (got /= (ranks + 1 - mod(rank, 2)) / 2 .or. half == MPI_COMM_NULL) call fail(6)
  got = 1
  call MPI_Allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (got /= ranks) call fail(7)
  call MPI_Comm_free(half)
  call MPI_Type_free(row)
  call MPI_Initialized(flag)
  if (.not. flag .or. .not. half == MPI_COMM_NULL) call fail(8)
  call MPI_Finalize()
  if (rank == 0) print '(a, i0, a)', 'f08: ok, ', ranks, ' ranks'
contains
  subroutine fail(where)
    integer, intent(in) :: where
    write (0, '(a, i0, a, i0)') 'rank ', rank, ' fails at ', where
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
