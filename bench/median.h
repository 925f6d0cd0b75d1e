// SPDX-License-Identifier: Apache-2.0
// The median of times, which are put into order for that.
#pragma once

#include <stdlib.h>

static int compare_times(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median_of(double* times, int count) {
  qsort(times, (size_t)count, sizeof(double), compare_times);
  return times[count / 2];
}
