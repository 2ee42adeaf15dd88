/* Half a ping-pong of 8 bytes over plain TCP by polling, in microseconds: the time of the link alone, for comparison with
 * remote.c over the bridge. plain serve ADDRESS PORT REPEATS, and at the other end of the link plain call ADDRESS PORT
 * REPEATS */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void take(int fd, char* word) {
  for (size_t n = 0; n < 8;) {
    const ssize_t k = recv(fd, word + n, 8 - n, MSG_DONTWAIT);
    if (k == 0) exit(1);
    if (k > 0) n += (size_t)k;
  }
}

int main(int argc, char** argv) {
  if (argc != 5) return fprintf(stderr, "usage: plain serve|call ADDRESS PORT REPEATS\n"), 2;
  const int one = 1, serve = strcmp(argv[1], "serve") == 0, repeats = atoi(argv[4]);
  struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[3]))};
  if (repeats < 1 || inet_pton(AF_INET, argv[2], &where.sin_addr) != 1) return fprintf(stderr, "plain: bad argument\n"), 2;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (serve) {
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (struct sockaddr*)&where, sizeof where) != 0 || listen(fd, 1) != 0) return perror("plain: bind"), 1;
    fd = accept(fd, NULL, NULL);
  } else {
    int tries = 0;
    while (connect(fd, (struct sockaddr*)&where, sizeof where) != 0) {
      if (++tries == 50) return perror("plain: connect"), 1;
      close(fd);
      usleep(100000);
      fd = socket(AF_INET, SOCK_STREAM, 0);
    }
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  char word[8] = "";
  double* t = calloc((size_t)repeats, sizeof *t);
  for (int k = 0; k < repeats; ++k) {
    const double begin = now();
    if (serve) take(fd, word);
    if (send(fd, word, 8, MSG_NOSIGNAL) != 8) return 1;
    if (!serve) take(fd, word);
    t[k] = (now() - begin) / 2;
  }
  qsort(t, (size_t)repeats, sizeof *t, compare);
  if (!serve) printf("half a ping-pong of 8 bytes, plain TCP: %.1f us\n", t[repeats / 2]);
  return 0;
}
