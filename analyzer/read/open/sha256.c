/* SHA-256, in plain C and with the x86 SHA instructions. */
#include "analyzer/read/open/sha256.h"

#include <string.h>

static const uint32_t k[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
	0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
	0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3,
	0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354,
	0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
	0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
	0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }

static uint32_t load32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* A round. The eight variables stay where they are and change their parts instead: moving them
 * along takes longer than the sums. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                       \
	do {                                                                                       \
		uint32_t t = h + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + \
			w[i];                                                                              \
		d += t;                                                                                \
		h = t + (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));         \
	} while (0)

static void spread_words(uint32_t w[64], const unsigned char *p)
{
	for (int i = 0; i < 16; i++)
		w[i] = load32(p + 4 * i);
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + (ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
			(ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10);
}

static void add_blocks_plain(uint32_t state[8], const unsigned char *p, size_t n)
{
	uint32_t w[64];
	for (; n; n--, p += 64) {
		uint32_t s0 = state[0], s1 = state[1], s2 = state[2], s3 = state[3], s4 = state[4],
				 s5 = state[5], s6 = state[6], s7 = state[7];
		spread_words(w, p);
		for (int i = 0; i < 64; i += 8) {
			ROUND(s0, s1, s2, s3, s4, s5, s6, s7, i);
			ROUND(s7, s0, s1, s2, s3, s4, s5, s6, i + 1);
			ROUND(s6, s7, s0, s1, s2, s3, s4, s5, i + 2);
			ROUND(s5, s6, s7, s0, s1, s2, s3, s4, i + 3);
			ROUND(s4, s5, s6, s7, s0, s1, s2, s3, i + 4);
			ROUND(s3, s4, s5, s6, s7, s0, s1, s2, i + 5);
			ROUND(s2, s3, s4, s5, s6, s7, s0, s1, i + 6);
			ROUND(s1, s2, s3, s4, s5, s6, s7, s0, i + 7);
		}
		state[0] += s0;
		state[1] += s1;
		state[2] += s2;
		state[3] += s3;
		state[4] += s4;
		state[5] += s5;
		state[6] += s6;
		state[7] += s7;
	}
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/* By cpuid itself: __builtin_cpu_supports needs a part of libgcc that other runtimes lack. */
static int has_instructions(void)
{
	unsigned a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1))
		return 0;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1;
}

__attribute__((target("sha,sse4.1,ssse3"))) static void add_blocks_x86(
	uint32_t state[8], const unsigned char *p, size_t n)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
	__m128i t = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);
	__m128i s1 = _mm_shuffle_epi32(
		_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b);
	__m128i s0 = _mm_alignr_epi8(t, s1, 8);
	s1 = _mm_blend_epi16(s1, t, 0xf0);
	for (; n; n--, p += 64) {
		__m128i old0 = s0, old1 = s1, m[4];
		for (int i = 0; i < 4; i++)
			m[i] = _mm_shuffle_epi8(
				_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), swap);
		for (int i = 0; i < 16; i++) {
			__m128i w = _mm_add_epi32(
				m[i & 3], _mm_loadu_si128((const __m128i *)(const void *)(k + 4 * i)));
			s1 = _mm_sha256rnds2_epu32(s1, s0, w);
			s0 = _mm_sha256rnds2_epu32(s0, s1, _mm_shuffle_epi32(w, 0x0e));
			if (i < 12) { /* the word four groups on, in place of the one just used */
				__m128i x = _mm_sha256msg1_epu32(m[i & 3], m[(i + 1) & 3]);
				x = _mm_add_epi32(x, _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4));
				m[i & 3] = _mm_sha256msg2_epu32(x, m[(i + 3) & 3]);
			}
		}
		s0 = _mm_add_epi32(s0, old0);
		s1 = _mm_add_epi32(s1, old1);
	}
	t = _mm_shuffle_epi32(s0, 0x1b);
	s1 = _mm_shuffle_epi32(s1, 0xb1);
	s0 = _mm_blend_epi16(t, s1, 0xf0);
	s1 = _mm_alignr_epi8(s1, t, 8);
	_mm_storeu_si128((__m128i *)(void *)state, s0);
	_mm_storeu_si128((__m128i *)(void *)(state + 4), s1);
}
#endif

static void add_blocks(uint32_t state[8], const unsigned char *p, size_t n)
{
#if defined(__x86_64__)
	if (has_instructions()) {
		add_blocks_x86(state, p, n);
		return;
	}
#endif
	add_blocks_plain(state, p, n);
}

void gs_sha256_init(gs_sha256 *h)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
		0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	memcpy(h->state, start, sizeof start);
	h->bytes = 0;
}

void gs_sha256_add(gs_sha256 *h, const void *data, size_t n)
{
	const unsigned char *p = data;
	size_t have = h->bytes % 64;
	h->bytes += n;
	if (have) {
		size_t take = n < 64 - have ? n : 64 - have;
		memcpy(h->block + have, p, take);
		p += take;
		n -= take;
		if (have + take < 64)
			return;
		add_blocks(h->state, h->block, 1);
	}
	if (n >= 64)
		add_blocks(h->state, p, n / 64);
	if (n % 64)
		memcpy(h->block, p + (n - n % 64), n % 64);
}

void gs_sha256_finish(gs_sha256 *h, char hex[65])
{
	static const char digits[] = "0123456789abcdef";
	static const unsigned char padding[64] = {0x80};
	unsigned char length[8];
	uint64_t bits = h->bytes * 8;
	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	gs_sha256_add(h, padding, (119 - h->bytes % 64) % 64 + 1);
	gs_sha256_add(h, length, 8);
	for (int i = 0; i < 64; i++)
		hex[i] = digits[h->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
	hex[64] = 0;
}
