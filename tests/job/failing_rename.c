/* A file system without renaming, for LD_PRELOAD: the FAILING_STEP-th rename or removal of a path that contains FAILING_NAME
   fails with FAILING_ERRNO; with FAILING_ALWAYS each later one also fails. NO_LINKS=1 also disables hard links. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int steps;

static int fails(const char* path) {
  const char *name = getenv("FAILING_NAME"), *step = getenv("FAILING_STEP");
  if (!name || !step || !strstr(path, name)) return 0;
  const int now = atomic_fetch_add(&steps, 1) + 1, wanted = atoi(step);
  if (now < wanted || (now > wanted && !getenv("FAILING_ALWAYS"))) return 0;
  errno = atoi(getenv("FAILING_ERRNO"));
  return 1;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

int rename(const char* from, const char* to) {
  return fails(from) ? -1 : REAL(int, "rename", const char*, const char*)(from, to);
}
int remove(const char* path) { return fails(path) ? -1 : REAL(int, "remove", const char*)(path); }
int unlink(const char* path) { return fails(path) ? -1 : REAL(int, "unlink", const char*)(path); }
int link(const char* from, const char* to) {
  if (!getenv("NO_LINKS")) return REAL(int, "link", const char*, const char*)(from, to);
  errno = EPERM;
  return -1;
}
