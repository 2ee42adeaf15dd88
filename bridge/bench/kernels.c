/* Kernels of figures 10 to 13 of [Okazaki], small enough for one machine. kernels alltoall | npb [SECONDS]
 *
 * alltoall: MPI_Alltoall, the sum of bytes sent by all ranks over time, best of repeats.
 * npb: kernels with the communication of four NAS benchmarks and equal work for each rank: EP, random
 * pairs and one sum at the end; IS, keys counted and exchanged by Alltoall and Alltoallv; CG, products with a band
 * matrix, an exchange with the neighbours and two sums a turn; FT, Alltoall of the whole array and work on lines. Each is
 * repeated for a time; the seconds of the best repeat, which is least affected by other load, and a checksum that
 * must not depend on the transport are printed. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static double next_random(unsigned long long* state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* Work is divided among ranks. The result does not depend on the number of ranks, because each block has its own random
 * numbers. */
enum { ep_blocks = 240, ep_pairs = 1500 };
static double ep(void) {
  double sum = 0, all = 0;
  for (int b = rank; b < ep_blocks; b += ranks) {
    unsigned long long state = (unsigned long long)b + 1;
    double of_block = 0;
    for (int i = 0; i < ep_pairs; ++i) {
      const double x = 2 * next_random(&state) - 1, y = 2 * next_random(&state) - 1, t = x * x + y * y;
      if (t <= 1 && t > 0) of_block += floor(fmax(fabs(x), fabs(y)) * sqrt(-2 * log(t) / t));
    }
    sum += of_block;
  }
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

enum { is_keys = 1 << 17, is_range = 1 << 12 };
static double is(void) {
  const int begin = (int)((long long)is_keys * rank / ranks), end = (int)((long long)is_keys * (rank + 1) / ranks);
  int* keys = malloc(sizeof(int) * (size_t)(end - begin + 1));
  int* sorted = malloc(sizeof(int) * (size_t)(end - begin + 1));
  int *to = calloc((size_t)ranks, sizeof(int)), *from = calloc((size_t)ranks, sizeof(int)),
      *to_at = calloc((size_t)ranks + 1, sizeof(int)), *from_at = calloc((size_t)ranks + 1, sizeof(int)),
      *next = calloc((size_t)ranks, sizeof(int));
  for (int i = begin; i < end; ++i) {
    unsigned long long state = (unsigned long long)i + 1;
    double mean = 0;
    for (int k = 0; k < 4; ++k) mean += next_random(&state) / 4;
    keys[i - begin] = (int)(mean * is_range);
    ++to[(int)((long long)keys[i - begin] * ranks / is_range)];
  }
  MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) {
    to_at[r + 1] = to_at[r] + to[r];
    from_at[r + 1] = from_at[r] + from[r];
    next[r] = to_at[r];
  }
  for (int i = 0; i < end - begin; ++i) sorted[next[(int)((long long)keys[i] * ranks / is_range)]++] = keys[i];
  int* mine = malloc(sizeof(int) * (size_t)(from_at[ranks] + 1));
  MPI_Alltoallv(sorted, to, to_at, MPI_INT, mine, from, from_at, MPI_INT, MPI_COMM_WORLD);
  /* Rank of each key: number of smaller keys on lower ranks and on this rank. The checksum weighs each key by its rank. */
  long long before = 0, count = from_at[ranks];
  MPI_Exscan(&count, &before, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) before = 0;
  long long* below = calloc(is_range + 1, sizeof(long long));
  for (long long i = 0; i < count; ++i) ++below[mine[i] + 1];
  for (int k = 0; k < is_range; ++k) below[k + 1] += below[k];
  long long sum = 0, all = 0;
  for (long long i = 0; i < count; ++i) sum += (before + below[mine[i]]) % 1009 * (mine[i] % 31 + 1);
  MPI_Allreduce(&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  free(keys), free(sorted), free(to), free(from), free(to_at), free(from_at), free(next), free(mine), free(below);
  return (double)all;
}

enum { cg_rows = 24000, cg_turns = 40 };
static double cg(void) {
  const int begin = (int)((long long)cg_rows * rank / ranks), end = (int)((long long)cg_rows * (rank + 1) / ranks);
  const int n = end - begin, left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double *x = calloc((size_t)n + 2, 8), *r = calloc((size_t)n + 2, 8), *p = calloc((size_t)n + 2, 8),
         *q = calloc((size_t)n + 2, 8);
  double rr = 0, all = 0;
  for (int i = 1; i <= n; ++i) r[i] = p[i] = 1 + (begin + i) % 7, rr += r[i] * r[i];
  MPI_Allreduce(&rr, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  rr = all;
  for (int turn = 0; turn < cg_turns; ++turn) {
    p[0] = p[n + 1] = 0;
    MPI_Sendrecv(&p[1], 1, MPI_DOUBLE, left, 1, &p[n + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&p[n], 1, MPI_DOUBLE, right, 2, &p[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double pq = 0, now = 0;
    for (int i = 1; i <= n; ++i) q[i] = 2.5 * p[i] - p[i - 1] - p[i + 1], pq += p[i] * q[i];
    MPI_Allreduce(&pq, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double alpha = rr / all;
    for (int i = 1; i <= n; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i], now += r[i] * r[i];
    MPI_Allreduce(&now, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 1; i <= n; ++i) p[i] = r[i] + all / rr * p[i];
    rr = all;
  }
  double sum = 0;
  for (int i = 1; i <= n; ++i) sum += x[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(x), free(r), free(p), free(q);
  return all;
}

enum { ft_values = 1 << 18 };
static double ft(void) {
  /* size of a message to each rank; the total work is equal for every number of ranks */
  const int each = ft_values / ranks / ranks;
  double *a = malloc(sizeof(double) * (size_t)(each * ranks)), *b = malloc(sizeof(double) * (size_t)(each * ranks));
  for (int i = 0; i < each * ranks; ++i) a[i] = 1 + i % 5;
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 1; i < each * ranks; ++i) a[i] = 0.5 * a[i] + 0.25 * sqrt(a[i - 1]);
    MPI_Alltoall(a, each, MPI_DOUBLE, b, each, MPI_DOUBLE, MPI_COMM_WORLD);
    double* other = a;
    a = b, b = other;
  }
  double sum = 0, all = 0;
  for (int i = 0; i < each * ranks; ++i) sum += a[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(a), free(b);
  return all;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void npb(double seconds) {
  const struct {
    const char* name;
    double (*run)(void);
  } kernels[] = {{"EP", ep}, {"IS", is}, {"CG", cg}, {"FT", ft}};
  for (int k = 0; k < 4; ++k) {
    enum { most = 200 };
    double times[most], answer = 0;
    int count = 0, go = 1;
    const double start = MPI_Wtime();
    while (go) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      answer = kernels[k].run();
      times[count++] = MPI_Wtime() - begin;
      go = count < 3 || (count < most && MPI_Wtime() - start < seconds);
      MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    qsort(times, (size_t)count, sizeof(double), ascending);
    if (rank == 0) printf("%s %.6f %.9g\n", kernels[k].name, times[0], answer);
  }
}

static void alltoall(void) {
  enum { largest = 1 << 18 };
  char *from = calloc((size_t)ranks, largest), *to = calloc((size_t)ranks, largest);
  for (int bytes = 256; bytes <= largest; bytes *= 4) {
    const int turns = bytes < 16384 ? 20 : 4;
    double best = 1e9;
    for (int window = 0; window < 8; ++window) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int t = 0; t < turns; ++t) MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
      double each = (MPI_Wtime() - begin) / turns, slowest = 0;
      MPI_Allreduce(&each, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (slowest < best) best = slowest;
    }
    if (rank == 0) printf("%d %.1f\n", bytes, 1e-6 * bytes * ranks * (ranks - 1) / best);
  }
  free(from), free(to);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && strcmp(argv[1], "npb") == 0)
    npb(argc > 2 ? atof(argv[2]) : 1);
  else
    alltoall();
  MPI_Finalize();
  return 0;
}
