/* Columns of 64 bits as JavaScript counts. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each number of a column becomes a double, in its place; INT64_MIN, which stands for unknown, is
 * NaN. Beyond 2^53 they are rounded. */
void __attribute__((export_name("gpusnap_page_doubles")))
gpusnap_page_doubles(uint64_t *column, size_t n, int is_signed);
void gpusnap_page_doubles(uint64_t *column, size_t n, int is_signed)
{
	for (size_t i = 0; i < n; i++) {
		int64_t whole = (int64_t)column[i];
		double number = !is_signed ? (double)column[i]
			: whole == INT64_MIN   ? __builtin_nan("")
								   : (double)whole;
		memcpy(&column[i], &number, sizeof number);
	}
}
