! The module mpi: buffers of any type and rank, logical flags, kinds, constants known by their address. Oracle: hand.
program module_of_mpi
  use mpi
  implicit none
  integer :: rank, ranks, error, provided, request, status(MPI_STATUS_SIZE), other, got, length, ring
  integer(kind=MPI_ADDRESS_KIND) :: limit
  double precision :: matrix(2, 3), total(2, 3)
  complex :: number
  character(len=MPI_MAX_PROCESSOR_NAME) :: host
  logical :: flag, periods(1), back(1)
  integer :: dims(1), coords(1)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Initialized(flag, error)
  if (.not. flag .or. provided < MPI_THREAD_SINGLE) call fail(1)
  call MPI_Get_processor_name(host, length, error)
  if (length < 1 .or. host(length + 1:) /= ' ') call fail(2)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, limit, flag, error)
  if (.not. flag .or. limit < 32767) call fail(3)

  ! a scalar, a matrix, a row with gaps in place
  other = mod(rank + 1, ranks)
  number = cmplx(rank, -1)
  call MPI_Isend(number, 1, MPI_COMPLEX, other, 5, MPI_COMM_WORLD, request, error)
  call MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status, error)
  call MPI_Get_count(status, MPI_COMPLEX, got, error)
  if (got /= 1 .or. status(MPI_SOURCE) /= mod(rank + ranks - 1, ranks)) call fail(4)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Recv(number, 1, MPI_COMPLEX, status(MPI_SOURCE), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  if (real(number) /= status(MPI_SOURCE)) call fail(5)
  matrix = rank + 1
  call MPI_Allreduce(matrix, total, 6, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, matrix, 6, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (any(total /= ranks * (ranks + 1) / 2) .or. any(matrix /= total)) call fail(6)

  ! logical arrays
  dims = ranks
  periods = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring, error)
  call MPI_Cart_get(ring, 1, dims, back, coords, error)
  if (.not. back(1) .or. coords(1) /= rank) call fail(7)
  call MPI_Comm_free(ring, error)
  if (ring /= MPI_COMM_NULL .or. MPI_Wtick() <= 0) call fail(8)
  call MPI_Finalize(error)
  if (rank == 0) print '(a, i0, a)', 'module: ok, ', ranks, ' ranks'
contains
  subroutine fail(where)
    integer, intent(in) :: where
    write (0, '(a, i0, a, i0)') 'rank ', rank, ' fails at ', where
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine
end program
