/* Functions of MPI 4.0 to 5.0 over MPIs without these functions: sessions, partitioned messages, buffers of communicators,
 * lists of requests, infos, removal of error codes, large types. Oracle: the standard's text, values computed from
 * the ranks. */
#include <limits.h>

#include "check.h"

static int rank, size;

static int class_of(int code) {
  int class = -1;
  OK(MPI_Error_class(code, &class));
  return class;
}

static int handled;
static void count_errors(MPI_Session* session, int* code, ...) {
  (void)session;
  handled = *code;
}

static void sessions(void) {
  MPI_Session session;
  MPI_Errhandler handler, got;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Info info;
  int n = 0, length = 0, flag = 0, me = -1;
  char name[64] = "", value[32] = "";
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
  CHECK(n >= 2);
  OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
  CHECK(length > 1 && length < 64 && name[0] == '\0');
  OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
  CHECK((int)strlen(name) == length - 1);
  OK(MPI_Session_get_pset_info(session, "mpi://WORLD", &info));
  length = sizeof value;
  OK(MPI_Info_get_string(info, "mpi_size", &length, value, &flag));
  CHECK(flag && atoi(value) == size && length == (int)strlen(value) + 1);
  OK(MPI_Info_free(&info));
  OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
  OK(MPI_Comm_create_from_group(group, "osteon.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  OK(MPI_Group_free(&group));
  OK(MPI_Comm_rank(comm, &me));
  int sum = 0;
  OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(me == rank && sum == size * (size - 1) / 2);
  CHECK(class_of(MPI_Send(&me, 1, MPI_INT, size, 0, comm)) == MPI_ERR_RANK);
  OK(MPI_Comm_free(&comm));
  OK(MPI_Session_create_errhandler(count_errors, &handler));
  OK(MPI_Session_set_errhandler(session, handler));
  OK(MPI_Session_get_errhandler(session, &got));
  CHECK(got == handler);
  OK(MPI_Errhandler_free(&got));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
  CHECK(handled == MPI_ERR_OTHER);
  OK(MPI_Session_finalize(&session));
  CHECK(session == MPI_SESSION_NULL);
}

/* Each rank sends partitions to the next rank. The partitions become ready in a permuted order. */
static void partitioned(void) {
  enum { parts = 3, each = 100 };
  int out[parts * each] = {0}, in[parts * each], flag = 1;
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Request r[2];
  MPI_Status status;
  OK(MPI_Psend_init(out, parts, each, MPI_INT, to, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
  OK(MPI_Precv_init(in, parts, each, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
  for (int round = 0; round < 3; ++round) {
    memset(in, -1, sizeof in);
    OK(MPI_Startall(2, r));
    OK(MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    for (int p = parts - 1; p > 0; --p) {
      for (int i = 0; i < each; ++i) out[p * each + i] = 1000 * rank + 10 * round + p;
      OK(MPI_Pready(p, r[0]));
    }
    OK(MPI_Parrived(r[1], 0, &flag));
    CHECK(!flag || rank != from);
    /* an ordinary message with an equal tag is independent */
    int token = -1;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, to, 5, &token, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(token == from);
    for (int i = 0; i < each; ++i) out[i] = 1000 * rank + 10 * round;
    OK(MPI_Pready_range(0, 0, r[0]));
    while (!flag) OK(MPI_Parrived(r[1], 2, &flag));
    OK(MPI_Wait(&r[1], &status));
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    for (int p = 0; p < parts; ++p)
      for (int i = 0; i < each; ++i) CHECK(in[p * each + i] == 1000 * from + 10 * round + p);
  }
  OK(MPI_Request_free(&r[0]));
  OK(MPI_Request_free(&r[1]));
}

static void buffers(void) {
  MPI_Comm comm;
  MPI_Request r;
  static char room[1 << 16];
  double big[1000], got[1000];
  void* back = NULL;
  int length = 0;
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Comm_attach_buffer(comm, room, sizeof room));
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 1000; ++i) big[i] = rank + k;
    if (k == 1)
      OK(MPI_Ibsend(big, 1000, MPI_DOUBLE, to, 3, comm, &r));
    else
      OK(MPI_Bsend(big, 1000, MPI_DOUBLE, to, 3, comm));
    if (k == 1) OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    for (int i = 0; i < 1000; ++i) big[i] = -1; /* the buffer may be reused */
  }
  OK(MPI_Comm_iflush_buffer(comm, &r));
  for (int k = 0; k < 3; ++k) {
    OK(MPI_Recv(got, 1000, MPI_DOUBLE, from, 3, comm, MPI_STATUS_IGNORE));
    CHECK(got[0] == from + k && got[999] == from + k);
  }
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  OK(MPI_Comm_flush_buffer(comm));
  OK(MPI_Comm_detach_buffer(comm, &back, &length));
  CHECK(back == room && length == (int)sizeof room);
  OK(MPI_Comm_free(&comm));
  OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
  OK(MPI_Bsend(big, 1000, MPI_DOUBLE, to, 4, MPI_COMM_WORLD));
  OK(MPI_Recv(got, 1000, MPI_DOUBLE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  OK(MPI_Buffer_flush());
  OK(MPI_Buffer_detach(&back, &length));
  CHECK(back == MPI_BUFFER_AUTOMATIC && got[5] == -1);
  OK(MPI_Buffer_attach(room, sizeof room));
  OK(MPI_Buffer_flush());
  OK(MPI_Buffer_detach(&back, &length));
  CHECK(back == room && length == (int)sizeof room);
}

static void asked_in_lists(void) {
  MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status[3];
  int flag = 0, index = 0, count = 0, places[3], got = -1;
  OK(MPI_Request_get_status_any(3, r, &index, &flag, status));
  CHECK(flag && index == MPI_UNDEFINED);
  OK(MPI_Request_get_status_some(3, r, &count, places, status));
  CHECK(count == MPI_UNDEFINED);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  OK(MPI_Irecv(&got, 1, MPI_INT, from, 6, MPI_COMM_WORLD, &r[1]));
  OK(MPI_Request_get_status_any(3, r, &index, &flag, status));
  CHECK(!flag);
  OK(MPI_Request_get_status_all(3, r, &flag, status));
  CHECK(!flag);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Send(&rank, 1, MPI_INT, to, 6, MPI_COMM_WORLD));
  do OK(MPI_Request_get_status_all(3, r, &flag, status));
  while (!flag);
  CHECK(status[1].MPI_SOURCE == from && r[1] != MPI_REQUEST_NULL);
  OK(MPI_Request_get_status_any(3, r, &index, &flag, status));
  CHECK(flag && index == 1 && status[0].MPI_TAG == 6);
  OK(MPI_Request_get_status_some(3, r, &count, places, status));
  CHECK(count == 1 && places[0] == 1 && status[0].MPI_SOURCE == from);
  OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
  CHECK(got == from);
}

static void infos(void) {
  MPI_Info info;
  int flag = 0, length = 3;
  char value[32] = "", program[] = "program", argument[] = "argument", *arguments[] = {program, argument, NULL};
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "key", "a value"));
  OK(MPI_Info_get_string(info, "key", &length, value, &flag));
  CHECK(flag && length == 8 && strcmp(value, "a ") == 0);
  length = 0;
  OK(MPI_Info_get_string(info, "key", &length, value, &flag));
  CHECK(flag && length == 8);
  OK(MPI_Info_get_string(info, "none", &length, value, &flag));
  CHECK(!flag);
  OK(MPI_Info_free(&info));
  OK(MPI_Info_create_env(2, arguments, &info));
  OK(MPI_Info_free(&info));
  OK(MPI_Get_hw_resource_info(&info));
  OK(MPI_Info_free(&info));
  OK(MPI_Abi_get_info(&info));
  length = sizeof value;
  OK(MPI_Info_get_string(info, "mpi_count_size", &length, value, &flag));
  CHECK(flag && atoi(value) == (int)sizeof(MPI_Count));
  OK(MPI_Info_free(&info));
}

static void errors(void) {
  int class, code, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  OK(MPI_Add_error_class(&class));
  OK(MPI_Add_error_code(class, &code));
  OK(MPI_Add_error_string(code, "mine"));
  CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS); /* the class has a code */
  CHECK(MPI_Remove_error_code(code) != MPI_SUCCESS);   /* the code has a text */
  OK(MPI_Remove_error_string(code));
  OK(MPI_Error_string(code, text, &length));
  CHECK(length == 0);
  OK(MPI_Remove_error_code(code));
  CHECK(MPI_Remove_error_code(code) != MPI_SUCCESS);
  OK(MPI_Remove_error_class(class));
  CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS && MPI_Remove_error_class(MPI_ERR_ARG) != MPI_SUCCESS);
}

static void large_types(void) {
  MPI_Datatype type;
  MPI_Count bytes = 0, lower = -1, extent = 0;
  const MPI_Count n = (MPI_Count)INT_MAX + 5;
  OK(MPI_Type_contiguous_c(n, MPI_SHORT, &type));
  OK(MPI_Type_size_c(type, &bytes));
  OK(MPI_Type_get_extent_c(type, &lower, &extent));
  CHECK(bytes == 2 * n && lower == 0 && extent == 2 * n);
  OK(MPI_Type_free(&type));
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check_rank = rank;
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  sessions();
  partitioned();
  buffers();
  asked_in_lists();
  infos();
  errors();
  large_types();
  OK(MPI_Finalize());
  if (rank == 0) printf("newer: ok, %d ranks\n", size);
  return 0;
}
