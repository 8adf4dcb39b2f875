#include "analyzer/state.h"
#pragma weak gs_history_init
#pragma weak gs_history_release
#pragma weak gs_history_layout
#pragma weak gs_gauge_start
#pragma weak gs_gauge_step
#pragma weak gs_state_find
#pragma weak gs_history_peak
