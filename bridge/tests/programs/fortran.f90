! The calls that Fortran programs use most. Oracle: values computed from the ranks.
program fortran
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, size, next, last, i, n, half, me, length, key_found, position
  integer :: requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), column
  double precision :: out(10), in(10), total, matrix(4, 4), row(4)
  integer(kind=MPI_ADDRESS_KIND) :: limit
  logical :: flag
  character(len=MPI_MAX_PROCESSOR_NAME) :: name

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  next = mod(rank + 1, size)
  last = mod(rank + size - 1, size)

  out = (/(100d0 * rank + i, i = 1, 10)/)
  call MPI_IRECV(in, 10, MPI_DOUBLE_PRECISION, last, 7, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_ISEND(out, 10, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_WAITALL(2, requests, statuses, ierror)
  call check(statuses(MPI_SOURCE, 1) == last .and. statuses(MPI_TAG, 1) == 7, 1)
  call check(in(10) == 100d0 * last + 10 .and. requests(1) == MPI_REQUEST_NULL, 2)

  call MPI_IRECV(in, 10, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_SEND(out, 4, MPI_DOUBLE_PRECISION, next, 8, MPI_COMM_WORLD, ierror)
  requests(2) = MPI_REQUEST_NULL
  call MPI_WAITANY(2, requests, position, status, ierror)
  call MPI_GET_COUNT(status, MPI_DOUBLE_PRECISION, n, ierror)
  call check(position == 1 .and. n == 4 .and. status(MPI_SOURCE) == last, 3)

  total = rank
  call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check(total == size * (size - 1) / 2, 4)

  do i = 1, 4
    matrix(:, i) = 10 * rank + i
  end do
  call MPI_TYPE_VECTOR(4, 1, 4, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_TYPE_COMMIT(column, ierror)
  call MPI_SENDRECV(matrix(2, 1), 1, column, next, 9, row, 4, MPI_DOUBLE_PRECISION, last, 9, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call check(all(row == (/(10d0 * last + i, i = 1, 4)/)), 5)
  call MPI_TYPE_FREE(column, ierror)
  call check(column == MPI_DATATYPE_NULL, 6)

  call MPI_COMM_SPLIT(MPI_COMM_WORLD, 0, -rank, half, ierror)
  call MPI_COMM_RANK(half, me, ierror)
  call check(me == size - 1 - rank, 7)
  call MPI_COMM_FREE(half, ierror)
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, limit, flag, ierror)
  call check(flag .and. limit >= 32767, 8)
  call MPI_GET_PROCESSOR_NAME(name, length, ierror)
  call check(length > 0 .and. len_trim(name) == length .and. MPI_WTIME() >= 0d0, 9)

  ! Many requests: their integers must be used again.
  do i = 1, 20000
    call MPI_ISEND(rank, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(1), ierror)
    key_found = requests(1)
    call MPI_WAIT(requests(1), MPI_STATUS_IGNORE, ierror)
  end do
  call check(key_found < 10000, 10)
  call MPI_FINALIZE(ierror)
  if (rank == 0) print '(a,i0,a)', 'fortran: ok, ', size, ' ranks'

contains
  subroutine check(condition, number)
    logical, intent(in) :: condition
    integer, intent(in) :: number
    if (condition) return
    print '(a,i0,a,i0,a)', 'fortran: check ', number, ' fails on rank ', rank, ''
    call MPI_ABORT(MPI_COMM_WORLD, 1, ierror)
  end subroutine
end program
