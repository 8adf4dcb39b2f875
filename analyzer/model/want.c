#include "analyzer/model/want.h"

unsigned gs_want_recorded(unsigned want)
{
	static const unsigned of_events = GS_WANT_STATES | GS_WANT_EVENTS | GS_WANT_SERIES |
		GS_WANT_FIT | GS_WANT_EVICTION | GS_WANT_OOM | GS_WANT_BLOCK_IDX | GS_WANT_CATEGORIES |
		GS_WANT_HOLDERS | GS_WANT_STEPS;
	/* what is told by stacks though the question does not show them */
	static const unsigned of_stacks = GS_WANT_STACKS | GS_WANT_CATEGORIES | GS_WANT_HOLDERS |
		GS_WANT_STEPS | GS_WANT_SERIES;
	static const unsigned of_layout = GS_WANT_STATE | GS_WANT_LAYOUT | GS_WANT_STATES |
		GS_WANT_FIT | GS_WANT_EVICTION | GS_WANT_OOM_SUMS | GS_WANT_HOLDERS | GS_WANT_STEPS;

	return (unsigned)GS_WANT_LAYOUT | (want & GS_WANT_SUM ? (unsigned)GS_WANT_ALL : 0u) |
		(want & of_events ? (unsigned)GS_WANT_EVENTS : 0u) |
		(want & of_stacks ? (unsigned)GS_WANT_STACKS : 0u) |
		(want & of_layout ? 0u : (unsigned)GS_WANT_PARTS) | (want & GS_WANT_FAILURES);
}
