/* The matchers of message_rules.def: kinds of messages that its columns cannot tell. Each is a
 * gs_oom_matcher, in the file of its library, documented there. */
#ifndef GS_ANALYZER_READ_MESSAGES_MATCHERS_H
#define GS_ANALYZER_READ_MESSAGES_MATCHERS_H

#include "analyzer/read/messages/message_rules.h"

gs_oom_matcher gs_match_amrex_arena, gs_match_bad_alloc, gs_match_blender_system,
	gs_match_cuda_error, gs_match_cupy, gs_match_cupy_name, gs_match_cupy_old, gs_match_driver_code,
	gs_match_faiss_malloc, gs_match_ggml_buffer, gs_match_ggml_cuda_malloc_failed,
	gs_match_ggml_unable, gs_match_gpu_out_of_memory, gs_match_java, gs_match_julia,
	gs_match_kokkos, gs_match_kokkos_space, gs_match_managed, gs_match_memcheck,
	gs_match_ort_available, gs_match_ort_buffer, gs_match_ort_cuda, gs_match_ort_cut,
	gs_match_ort_directml, gs_match_out_of_memory, gs_match_paddle_enforce,
	gs_match_paddle_on_device, gs_match_rmm_alloc, gs_match_rmm_pool, gs_match_tensorrt,
	gs_match_torch_backend_out_of_memory, gs_match_torch_exception_name, gs_match_torch_headless,
	gs_match_torch_on_device, gs_match_torch_tried_to_allocate, gs_match_vllm_blocks,
	gs_match_vllm_budget, gs_match_vllm_cache, gs_match_vllm_startup, gs_match_warp,
	gs_match_xla_async, gs_match_xla_bfc, gs_match_xla_constant, gs_match_xla_from_device,
	gs_match_xla_memory_space, gs_match_xla_not_possible, gs_match_xla_shape, gs_match_xla_start_up,
	gs_match_xla_status;

#endif
