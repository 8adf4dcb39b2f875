/* Statistics by the names of torch.cuda.memory_stats(). */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "recorder/api/error.h"

enum {
	FIELDS = 4,
	ARRAYS = GS_STAT_ARRAYS * GS_STAT_CLASSES * FIELDS,
	OVERSIZE = 2 * FIELDS,
	SCALARS = 7,
	ALL = ARRAYS + OVERSIZE + SCALARS
};

static const char *const classes[] = {"all", "small_pool", "large_pool"};
static const char *const fields[] = {"current", "peak", "allocated", "freed"};
static const char *const oversize[] = {"oversize_allocations", "oversize_segments"};
static const char *const scalars[] = {"num_alloc_retries", "num_ooms", "num_sync_all_streams",
	"num_device_alloc", "num_device_free", "num_oom_rejections", "max_split_size"};

static char names[ALL][48];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_names(void)
{
	for (int i = 0; i < ALL; i++) {
		int k = i - ARRAYS;
		if (k < 0)
			snprintf(names[i], sizeof names[i], "%s.%s.%s",
				gs_pool_array_name((gs_pool_array)(i / FIELDS / GS_STAT_CLASSES)),
				classes[i / FIELDS % GS_STAT_CLASSES], fields[i % FIELDS]);
		else if (k < OVERSIZE)
			snprintf(names[i], sizeof names[i], "%s.%s", oversize[k / FIELDS], fields[k % FIELDS]);
		else
			snprintf(names[i], sizeof names[i], "%s", scalars[k - OVERSIZE]);
	}
}

static int64_t field_of(const gs_pool_stat *s, int field)
{
	const int64_t values[] = {s->current, s->peak, s->allocated, s->freed};
	return values[field];
}

static int64_t value_of(const gs_pool_stats *s, int i)
{
	int k = i - ARRAYS;
	if (k < 0)
		return field_of(
			&s->array[i / FIELDS / GS_STAT_CLASSES][i / FIELDS % GS_STAT_CLASSES], i % FIELDS);
	if (k < OVERSIZE)
		return field_of(k < FIELDS ? &s->oversize_allocations : &s->oversize_segments, k % FIELDS);
	const int64_t values[] = {s->num_alloc_retries, s->num_ooms, s->num_sync_all_streams,
		s->num_device_alloc, s->num_device_free, s->num_oom_rejections, s->max_split_size};
	return values[k - OVERSIZE];
}

const char *gpusnap_stat_name(int i)
{
	pthread_once(&once, make_names);
	return i >= 0 && i < ALL ? names[i] : NULL;
}

gs_status gs_api_stat_value(const gs_pool_stats *stats, const char *name, int64_t *value)
{
	pthread_once(&once, make_names);
	for (int i = 0; i < ALL; i++)
		if (!strcmp(names[i], name)) {
			*value = value_of(stats, i);
			return GS_OK;
		}
	return GS_NOT_FOUND;
}
