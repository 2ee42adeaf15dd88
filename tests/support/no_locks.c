/* A file system without locks, for LD_PRELOAD: each lock fails with NO_LOCKS_ERRNO (ENOLCK, ENOSYS, EOPNOTSUPP, 524). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static int refuse(void) {
  const char* number = getenv("NO_LOCKS_ERRNO");
  errno = number ? atoi(number) : ENOLCK;
  return -1;
}

int flock(int file, int operation) {
  (void)file, (void)operation;
  return refuse();
}

int lockf(int file, int command, off_t length) {
  (void)file, (void)command, (void)length;
  return refuse();
}

static int control(const char* name, int file, int command, void* argument) {
  switch (command) {
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
      return refuse();
    default:
      return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, name))(file, command, argument);
  }
}

int fcntl(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return control("fcntl", file, command, argument);
}

int fcntl64(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return control("fcntl64", file, command, argument);
}
