/* The judges of message_rules.def: kinds of messages that its columns cannot tell. Each is a
 * gs_oom_judge, documented where it stands. */
#ifndef GS_ANALYZER_READ_MESSAGES_JUDGES_H
#define GS_ANALYZER_READ_MESSAGES_JUDGES_H

#include "analyzer/read/messages/message_rules.h"

gs_oom_judge gs_judge_amrex_arena, gs_judge_bad_alloc, gs_judge_blender_system, gs_judge_cuda_error,
	gs_judge_cupy, gs_judge_cupy_name, gs_judge_cupy_old, gs_judge_driver_code,
	gs_judge_faiss_malloc, gs_judge_ggml_buffer, gs_judge_ggml_cuda_malloc_failed,
	gs_judge_ggml_unable, gs_judge_gpu_out_of_memory, gs_judge_java, gs_judge_julia,
	gs_judge_kokkos, gs_judge_kokkos_space, gs_judge_managed, gs_judge_memcheck,
	gs_judge_out_of_memory, gs_judge_paddle_enforce, gs_judge_paddle_on_device, gs_judge_rmm_alloc,
	gs_judge_rmm_pool, gs_judge_tensorrt, gs_judge_torch_backend_out_of_memory,
	gs_judge_torch_exception_name, gs_judge_torch_headless, gs_judge_torch_on_device,
	gs_judge_torch_tried_to_allocate, gs_judge_vllm_blocks, gs_judge_vllm_budget,
	gs_judge_vllm_cache, gs_judge_vllm_startup, gs_judge_warp, gs_judge_xla_async, gs_judge_xla_bfc,
	gs_judge_xla_constant, gs_judge_xla_from_device, gs_judge_xla_memory_space,
	gs_judge_xla_not_possible, gs_judge_xla_ort_available, gs_judge_xla_ort_buffer,
	gs_judge_xla_ort_cuda, gs_judge_xla_ort_cut, gs_judge_xla_ort_directml, gs_judge_xla_shape,
	gs_judge_xla_start_up, gs_judge_xla_status;

#endif
