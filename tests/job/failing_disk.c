/* A disk that fails, for LD_PRELOAD: after FAILING_AFTER bytes, writes and syncs to files whose path contains FAILING_PATH
   fail with EIO. With FAILING_WRITE=n, only the n-th positioned write fails instead (ENOSPC). Before the first write to a
   file whose path contains PAUSING_PATH, the process stops (SIGSTOP) until a test continues it; with PAUSING_ALWAYS, before
   each write. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_llong written, positioned;
static atomic_flag has_paused = ATOMIC_FLAG_INIT;

static int fails(int file, long long bytes, int is_positioned) {
  const char *path = getenv("FAILING_PATH"), *pausing = getenv("PAUSING_PATH");
  char link[64] = "/proc/self/fd/", name[4096];
  if (!path && !pausing) return 0;
  char digits[16];
  int n = 0, rest = file;
  do digits[n++] = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  for (int i = 0; i < n; ++i) link[14 + i] = digits[n - 1 - i];
  link[14 + n] = 0;
  const ssize_t length = readlink(link, name, sizeof name - 1);
  if (length <= 0) return 0;
  name[length] = 0;
  if (pausing && strstr(name, pausing) && (getenv("PAUSING_ALWAYS") || !atomic_flag_test_and_set(&has_paused)))
    raise(SIGSTOP);
  if (!path || !strstr(name, path)) return 0;
  const char* which = getenv("FAILING_WRITE");
  if (which) {
    if (!is_positioned || atomic_fetch_add(&positioned, 1) + 1 != atoll(which)) return 0;
    errno = ENOSPC;
    return 1;
  }
  const char* after = getenv("FAILING_AFTER");
  if (atomic_fetch_add(&written, bytes) + bytes <= (after ? atoll(after) : 0)) return 0;
  errno = EIO;
  return 1;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

ssize_t write(int f, const void* b, size_t n) {
  return fails(f, (long long)n, 0) ? -1 : REAL(ssize_t, "write", int, const void*, size_t)(f, b, n);
}
ssize_t pwrite(int f, const void* b, size_t n, off_t at) {
  return fails(f, (long long)n, 1) ? -1 : REAL(ssize_t, "pwrite", int, const void*, size_t, off_t)(f, b, n, at);
}
ssize_t pwrite64(int f, const void* b, size_t n, off_t at) {
  return fails(f, (long long)n, 1) ? -1 : REAL(ssize_t, "pwrite64", int, const void*, size_t, off_t)(f, b, n, at);
}
ssize_t writev(int f, const struct iovec* v, int n) {
  return fails(f, 1, 0) ? -1 : REAL(ssize_t, "writev", int, const struct iovec*, int)(f, v, n);
}
ssize_t pwritev(int f, const struct iovec* v, int n, off_t at) {
  return fails(f, 1, 1) ? -1 : REAL(ssize_t, "pwritev", int, const struct iovec*, int, off_t)(f, v, n, at);
}
int fsync(int f) { return fails(f, 0, 0) ? -1 : REAL(int, "fsync", int)(f); }
