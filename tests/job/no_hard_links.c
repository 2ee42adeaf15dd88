/* A file system without hard links, for LD_PRELOAD. */
#include <errno.h>

int link(const char* from, const char* to) {
  (void)from, (void)to;
  errno = EPERM;
  return -1;
}

int linkat(int a, const char* from, int b, const char* to, int flags) {
  (void)a, (void)b, (void)flags;
  return link(from, to);
}
