! A program whose messages are known, for the test of the trace: as many ranks as are started, two at least.
program messages
  use mpi
  implicit none
  integer :: rank, ranks, next, before, e, request
  integer :: counts(64), places(64)
  integer, parameter :: row_length = 1
  integer :: lengths(row_length), row
  logical :: periodic(row_length)
  double precision :: sent(4096), received(4096)

  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, e)
  sent = rank
  ! Upwards: 10 doubles from each rank but the last.
  next = rank + 1
  if (next == ranks) next = MPI_PROC_NULL
  before = rank - 1
  if (rank == 0) before = MPI_PROC_NULL
  call MPI_Sendrecv(sent, 10, MPI_DOUBLE_PRECISION, next, 0, received, 10, MPI_DOUBLE_PRECISION, before, 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  ! From 0 to 1: 3 integers, then 5 doubles without waiting, then 7 characters twice by a persistent request.
  if (rank == 0) then
    call MPI_Send(counts, 3, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, e)
    call MPI_Isend(sent, 5, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD, request, e)
    call MPI_Wait(request, MPI_STATUS_IGNORE, e)
    call MPI_Send_init(sent, 7, MPI_CHARACTER, 1, 3, MPI_COMM_WORLD, request, e)
    call MPI_Start(request, e)
    call MPI_Wait(request, MPI_STATUS_IGNORE, e)
    call MPI_Start(request, e)
    call MPI_Wait(request, MPI_STATUS_IGNORE, e)
    call MPI_Request_free(request, e)
  else if (rank == 1) then
    call MPI_Recv(counts, 3, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call MPI_Recv(received, 5, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call MPI_Recv(received, 7, MPI_CHARACTER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call MPI_Recv(received, 7, MPI_CHARACTER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  end if
  ! In place: 2 doubles from each to each; and r + 1 of them from each to rank r.
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, received, 2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, e)
  counts = rank + 1
  do next = 1, ranks
    places(next) = (next - 1) * 64
  end do
  call exchange_by_rank()
  ! A periodic row: 100 doubles to both sides.
  lengths(1) = ranks
  periodic(1) = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, lengths, periodic, .false., row, e)
  call MPI_Neighbor_alltoall(sent, 100, MPI_DOUBLE_PRECISION, received, 100, MPI_DOUBLE_PRECISION, row, e)
  call MPI_Finalize(e)
contains
  subroutine exchange_by_rank()
    integer :: to_each(64), i
    do i = 1, ranks
      to_each(i) = i
    end do
    call MPI_Alltoallv(sent, to_each, places, MPI_DOUBLE_PRECISION, received, counts, places, MPI_DOUBLE_PRECISION, &
                       MPI_COMM_WORLD, e)
  end subroutine
end program
