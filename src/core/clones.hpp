// How functions are compiled for several instruction sets, one of them chosen at run time. Without
// fused operations all of them compute the same numbers.
#pragma once

#include <cstddef>  // defines __GLIBC__: other libraries of C cannot choose at run time

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(WEIGH_SANITIZE)
#include <immintrin.h>
#define WEIGH_CLONES __attribute__((target_clones("avx2", "default")))
// For functions written once for all processors, and once more with the instructions of AVX2.
#define WEIGH_DEFAULT __attribute__((target("default")))
#define WEIGH_AVX2 __attribute__((target("avx2,popcnt")))
#else
#define WEIGH_CLONES
#define WEIGH_DEFAULT
#endif
#if defined(__GNUC__)
#define WEIGH_INLINE inline __attribute__((always_inline))
#else
#define WEIGH_INLINE inline
#endif
#define WEIGH_RESTRICT __restrict
