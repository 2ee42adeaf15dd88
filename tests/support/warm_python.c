/* Replaces the Python interpreter of a test run: image readers run in a fork of an interpreter that has imported their
 * modules (warm_python.py), in a twentieth of the time of a start. All other calls, and calls that differ from that
 * interpreter in limits, namespaces or settings of Python, execute the interpreter itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static volatile pid_t worker;

static void forward(int number) { kill(worker, number); }

static int is_forwarded(int argc, char** argv) {
  return argc > 4 && strcmp(argv[1], "-P") == 0 && strcmp(argv[2], "-m") == 0 &&
         (strcmp(argv[3], "osteon.images.read_image") == 0 || strcmp(argv[3], "osteon.images.look_at_image") == 0) &&
         !getenv("LD_PRELOAD");
}

static int receive(int from, void* into, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t count = read(from, (char*)into + done, size - done);
    if (count > 0)
      done += (size_t)count;
    else if (count == 0 || errno != EINTR)
      return 0;
  }
  return 1;
}

enum { most_files = 128 };

/* The numbers of the open files that a program started here inherits; -1: too many. */
static int open_files(int* files) {
  int count = 0;
  for (int file = 0; file < 4 * most_files; ++file) {
    const int flags = fcntl(file, F_GETFD);
    if (flags < 0 || flags & FD_CLOEXEC) continue;
    if (count == most_files) return -1;
    files[count++] = file;
  }
  return count;
}

/* Message format: sizes, the numbers of the open files with their descriptors, then the arguments and the environment,
 * each text with its terminating zero. */
static int ask(int to, int argc, char** argv) {
  size_t size = 0, at = 0;
  int files[most_files];
  const int count = open_files(files);
  if (count < 3 || files[2] != 2) return 0;
  const size_t of_files = sizeof(int) * (size_t)count;
  uint32_t head[3] = {0, (uint32_t)(argc - 3), (uint32_t)count};
  for (int i = 3; i < argc; ++i) size += strlen(argv[i]) + 1;
  for (char** e = environ; *e; ++e) size += strlen(*e) + 1;
  char* text = malloc(sizeof head + of_files + size);
  if (!text) return 0;
  head[0] = (uint32_t)(of_files + size);
  memcpy(text, head, sizeof head);
  memcpy(text + sizeof head, files, of_files);
  at = sizeof head + of_files;
  for (int i = 3; i < argc; ++i) at = (size_t)(stpcpy(text + at, argv[i]) - text) + 1;
  for (char** e = environ; *e; ++e) at = (size_t)(stpcpy(text + at, *e) - text) + 1;

  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof files)];
  } control = {0};
  struct iovec first = {text, sizeof head};
  struct msghdr message = {
      .msg_iov = &first, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(of_files)};
  struct cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(of_files);
  memcpy(CMSG_DATA(rights), files, of_files);
  if (sendmsg(to, &message, MSG_NOSIGNAL) != sizeof head) return 0;
  for (size_t done = sizeof head; done < at;) {
    const ssize_t sent = send(to, text + done, at - done, MSG_NOSIGNAL);
    if (sent < 0) return 0;
    done += (size_t)sent;
  }
  free(text);
  return 1;
}

/* Returns if the interpreter cannot or must not run this call; otherwise exits with the status of its fork. */
static void run_warm(const char* path, int argc, char** argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!path || strlen(path) >= sizeof address.sun_path) return;
  strcpy(address.sun_path, path);
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return;
  const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
  const size_t count = sizeof numbers / sizeof *numbers;
  sigset_t held, before;
  sigemptyset(&held);
  for (size_t i = 0; i < count; ++i) sigaddset(&held, numbers[i]);
  sigprocmask(SIG_BLOCK, &held, &before);
  int32_t answer = 0;
  if (connect(connection, (struct sockaddr*)&address, sizeof address) == 0 && ask(connection, argc, argv) &&
      receive(connection, &answer, sizeof answer) && answer > 0) {
    worker = answer;
    struct sigaction action = {.sa_handler = forward};
    for (size_t i = 0; i < count; ++i) {
      struct sigaction usual;
      if (sigaction(numbers[i], NULL, &usual) == 0 && usual.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    int32_t status = 0;
    if (!receive(connection, &status, sizeof status)) {
      fputs("warm_python: the interpreter is gone\n", stderr);
      exit(70);
    }
    if (WIFEXITED(status)) exit(WEXITSTATUS(status));
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    exit(70);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(connection);
}

int main(int argc, char** argv) {
  char* python = getenv("OSTEON_TEST_PYTHON");
  if (!python) {
    fputs("warm_python: OSTEON_TEST_PYTHON does not name the interpreter\n", stderr);
    return 127;
  }
  if (is_forwarded(argc, argv)) run_warm(getenv("OSTEON_TEST_WARM"), argc, argv);
  argv[0] = python;
  execv(python, argv);
  perror(python);
  return 127;
}
