/* Words as data. What is added here is shown to strangers: only what a vendor or a project of the
 * field calls its own things. */
#include "analyzer/export/known_words.h"

#include <string.h>
#include <strings.h>

static const char *const words[] = {
	/* variables and settings of allocators */
	"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF",
	"PYTORCH_NO_CUDA_MEMORY_CACHING", "TF_GPU_ALLOCATOR", "XLA_PYTHON_CLIENT_ALLOCATOR",
	"XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_PREALLOCATE", "max_split_size_mb",
	"max_split_size", "max_non_split_rounding_mb", "max_non_split_rounding", "large_segment_size_mb",
	"large_segment_size", "garbage_collection_threshold", "roundup_power2_divisions",
	"roundup_bypass_threshold_mb", "expandable_segments", "expandable_segments_type",
	"expandable_segments_handle_type", "backend", "native", "cudaMallocAsync", "cuda_malloc_async",
	"release_lock_on_cudamalloc", "release_lock_on_hipmalloc", "throw_on_cudamalloc_oom",
	"pinned_use_cuda_host_register", "pinned_use_hip_host_register", "pinned_num_register_threads",
	"pinned_use_background_threads", "pinned_reserve_segment_size_mb", "pinned_max_power2_size_mb",
	"pinned_max_cached_size_mb", "pinned_max_round_threshold_mb", "pinned_free_catch_all",
	"expandable_segments_reserve", "expandable_segments_reserve_by_class", "recorder_bytes",
	"graph_capture_record_stream_reuse", "per_process_memory_fraction", "allocator_settings",
	"last_allocator_settings", "use_cuda_host_register", "use_background_threads",
	"trace_max_entries", "trace_alloc_max_entries", "history_max_entries", "max_entries",
	"record_context", "skip_actions", "true", "false", "none", "null", "unlimited", "inf", "default",
	"auto", "on", "off", "python", "all", "state", "alloc", "mb", "mib", "gb", "gib", "kb", "kib",
	"b", "bytes",
	/* statistics */
	"allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes",
	"active_bytes", "inactive_split_bytes", "requested_bytes", "oversize_allocations",
	"oversize_segments", "num_alloc_retries", "num_ooms", "num_sync_all_streams",
	"num_device_alloc", "num_device_free", "num_oom_rejections", "recorder_dropped", "small_pool", "large_pool", "small", "large", "limit",
	"in_use", "pool", "num_allocs", "max_alloc_size", "largest_free_block", "reserved", "allocated",
	"pool_bytes", "bin_bytes", "bin_chunks", "bin_requested", "current", "peak", "freed",
	/* annotations, holders */
	"start", "end", "process", "context", "message", "nvidia", "smi", "driver",
	/* libraries and tools */
	"gpusnap", "pytorch", "torch", "profiler", "tensorflow", "jax", "xla", "cupy", "rmm", "rapids",
	"spark", "paddle", "paddlepaddle", "mxnet", "ggml", "llama", "cpp", "cuda", "hip", "rocm",
	"thrust", "cub", "faiss", "cublas", "cudnn", "nccl", "cufft", "cusolver", "cusparse", "tensorrt",
	"onnxruntime", "vllm", "triton", "warp", "julia", "numba", "pycuda", "amrex", "blender",
	"kokkos", "catboost", "xgboost", "lightgbm", "relion", "ort", "mps", "metal", "sycl", "vulkan",
	"oneapi", "level", "zero", "opencl", "deepspeed", "megatron", "bfc", "cnmem", "git", "rc", "dev",
	"post", "cu", "version", "release",
	/* devices */
	"amd", "intel", "apple", "tesla", "quadro", "geforce", "titan", "instinct", "radeon", "arc",
	"gaudi", "graphics", "pro", "rtx", "gtx", "max", "ultra", "super", "ti", "ada", "generation",
	"laptop", "gpu", "cpu", "device", "simulated", "host", "sxm", "pcie", "hbm", "nvl", "mig",
	"grace", "hopper", "blackwell", "ampere", "xe", "data", "center", "series", "with", "q",
	"design", "embedded", "orin", "agx", "jetson",
};

static const char *const extensions[] = {"py", "pyx", "pxd", "pyi", "pyc", "so", "c", "cc", "cpp",
	"cxx", "cu", "cuh", "h", "hh", "hpp", "hxx", "inl", "cl", "hip", "S", "s", "ipynb", "jl", "rs",
	"go", "java", "scala", "f90", "lua", "js", "ts", "dll", "dylib", "inc", "tcc"};

static bool among(const char *const *list, size_t count, const char *word, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i]) == n && !strncasecmp(list[i], word, n))
			return true;
	return false;
}

bool gs_known_word(const char *word, size_t n)
{
	return among(words, sizeof words / sizeof *words, word, n);
}

bool gs_known_extension(const char *extension, size_t n)
{
	return among(extensions, sizeof extensions / sizeof *extensions, extension, n);
}
