#pragma once
#if defined(__AVX512F__)
#define LEVEL 4
#elif defined(__AVX2__)
#define LEVEL 3
#else
#define LEVEL 2
#endif

// A function that many object files contain and that the compiler does not inline.
[[gnu::noinline]] inline int level_of_inline() { return LEVEL; }
