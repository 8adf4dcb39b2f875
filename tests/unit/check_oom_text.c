/* Out-of-memory messages: what each says, however it was treated on its way. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/open/reader.h"
#include "tests/unit/skip.h"

#define KI(x) ((int64_t)((x##L) * 1024 + 0.5L))
#define MI(x) ((int64_t)((x##L) * 1048576 + 0.5L))
#define GI(x) ((int64_t)((x##L) * 1073741824 + 0.5L))
#define _ GS_NONE

typedef struct facts {
	const char *library;
	int device;
	int64_t requested, needed, capacity, device_free, allocated, reserved, allowed;
} facts;

typedef struct message {
	const char *name, *text;
	facts f;
} message;

static const message
	messages[] =
		{
			{"PyTorch 1.1, cached",
				"RuntimeError: CUDA out of memory. Tried to allocate 3.50 MiB (GPU 2; 7.92 GiB total capacity; 6.10 GiB already "
				"allocated; 9.06 MiB free; 512.25 MiB cached)",
				{"pytorch", 2, MI(3.5), _, GI(7.92), MI(9.06), GI(6.10), GI(6.10) + MI(512.25), _}},
			{"PyTorch 1.6",
				"CUDA out of memory. Tried to allocate 44.00 MiB (GPU 0; 5.80 GiB total capacity; 4.11 GiB already allocated; 31.44 MiB free; "
				"4.38 GiB reserved in total by PyTorch)",
				{"pytorch", 0, MI(44.0), MI(44.0), GI(5.80), MI(31.44), GI(4.11), GI(4.38), _}},
			{"PyTorch 1.9 with a fraction",
				"RuntimeError: CUDA out of memory. Tried to allocate 1.25 GiB (GPU 3; 15.78 GiB total capacity; 6.02 GiB "
				"already allocated; 8.71 GiB free; 7.89 GiB allowed; 6.91 GiB reserved in total by PyTorch)",
				{"pytorch", 3, GI(1.25), GI(1.25), GI(15.78), GI(8.71), GI(6.02), GI(6.91),
					GI(7.89)}},
			{"PyTorch 2.1",
				"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 70.00 MiB. GPU 1 has a total capacty of 11.75 GiB of which "
				"52.19 MiB is free. Process 4711 has 1.50 GiB memory in use. Including non-PyTorch memory, this process has 10.19 GiB memory in use. Of "
				"the allocated memory 9.40 GiB is allocated by PyTorch, and 411.33 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory "
				"is large try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
				{"pytorch", 1, MI(70.0), MI(70.0), GI(11.75), MI(52.19), GI(9.40),
					GI(9.40) + MI(411.33), _}},
			{"PyTorch 2.6 with private pools and a limit",
				"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.00 MiB. GPU 4 has a total "
				"capacity of 39.39 GiB of which 20.06 GiB is free. 18.50 GiB allowed; Of the allocated memory 17.02 GiB is allocated by PyTorch, with 96.00 "
				"MiB allocated in private pools (e.g., CUDA Graphs), and 1.31 GiB is reserved by PyTorch but unallocated.",
				{"pytorch", 4, MI(18.0), MI(18.0), GI(39.39), GI(20.06), GI(17.02),
					GI(17.02) + GI(1.31), GI(18.50)}},
			{"PyTorch 2.12, rejected",
				"torch.OutOfMemoryError: CUDA out of memory. Allocation was preemptively rejected because it would exceed "
				"per_process_memory_fraction limit. Requested size: 640.00 MiB",
				{"pytorch", -1, MI(640.0), _, _, _, _, _, _}},
			{"more than an exbibyte",
				"RuntimeError: CUDA out of memory. Tried to allocate more than 1EB memory.",
				{"pytorch", -1, _, _, _, _, _, _, _}},
			{"the cudaMallocAsync backend",
				"torch.OutOfMemoryError: Allocation on device 1 would exceed allowed memory. (out of memory)\n"
				"Currently allocated     : 9.25 GiB\nRequested               : 96.50 MiB\nDevice limit            : 11.90 GiB\n"
				"Free (according to CUDA): 13.19 MiB\nPyTorch limit (set by user-supplied memory fraction)\n                        : 17179869184.00 GiB\n",
				{"pytorch", 1, MI(96.5), _, GI(11.90), MI(13.19), GI(9.25), _, _}},
			{"the same backend with a limit",
				"Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated     : 3.00 GiB\n"
				"Requested               : 2.00 GiB\nDevice limit            : 11.90 GiB\nFree (according to CUDA): 8.00 GiB\n"
				"PyTorch limit (set by user-supplied memory fraction)\n                        : 4.76 GiB",
				{"pytorch", 0, GI(2.0), _, GI(11.90), GI(8.0), GI(3.0), _, GI(4.76)}},
			{"HIP",
				"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 508.00 MiB. GPU 5 has a total capacity of 63.98 GiB of which 0 bytes is free. "
				"Of the allocated memory 62.80 GiB is allocated by PyTorch, and 201.10 MiB is reserved by PyTorch but unallocated.",
				{"pytorch", 5, MI(508.0), MI(508.0), GI(63.98), 0, GI(62.80),
					GI(62.80) + MI(201.10), _}},
			{"XPU, which cannot tell what is free",
				"torch.OutOfMemoryError: XPU out of memory. Tried to allocate 6.00 GiB. GPU 0 has a total capacity of 15.90 "
				"GiB. Of the allocated memory 768.00 KiB is allocated by PyTorch, and 1.25 MiB is reserved by PyTorch but unallocated. Please use "
				"`empty_cache` to release all unoccupied cached memory.",
				{"pytorch", 0, GI(6.0), GI(6.0), GI(15.90), _, KI(768.0), KI(768.0) + MI(1.25), _}},
			{"XPU of the extension",
				"RuntimeError: XPU out of memory. Tried to allocate 2.20 GiB (GPU 0; 7.75 GiB total capacity; 128.00 MiB already allocated; "
				"160.00 MiB reserved in total by PyTorch)",
				{"pytorch", 0, GI(2.20), GI(2.20), GI(7.75), _, MI(128.0), MI(160.0), _}},
			{"NPU",
				"RuntimeError: NPU out of memory. Tried to allocate 1.90 GiB (NPU 6; 29.50 GiB total capacity; 20.25 GiB already allocated; 20.25 GiB "
				"current active; 730.06 MiB free; 21.40 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
				"max_split_size_mb to avoid fragmentation.",
				{"pytorch", 6, GI(1.90), GI(1.90), GI(29.50), MI(730.06), GI(20.25), GI(21.40), _}},
			{"MPS",
				"RuntimeError: MPS backend out of memory (MPS allocated: 7.01 GiB, other allocations: 812.50 MiB, max allowed: 9.07 GiB). Tried to allocate "
				"1.50 GiB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure).",
				{"pytorch", -1, GI(1.50), _, _, _, GI(7.01), _, GI(9.07)}},
			{"HIP, its lines broken by hand",
				"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 34.00 MiB.\nGPU 1 has a total capacity of 63.98 GiB\n"
				"of which 0 bytes is free.\nOf the allocated memory 50.25 GiB is\nallocated by PyTorch",
				{"pytorch", 1, MI(34.0), MI(34.0), GI(63.98), 0, GI(50.25), _, _}},
			{"the workspace of an NPU, quoted", "NPUWorkspaceAllocator tried to allocate 88.00 MiB",
				{"pytorch", -1, MI(88.0), MI(88.0), _, _, _, _, _}},
			{"a CUDA driver error", "RuntimeError: CUDA driver error: out of memory",
				{"pytorch", -1, _, _, _, _, _, _, _}},
			{"a THC error",
				"THCudaCheck FAIL file=/tmp/build/aten/src/THC/generic/THCStorage.cu line=41 error=2 : out of memory\nTraceback:\n  File \"a.py\"\n"
				"RuntimeError: cuda runtime error (2) : out of memory at /tmp/build/aten/src/THC/generic/THCStorage.cu:41",
				{"pytorch", -1, _, _, _, _, _, _, _}},
			{"a CUDA error",
				"torch.AcceleratorError: CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported at some other API call",
				{"pytorch", -1, _, _, _, _, _, _, _}},
			{"vLLM's wrapper alone",
				"RuntimeError: CUDA out of memory occurred when warming up sampler with 512 dummy requests. Please try lowering "
				"`max_num_seqs`",
				{"pytorch", -1, _, _, _, _, _, _, _}},
			{"vLLM's check of the start",
				"ValueError: Free memory on device (3.25 GiB/15.60 GiB) on startup is less than desired GPU memory utilization "
				"(0.9, 14.04 GiB). Decrease GPU memory utilization",
				{"vllm", -1, GI(14.04), _, GI(15.60), GI(3.25), _, _, _}},
			{"CuPy",
				"cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 1,310,720,512 bytes (allocated so far: 7,000,000,512 bytes, limit set to: "
				"8,000,000,000 bytes).",
				{"cupy", -1, 1310720512, _, _, _, _, 7000000512, 8000000000}},
			{"CuPy 5, whose total counts the request",
				"cupy.cuda.memory.OutOfMemoryError: out of memory to allocate 50000384 bytes (total 350000640 bytes)",
				{"cupy", -1, 50000384, _, _, _, _, 300000256, _}},
			{"RMM",
				"MemoryError: std::bad_alloc: out_of_memory: CUDA error at: /opt/include/rmm/mr/device/cuda_memory_resource.hpp:60: cudaErrorMemoryAllocation "
				"out of memory",
				{"rmm", -1, _, _, _, _, _, _, _}},
			{"RMM, which tells the size",
				"MemoryError: std::bad_alloc: out_of_memory: CUDA error (failed to allocate 7516192768 bytes) at: "
				"/opt/include/rmm/mr/device/cuda_memory_resource.hpp:62: cudaErrorMemoryAllocation out of memory",
				{"rmm", -1, 7516192768, _, _, _, _, _, _}},
			{"RMM's pool",
				"terminate called after throwing an instance of 'rmm::out_of_memory'\n  what():  std::bad_alloc: out_of_memory: RMM failure at:"
				"/opt/rmm/mr/device/pool_memory_resource.hpp:257: Maximum pool size exceeded (failed to allocate 3.000000 GiB): Not enough room to grow, "
				"current/max/try size = 8.000000 GiB, 10.000000 GiB, 3.000000 GiB",
				{"rmm", -1, GI(3.0), _, _, _, _, GI(8.0), GI(10.0)}},
			{"Paddle",
				"ResourceExhaustedError: \n\nOut of memory error on GPU 1. Cannot allocate 1.500000GB memory on GPU 1, 14.250000GB memory has been "
				"allocated and available memory is only 601.750000MB.\n\nPlease check whether there is any other process using GPU 1.\n",
				{"paddle", 1, GI(1.5), _, GI(14.25) + MI(601.75), MI(601.75), _, _, _}},
			{"Paddle 1.x",
				"Out of memory error on GPU 0. Cannot allocate 98.250000MB GPU memory, available memory is 12.500000MB.\nPlease check if there is "
				"any other process",
				{"paddle", 0, MI(98.25), _, _, MI(12.5), _, _, _}},
			{"JAX",
				"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 901775360 bytes.\nBufferAssignment OOM "
				"Debugging.\nBufferAssignment stats:\n             parameter allocation:    6.00MiB\n",
				{"jax", -1, 901775360, _, _, _, _, _, _}},
			{"JAX by StreamExecutor",
				"RuntimeError: Resource exhausted: Failed to allocate request for 48.00MiB (50331648B) on device ordinal 3",
				{"jax", 3, 50331648, _, _, _, _, _, _}},
			{"TensorFlow's shape",
				"2021-05-05 10:00:00.000001: W tensorflow/core/framework/op_kernel.cc:1763] OP_REQUIRES failed at conv_ops.cc:501 : Resource "
				"exhausted: OOM when allocating tensor with shape[8,64,300,300] and type float on /job:localhost/replica:0/task:0/device:GPU:1 by allocator "
				"GPU_1_bfc\nResourceExhaustedError: OOM when allocating tensor with shape[8,64,300,300] and type float on /job:localhost/replica:0/task:0/"
				"device:GPU:1 by allocator GPU_1_bfc [Op:Conv2D]",
				{"tensorflow", 1, INT64_C(8) * 64 * 300 * 300 * 4, _, _, _, _, _, _}},
			{"TensorFlow's driver line",
				"2020-01-01 00:00:00.000000: E tensorflow/stream_executor/cuda/cuda_driver.cc:825] failed to allocate 2.50G (2684354560 "
				"bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
				{"tensorflow", -1, 2684354560, _, _, _, _, _, _}},
			{"the BFC allocator's line",
				"2023-01-01 00:00:00.000000: W tensorflow/tsl/framework/bfc_allocator.cc:485] Allocator (GPU_2_bfc) ran out of memory "
				"trying to allocate 96.10MiB (rounded to 100768256)requested by op Mul",
				{"tensorflow", 2, 100768256, _, _, _, _, _, _}},
			{"the same of JAX, then raised",
				"2025-01-01 00:00:00.000000: W external/xla/xla/tsl/framework/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of "
				"memory trying to allocate 1.25GiB (rounded to 1342177280)requested by op \njaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of "
				"memory while trying to allocate 1342177280 bytes.",
				{"jax", 0, 1342177280, _, _, _, _, _, _}},
			{"ONNX Runtime",
				"[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned while running Conv node. Name:'/c/Conv' Status Message: "
				"/src/onnxruntime/core/framework/bfc_arena.cc:376 Failed to allocate memory for requested buffer of size 536870912",
				{"onnxruntime", -1, 536870912, _, _, _, _, _, _}},
			{"ONNX Runtime's limit",
				"/src/bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Available memory of 1048576 is "
				"smaller than requested bytes of 33554432",
				{"onnxruntime", -1, 33554432, _, _, _, _, _, _}},
			{"ONNX Runtime's CUDA call",
				"2024-01-01 00:00:00.1 [E:onnxruntime:Default, cuda_call.cc:116 CudaCall] CUDA failure 2: out of memory ; GPU=1 ; "
				"hostname=box ; expr=cudaMalloc((void**)&p, size);",
				{"onnxruntime", 1, _, _, _, _, _, _, _}},
			{"CUDA.jl",
				"ERROR: LoadError: Out of GPU memory trying to allocate 1.125 GiB\nEffective GPU memory usage: 99.12% (7.751 GiB/7.820 GiB)\n"
				"Memory pool usage: 5.250 GiB (6.500 GiB reserved)\n",
				{"julia", -1, GI(1.125), _, GI(7.820), _, GI(5.25), GI(6.5), _}},
			{"CUDA.jl 3",
				"ERROR: Out of GPU memory trying to allocate 62.500 MiB\nEffective GPU memory usage: 98.00% (2.910 GiB/2.969 GiB)\nCUDA allocator usage: "
				"2.250 GiB\nMemory pool usage: 2.250 GiB (1.750 GiB allocated, 512.000 MiB cached)\n",
				{"julia", -1, MI(62.5), _, GI(2.969), _, GI(1.75), GI(2.25), _}},
			{"CuArrays",
				"ERROR: LoadError: Out of GPU memory trying to allocate 640.000 MiB\nEffective GPU memory usage: 91.50% (7.250 GiB/7.924 GiB)\nCUDA "
				"allocator usage: 6.000 GiB\nbinned usage: 6.000 GiB (5.500 GiB allocated, 512.000 MiB cached)\n",
				{"julia", -1, MI(640.0), _, GI(7.924), _, GI(5.5), GI(6.0), _}},
			{"the workspace of an NPU",
				"RuntimeError: NPU out of memory. NPUWorkspaceAllocator tried to allocate 2.50 GiB(NPU 1; 29.50 GiB total capacity; 96.50 MiB "
				"free). If you want to reduce memory usage, take a try to set the environment variable TASK_QUEUE_ENABLE=1.",
				{"pytorch", 1, GI(2.5), GI(2.5), GI(29.5), MI(96.5), _, _, _}},
			{"Caffe",
				"F0101 10:00:00.000000  4242 syncedmem.cpp:56] Check failed: error == cudaSuccess (2 vs. 0)  out of memory",
				{"cuda", -1, _, _, _, _, _, _, _}},
			{"Comfy",
				"!!! Exception during processing !!! Allocation on device 0\nThis error means you ran out of memory on your GPU.",
				{"pytorch", 0, _, _, _, _, _, _, _}},
			{"ggml",
				"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1250.50 MiB on device 3: cudaMalloc failed: out of memory\nggml_gallocr_reserve_n: "
				"failed to allocate CUDA3 buffer of size 1311244288\n",
				{"ggml", 3, MI(1250.5), _, _, _, _, _, _}},
			{"MXNet",
				"[10:00:00] src/storage/./pooled_storage_manager.h:161: cudaMalloc retry failed: out of memory",
				{"mxnet", -1, _, _, _, _, _, _, _}},
			{"Numba",
				"numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY",
				{"numba", -1, _, _, _, _, _, _, _}},
			{"TensorRT",
				"[TRT] [E] 2: [virtualMemoryBuffer.cpp::resizePhysical::140] Error Code 2: OutOfMemory (Requested size was 734003200 bytes.)",
				{"tensorrt", -1, 734003200, _, _, _, _, _, _}},
			{"XGBoost",
				"xgboost.core.XGBoostError: [00:00:00] /w/src/common/device_helpers.cuh:428: Memory allocation error on worker 0: std::bad_alloc: "
				"cudaErrorMemoryAllocation: out of memory\n- Free memory: 12582912\n- Requested memory: 734003200\n",
				{"xgboost", -1, 734003200, _, _, 12582912, _, _, _}},
			{"Kokkos",
				"Kokkos failed to allocate memory for label \"A\". Allocation using MemorySpace named \"Cuda\" failed with the following error: Allocation "
				"of size 11.25 G failed, likely due to insufficient memory. (The allocation mechanism was cudaMalloc().)",
				{"kokkos", -1, GI(11.25), _, _, _, _, _, _}},
			{"an accelerator of another maker in Paddle",
				"ResourceExhaustedError: \n\nOut of memory error on NPU 3. Cannot allocate 40.500000MB memory on NPU 3, "
				"available memory is only 9.250000MB.",
				{"paddle", 3, MI(40.5), _, _, MI(9.25), _, _, _}},
			{"Paddle with a limit",
				"Out of memory error on GPU 2. Cannot allocate 2.250000GB memory on GPU 2, 4.500000GB memory has been allocated and available "
				"memory is only 512.500000MB.\n\nPlease check whether there is any other process using GPU 2.\n1. If yes, please stop them.\n2. If no, please decrease "
				"the batch size of your model. Or set environment variable `FLAGS_gpu_memory_limit_mb` to a larger value. Currently `FLAGS_gpu_memory_limit_mb` "
				"is 5120, so the maximum GPU memory usage is limited to 5120 MB.",
				{"paddle", 2, GI(2.25), _, _, MI(512.5), GI(4.5), _, MI(5120.0)}},
			{"Paddle's managed memory",
				"Out of memory error on GPU 0. Cannot allocate 3.000000GB CUDA managed memory on GPU 0, 11.750000GB memory has been allocated.",
				{"paddle", 0, GI(3.0), _, _, _, GI(11.75), _, _}},
			{"Paddle fluid 1.5",
				"paddle.fluid.core.EnforceNotMet: Cannot allocate 1.250000GB in GPU 1, available 300.250000MB, total 7.500000GB, GpuMinChunkSize "
				"256.000000B, GpuMaxChunkSize 6.750000GB, GPU memory used: 6.500000GB at [/b/legacy_allocator.cc:201]",
				{"paddle", 1, GI(1.25), _, GI(7.5), MI(300.25), GI(6.5), _, _}},
			{"Paddle's first check",
				"EnforceNotMet: enforce allocating < available failed, 9000000000 >= 8500000000\n at [/b/paddle/platform/gpu_info.cc:90]",
				{"paddle", -1, 9000000000, _, _, 8500000000, _, _, _}},
			{"Paddle's shrink",
				"Cannot malloc 33.5 MB GPU memory. Please shrink FLAGS_fraction_of_gpu_memory_to_use",
				{"paddle", -1, MI(33.5), _, _, _, _, _, _}},
			{"Paddle before fluid",
				"F0203 04:05:06.000001 4242 Allocator.h:83] Check failed: ptr Fail to allocate GPU memory 8192 bytes",
				{"paddle", -1, 8192, _, _, _, _, _, _}},
			{"a handle of cuBLAS",
				"RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
				{"cublas", -1, _, _, _, _, _, _, _}},
			{"a workspace of cuDNN", "RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
				{"cudnn", -1, _, _, _, _, _, _, _}},
			{"a handle of cuDNN in TensorFlow",
				"2021-03-04 05:06:07.000008: E tensorflow/stream_executor/cuda/cuda_dnn.cc:12] Could not create cudnn handle: CUDNN_STATUS_ALLOC_FAILED",
				{"cudnn", -1, _, _, _, _, _, _, _}},
			{"TensorFlow's shape of halves",
				"ResourceExhaustedError: OOM when allocating tensor with shape[3,5,7] and type half on /job:localhost/replica:0/task:0/device:GPU:2 by allocator GPU_2_bfc [Op:Mul]",
				{"tensorflow", 2, 210, _, _, _, _, _, _}},
			{"TensorFlow's shape of a type that is not known", "ResourceExhaustedError: OOM when allocating tensor with shape[3,5,7] and type variant on /job:localhost/replica:0/task:0/device:GPU:2 by allocator GPU_2_bfc [Op:Mul]",
				{"tensorflow", 2, _, _, _, _, _, _, _}},
			{"CatBoost",
				"(NCudaLib::TOutOfMemoryError) catboost/cuda/cuda_lib/memory_pool/stack_like_memory_pool.h:77: Error: Out of memory. Requested 700.5 MB; Free 12 MB",
				{"catboost", -1, MI(700.5), _, _, MI(12.0), _, _, _}},
			{"CatBoost, told twice",
				"(NCudaLib::TOutOfMemoryError) catboost/cuda/cuda_lib/memory_pool/stack_like_memory_pool.h:77: Error: Out of memory. Requested 700.5 MB; Free 12 MB\n"
				"uncaught exception:\n    address -> 0x7f00 type -> NCudaLib::TOutOfMemoryError\n    what() -> \"catboost/cuda/cuda_lib/memory_pool/stack_like_memory_pool.h:77: "
				"Error: Out of memory. Requested 700.5 MB; Free 12 MB\"",
				{"catboost", -1, MI(700.5), _, _, MI(12.0), _, _, _}},
			{"RELION",
				"ERROR: CudaCustomAllocator out of memory\n [requestedSpace:             1000 B]\n [largestContinuousFreeSpace: 800 B]\n [totalFreeSpace:             1700 B]\n",
				{"relion", -1, 1000, _, _, _, _, _, _}},
			{"Triton's pool",
				"W0304 05:06:07.000008 9 memory.cc:77] Failed to allocate CUDA memory with byte size 5000000 on GPU 3: CNMEM_STATUS_OUT_OF_MEMORY, falling back to pinned "
				"system memory",
				{"triton", 3, 5000000, _, _, _, _, _, _}},
			{"Spark's plugin for RAPIDS",
				"21/03/04 05:06:07 INFO DeviceMemoryEventHandler: Device allocation of 7000 bytes failed, device store has 900 total and 0 spillable bytes. Attempt 2. "
				"Total RMM allocated is 80000 bytes.",
				{"rmm", -1, 7000, _, _, _, _, 80000, _}},
			{"NCCL",
				"box:1:2 [0] /b/include/alloc.h:99 NCCL WARN Cuda failure 2 'out of memory'\nbox:1:2 [0] NCCL INFO init.cc:7 -> 1\n"
				"box:1:2 [0] /b/include/alloc.h:110 NCCL WARN Failed to CUDA calloc async 4096 bytes\n",
				{"nccl", -1, 4096, _, _, _, _, _, _}},
			{"NCCL's sentence alone",
				"ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nFailed to CUDA malloc 8192 bytes",
				{"nccl", -1, 8192, _, _, _, _, _, _}},
			{"Numba by its path",
				"~/a/numba/cuda/cudadrv/driver.py in _check_error(self, fname, retcode)\n    300             raise CudaAPIError(retcode, msg)\n\n"
				"CudaAPIError: [2] Call to cuMemcpyHtoD results in CUDA_ERROR_OUT_OF_MEMORY",
				{"numba", -1, _, _, _, _, _, _, _}},
			{"vLLM's budget",
				"INFO 03-04 05:06:07 worker.py:9] the current vLLM instance can use total_gpu_memory (20.00GiB) x gpu_memory_utilization (0.50) = 10.00GiB\n"
				"INFO 03-04 05:06:07 worker.py:9] model weights take 9.00GiB; non_torch_memory takes 0.50GiB; PyTorch activation peak memory takes 1.25GiB; the rest of the "
				"memory reserved for KV Cache is -0.75GiB.\nValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing "
				"the engine.",
				{"vllm", -1, _, _, GI(20.0), _, _, _, GI(10.0)}},
			{"a driver line of an old TensorFlow",
				"2017-01-02 03:04:05.000001: E tensorflow/stream_executor/cuda/cuda_driver.cc:924] failed to allocate 2.50G "
				"(2684354560 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",
				{"tensorflow", -1, 2684354560, _, _, _, _, _, _}},
			{"a driver line with a status",
				"2025-01-02 03:04:05.000001: E external/xla/xla/stream_executor/cuda/cuda_executor.cc:7] failed to allocate 2.50GiB "
				"(2684354560 bytes) from device: RESOURCE_EXHAUSTED: : CUDA_ERROR_OUT_OF_MEMORY: out of memory",
				{"jax", -1, 2684354560, _, _, _, _, _, _}},
			{"unified memory",
				"2024-01-02 03:04:05.000001: E external/xla/xla/stream_executor/rocm/rocm_driver.cc:7] failed to alloc 9663676416 bytes unified memory; "
				"result: HIP_ERROR_OutOfMemory",
				{"jax", -1, 9663676416, _, _, _, _, _, _}},
			{"TensorFlow's Eigen",
				"F tensorflow/core/common_runtime/gpu/gpu_device.cc:103] EigenAllocator for GPU ran out of memory when allocating 4096. See error "
				"logs for more detailed info.",
				{"tensorflow", -1, 4096, _, _, _, _, _, _}},
			{"TensorFlow's exception without a figure",
				"ResourceExhaustedError: failed to allocate memory [Op:MatMul]",
				{"tensorflow", -1, _, _, _, _, _, _, _}},
			{"DirectML",
				"[E:onnxruntime:, sequential_executor.cc:494 ExecuteKernel] Non-zero status code returned while running Conv node. Name:'c' Status Message: "
				"C:\\a\\dml\\DmlExecutionProvider\\src\\Allocator.cpp(12): (caller: 7) Exception(1) tid(8) 8007000E Not enough memory resources are available to "
				"complete this operation.",
				{"onnxruntime", -1, _, _, _, _, _, _, _}},
			{"CUDA.jl 2, capped",
				"Out of GPU memory trying to allocate 24.500 MiB\nEffective GPU memory usage: 81.25% (6.500 GiB/8.000 GiB)\nCUDA allocator usage: "
				"5.750 GiB (capped at 6.000 GiB)\nbinned usage: 20.000 KiB (20.000 KiB allocated, 0 bytes cached)\nDiscrepancy of 5.750 GiB between memory pool and "
				"allocator!",
				{"julia", -1, MI(24.5), _, GI(8.0), _, KI(20.0), GI(5.75), GI(6.0)}},
			{"CUDA.jl 5 with limits",
				"ERROR: Out of GPU memory trying to allocate 3.250 GiB\nEffective GPU memory usage: 40.00% (3.200 GiB/8.000 GiB)\nMemory pool "
				"usage: 2.500 GiB (3.000 GiB reserved)\nMemory limit: soft = 3.500 GiB, hard = 4.250 GiB\n",
				{"julia", -1, GI(3.25), _, GI(8.0), _, GI(2.5), GI(3.0), GI(4.25)}},
			{"CUDA.jl without a pool",
				"ERROR: Out of GPU memory trying to allocate 3.250 GiB\nEffective GPU memory usage: 90.00% (7.200 GiB/8.000 GiB)\nNo memory "
				"pool is in use.",
				{"julia", -1, GI(3.25), _, GI(8.0), _, _, _, _}},
			{"an old MXNet",
				"[10:00:00] src/storage/./pooled_storage_manager.h:62: Memory allocation failed.",
				{"mxnet", -1, _, _, _, _, _, _, _}},
			{"ggml on Vulkan",
				"ggml_vulkan: Device memory allocation of size 500000768 failed.\nggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory\n"
				"ggml_gallocr_reserve_n: failed to allocate Vulkan0 buffer of size 500000768\n",
				{"ggml", 0, 500000768, _, _, _, _, _, _}},
			{"vLLM's check of the start with one unit",
				"ValueError: Free memory on device cuda:1 (3.5/15.75 GiB) on startup is less than desired GPU memory "
				"utilization (0.9, 14.25 GiB).",
				{"vllm", 1, GI(14.25), _, GI(15.75), GI(3.5), _, _, _}},
			{"a runner of ggml",
				"Error: llama runner process has terminated: CUDA error: out of memory",
				{"ggml", -1, _, _, _, _, _, _, _}},
			{"vLLM's check of tokens",
				"ValueError: The model's max seq len (9000) is larger than the maximum number of tokens that can be stored in KV cache (700). "
				"Try increasing `gpu_memory_utilization`",
				{"vllm", -1, _, _, _, _, _, _, _}},
			{"vLLM's check, with the source that raises it",
				"(W pid=7) ERROR 02-03 04:05:06 [core.py:7]     raise ValueError(\"No available memory for the cache "
				"blocks. \"\n(W pid=7) ERROR 02-03 04:05:06 [core.py:7] ValueError: No available memory for the cache blocks. Try increasing "
				"`gpu_memory_utilization` when initializing the engine.",
				{"vllm", -1, _, _, _, _, _, _, _}},
			{"TensorRT's builder after its allocator",
				"[02/03/2020-04:05:06] [E] [TRT] C:\\s\\safeRuntime.cpp (25) - Cuda Error in "
				"nvinfer1::internal::DefaultAllocator::allocate: 2 (out of memory)\n[02/03/2020-04:05:06] [W] [TRT] GPU memory allocation error during "
				"getBestTactic: layer_a\n[02/03/2020-04:05:06] [E] [TRT] C:\\s\\tacticOptimizer.cpp (1523) - OutOfMemory Error in "
				"nvinfer1::builder::Leaf::computeCosts: 0",
				{"tensorrt", -1, _, _, _, _, _, _, _}},
			{"Theano with the driver's report",
				"MemoryError: Error allocating 67108864 bytes of device memory (out of memory). Driver report 2097152 bytes free and "
				"4294967296 bytes total",
				{"theano", -1, 67108864, _, 4294967296, 2097152, _, _, _}},
			{"AMReX's arena",
				"amrex::Abort::0::Arena out of memory!!!\nBytes to allocate: 268435456 (256 MiB)\nMemory type: GPU device memory\nMPI rank: 0\n"
				"Error: cudaMalloc returned 2: out of memory\n",
				{"amrex", -1, 268435456, _, _, _, _, _, _}},
			{"AMReX's check",
				"amrex::Abort::2::Out of gpu memory. Free: 52428800 Asked: 134217728 !!!",
				{"amrex", -1, 134217728, _, _, 52428800, _, _, _}},
			{"LAMMPS",
				"ERROR on proc 0: Insufficient memory on accelerator (src/GPU/pair_a_gpu.cpp:99)",
				{"lammps", -1, _, _, _, _, _, _, _}},
			{"Blender", "Error: System is out of GPU and shared host memory",
				{"blender", -1, _, _, _, _, _, _, _}},
			{"Blender's call",
				"Fra:7 Mem:4.91M (0.00M, Peak 6.81M) | CUDA error: Out of memory in cuMemAlloc(&device_pointer, size)",
				{"blender", -1, _, _, _, _, _, _, _}},
			{"an error and the exception that ends the program",
				"CUDA error 2 [/opt/cuda/include/thrust/system/cuda/detail/parallel_for.h, 143]: out of memory\n"
				"terminate called after throwing an instance of 'thrust::system::system_error'\n  what():  parallel_for failed: cudaErrorMemoryAllocation: out of "
				"memory\n",
				{"thrust", -1, _, _, _, _, _, _, _}},
			{"CuPy's exception in a heading", "cupy.cuda.memory.OutOfMemoryError",
				{"cupy", -1, _, _, _, _, _, _, _}},
			{"CuPy's old message in a heading",
				"cupy.cuda.memory.OutOfMemoryError: out of memory to allocate",
				{"cupy", -1, _, _, _, _, _, _, _}},
			{"Paddle in a heading", "Out of memory error on GPU 5",
				{"paddle", 5, _, _, _, _, _, _, _}},
			{"ONNX Runtime, cut",
				"/b/core/framework/bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool, onnxruntime::Stream*) Failed to "
				"alloc",
				{"onnxruntime", -1, _, _, _, _, _, _, _}},
			{"a model of ggml that does not fit",
				"llama_model_load: error loading model: unable to allocate ROCm2 buffer",
				{"ggml", 2, _, _, _, _, _, _, _}},
			{"ggml and the program that runs it",
				"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 640.25 MiB on device 1: cudaMalloc failed: out of memory\n"
				"llama_model_load: error loading model: unable to allocate CUDA1 buffer\ntime=2024-05-01T10:00:00.000Z level=ERROR source=a.go:7 msg=\"error "
				"starting llama runner\" error=\"llama runner process has terminated: cudaMalloc failed: out of memory\"",
				{"ggml", 1, MI(640.25), _, _, _, _, _, _}},
			{"a constant of XLA",
				"jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to allocate 134217728 bytes for new constant",
				{"jax", -1, 134217728, _, _, _, _, _, _}},
			{"TensorFlow's async allocator",
				"2022-01-02 03:04:05.000001: E tensorflow/core/common_runtime/gpu/gpu_cudamallocasync_allocator.cc:288] gpu_async_1 "
				"cuMemAllocAsync failed to allocate 67108864 bytes: CUDA error: out of memory (CUDA_ERROR_OUT_OF_MEMORY)\n Reported by CUDA: Free memory/Total "
				"memory: 1048576/4294967296",
				{"tensorflow", 1, 67108864, _, 4294967296, 1048576, _, _, _}},
			{"TensorFlow's start",
				"InternalError: CUDA runtime implicit initialization on GPU:3 failed. Status: out of memory",
				{"tensorflow", 3, _, _, _, _, _, _, _}},
			{"TensorFlow's driver without a figure",
				"2020-01-02 03:04:05.000001: E tensorflow/stream_executor/cuda/cuda_driver.cc:328] failed call to cuInit: "
				"CUDA_ERROR_OUT_OF_MEMORY: out of memory",
				{"tensorflow", -1, _, _, _, _, _, _, _}},
			{"FAISS",
				"RuntimeError: Error: 'err == cudaSuccess' failed: StandardGpuResources: alloc fail type FlatData dev 2 space Device stream 0x7 size 805306368 "
				"bytes (cudaMalloc error out of memory [2])",
				{"faiss", 2, 805306368, _, _, _, _, _, _}},
			{"an old FAISS",
				"Faiss assertion 'err == cudaSuccess' failed in void faiss::gpu::allocMemorySpaceV(); details: failed to cudaMalloc 805306368 bytes "
				"(error 2 out of memory)",
				{"faiss", -1, 805306368, _, _, _, _, _, _}},
			{"Warp",
				"Warp CUDA error 2: out of memory (in function wp_alloc_device_async, /b/warp.cu:800)\nRuntimeError: Failed to allocate 805306368 bytes on "
				"device 'cuda:1'",
				{"warp", 1, 805306368, _, _, _, _, _, _}},
			{"OpenCV",
				"cv2.error: OpenCV(4.1.0) /b/gpu_mat.cu:116: error: (-217:Gpu API call) out of memory in function 'allocate'",
				{"opencv", -1, _, _, _, _, _, _, _}},
			{"LightGBM on OpenCL",
				"lightgbm.basic.LightGBMError: boost::compute::opencl_error: Memory Object Allocation Failure",
				{"lightgbm", -1, _, _, _, _, _, _, _}},
			{"SGLang",
				"RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
				{"sglang", -1, _, _, _, _, _, _, _}},
			{"vLLM's cache without a bracket",
				"ValueError: To serve at least one request with the models's max seq len (2048), 0.75 GiB KV cache is needed, which is "
				"larger than the available KV cache memory (0.25 GiB).",
				{"vllm", -1, GI(0.75), _, _, _, _, _, _}},
			{"a new Kokkos",
				"Kokkos ERROR: Cuda memory space failed to allocate 2.25 GiB (label=\"Q\"). cudaMallocAsync( 0x7, 2415919104, 0) error( "
				"cudaErrorMemoryAllocation): out of memory /b/Kokkos_CudaSpace.cpp:190",
				{"kokkos", -1, GI(2.25), _, _, _, _, _, _}},
			{"Numba's code, said again",
				"numba.cuda.cudadrv.driver.CudaAPIError: [CUresult.CUDA_ERROR_OUT_OF_MEMORY] Call to cuMemAlloc results in "
				"CUDA_ERROR_OUT_OF_MEMORY",
				{"numba", -1, _, _, _, _, _, _, _}},
			{"ManagedCuda",
				"ManagedCuda.CudaException: ErrorOutOfMemory: The API call failed because it was unable to allocate enough memory to perform the "
				"requested operation",
				{"cuda", -1, _, _, _, _, _, _, _}},
			{"Kokkos with the driver's code",
				"Kokkos failed to allocate memory for label \"B\".  Allocation using MemorySpace named \"Cuda\" failed with the "
				"following error:  Allocation of size 2.5 G failed, likely due to insufficient memory.  (The allocation mechanism was cudaMalloc().  The Cuda "
				"allocation returned the error code \"\"cudaErrorMemoryAllocation\".)",
				{"kokkos", -1, GI(2.5), _, _, _, _, _, _}},
			{"PyCUDA's allocator", "MemoryError: cuMemAlloc failed: out of memory",
				{"pycuda", -1, _, _, _, _, _, _, _}},
};

#undef _

static void read_text(gs_snapshot *s, const char *text)
{
	gs_error err = GS_ERROR_INIT;
	gs_status status = gs_read_memory(text, strlen(text), GS_WANT_ALL, s, &err);
	ck_assert_msg(status == GS_OK, "%s: %s", text, err.text);
}

static void check_row(const char *name, const gs_oom *o, const facts *f)
{
	ck_assert_msg(
		!strcmp(o->library, f->library), "%s: library %s, not %s", name, o->library, f->library);
	ck_assert_msg(o->device == f->device, "%s: device %d, not %d", name, o->device, f->device);
#define SAME(field)                                                            \
	ck_assert_msg(o->field == f->field, "%s: " #field " %lld, not %lld", name, \
		(long long)o->field, (long long)f->field)
	SAME(requested);
	SAME(needed);
	SAME(capacity);
	SAME(device_free);
	SAME(allocated);
	SAME(reserved);
	SAME(allowed);
#undef SAME
}

static void check_one(const char *name, const char *text, const facts *f)
{
	gs_snapshot s;
	read_text(&s, text);
	ck_assert_msg(s.kind == GS_KIND_TEXT, "%s: kind %d", name, (int)s.kind);
	ck_assert_msg(s.nooms == 1, "%s: %zu rows", name, s.nooms);
	check_row(name, &s.ooms[0], f);
	gs_snapshot_release(&s);
}

START_TEST(a_message_tells_its_figures)
{
	check_one(messages[_i].name, messages[_i].text, &messages[_i].f);
}
END_TEST

/* What happens to a text on its way into a report. */
static char *wrapped(const char *text, size_t width)
{
	char *out = malloc(strlen(text) * 2 + 2), *p = out;
	size_t column = 0;
	for (; *text; text++) {
		*p++ = *text;
		column = *text == '\n' ? 0 : column + 1;
		if (column == width) {
			*p++ = '\n';
			column = 0;
		}
	}
	*p = 0;
	return out;
}

static char *each_line(const char *text, const char *prefix)
{
	char *out = malloc(strlen(text) * (strlen(prefix) + 1) + strlen(prefix) + 2), *p = out;
	p = stpcpy(p, prefix);
	for (; *text; text++) {
		*p++ = *text;
		if (*text == '\n')
			p = stpcpy(p, prefix);
	}
	*p = 0;
	return out;
}

static char *replaced(const char *text, const char *what[][2])
{
	char *out = malloc(strlen(text) * 8 + 64), *p = stpcpy(out, "{\"log\": \"");
	for (; *text; text++) {
		size_t k = 0;
		while (what[k][0] && *text != what[k][0][0])
			k++;
		if (what[k][0])
			p = stpcpy(p, what[k][1]);
		else
			*p++ = *text;
	}
	strcpy(p, "\"}\n");
	return out;
}

START_TEST(a_message_wrapped_at_any_column_tells_the_same)
{
	for (size_t width = 41; width < 130; width += 3) {
		char *text = wrapped(messages[_i].text, width);
		check_one(messages[_i].name, text, &messages[_i].f);
		free(text);
	}
}
END_TEST

START_TEST(a_quoted_message_tells_the_same)
{
	static const char *const prefixes[] = {"> ", ">> > ", "worker-1  | ",
		"2025-01-04T05:06:07.123456789Z stderr F ", "2025-01-04 05:06:07.8 [Error] (Process) ",
		"[rank3]: ", "(RayWorker pid=4321, ip=10.0.0.1) ", "2024-02-03 04:05:06,789 ",
		"Mar  3 04:05:06 node7 train.sh[4242]: ", "2024-02-03 04:05:06,789 - my.trainer - ERROR - ",
		"0.12.345.678 E ", "[1,2]<stderr>:", "\t"};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		char *text = each_line(messages[_i].text, prefixes[i]);
		check_one(messages[_i].name, text, &messages[_i].f);
		free(text);
	}
}
END_TEST

START_TEST(a_message_wrapped_and_quoted_tells_the_same)
{
	static const char *const prefixes[] = {
		"> ", "# ", "E   ", "node7: ", "worker-1  | ", "\xe2\x94\x82 "};
	for (size_t width = 50; width < 100; width += 11)
		for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
			char *text = wrapped(messages[_i].text, width), *quoted = each_line(text, prefixes[i]);
			check_one(messages[_i].name, quoted, &messages[_i].f);
			free(text);
			free(quoted);
		}
}
END_TEST

START_TEST(an_escaped_message_tells_the_same)
{
	static const char *json[][2] = {
		{"\"", "\\\""}, {"\n", "\\n"}, {"\t", "\\t"}, {">", "\\u003e"}, {NULL, NULL}};
	static const char *twice[][2] = {
		{"\"", "\\\\\\\""}, {"\n", "\\\\n"}, {"\t", "\\\\t"}, {">", "\\\\u003e"}, {NULL, NULL}};
	static const char *html[][2] = {{"\"", "&quot;"}, {">", "&gt;"}, {"<", "&lt;"}, {"'", "&#39;"},
		{"\n", "<br/>"}, {NULL, NULL}};
	char *text = replaced(messages[_i].text, json), *page = replaced(messages[_i].text, html),
		 *nested = replaced(messages[_i].text, twice);
	check_one(messages[_i].name, text, &messages[_i].f);
	check_one(messages[_i].name, nested, &messages[_i].f);
	free(nested);
	check_one(messages[_i].name, page, &messages[_i].f);
	free(text);
	free(page);
}
END_TEST

START_TEST(all_messages_of_one_log_are_rows)
{
	static const char between[] =
		"\n2024-05-05 05:05:05,000 INFO resuming from a checkpoint\nstep 12 loss 0.5\n\n";
	size_t n = sizeof messages / sizeof *messages, cap = 0;
	for (size_t i = 0; i < n; i++)
		cap += strlen(messages[i].text) + sizeof between;
	char *text = malloc(cap + 1), *p = text;
	for (size_t i = 0; i < n; i++)
		p = stpcpy(stpcpy(p, messages[i].text), between);
	gs_snapshot s;
	read_text(&s, text);
	free(text);

	ck_assert_uint_eq(s.nooms, n);
	size_t seen = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < s.nooms; k++)
			if (s.ooms[k].requested == messages[i].f.requested &&
				s.ooms[k].device == messages[i].f.device &&
				!strcmp(s.ooms[k].library, messages[i].f.library) &&
				s.ooms[k].capacity == messages[i].f.capacity) {
				seen++;
				break;
			}
	ck_assert_uint_eq(seen, n);
	gs_snapshot_release(&s);
}
END_TEST

static const struct {
	const char *name, *text;
} nothing[] = {
	{"the CPU allocator",
		"RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
		"4096000000 bytes. Error code 12 (Cannot allocate memory)"},
	{"the old CPU allocator",
		"RuntimeError: $ Torch: not enough memory: you tried to allocate 11GB. Buy new RAM! at /pytorch/aten/src/TH/THGeneral.cpp:204"},
	{"a CPU tensor of TensorFlow",
		"Resource exhausted: OOM when allocating tensor with shape[60000,60000] and type float on "
		"/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu"},
	{"no failure",
		"2022-02-02 02:02:02.000000: W tensorflow/core/common_runtime/bfc_allocator.cc:275] Allocator (GPU_0_bfc) ran out of memory trying to "
		"allocate 2.29GiB with freed_by_count=0. The caller indicates that this is not a failure, but may mean that there could be performance gains "
		"if more memory were available."},
	{"pinned host memory",
		"2019-01-01 00:00:00.0: E tensorflow/stream_executor/cuda/cuda_driver.cc:868] failed to alloc 4294967296 bytes on host: "
		"CUDA_ERROR_OUT_OF_MEMORY: out of memory"},
	{"NumPy",
		"numpy.core._exceptions.MemoryError: Unable to allocate 7.45 GiB for an array with shape (1000, 1000, 1000) and data type float64"},
	{"Java", "java.lang.OutOfMemoryError: Java heap space"},
	{"JavaScript",
		"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"},
	{"the kernel",
		"[12345.678901] Out of memory: Killed process 4242 (python) total-vm:61829120kB, anon-rss:32505856kB"},
	{"C++",
		"terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"},
	{"shared memory on the chip",
		"triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376."},
	{"a CPU arena",
		"[E:onnxruntime:, sequential_executor.cc:339 Execute] Non-zero status code returned while running Conv node. Name:'12_nchwc' Status "
		"Message: bfc_arena.cc:330 onnxruntime::BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size 1000000"},
	{"prose",
		"When I train with a batch size of 4 I get an out of memory error on my 8 GiB GPU, but nvidia-smi shows that most of it is free. Why?\n"},
	{"prose that names CUDA",
		"Sometimes the job dies with CUDA out of memory after 10 epochs, is that normal? We tried to allocate fewer workers.\n"},
	{"Redis", "zmalloc: Out of memory trying to allocate 1048592 bytes"},
	{"pinned memory by the runtime",
		"RuntimeError: CUDA error: out of memory in cudaHostAlloc(&p, size, flags)"},
	{"Ray's guard of the host",
		"ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\nMemory on the node was 30.50GB / 31.25GB"},
	{"JAX on a TPU",
		"jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Error loading program 'jit_step': Attempting to reserve 10.50G at the bottom of "
		"memory. That was not possible. There are 7.25G free, 0B reserved, and 7.25G reservable."},
	{"JAX on a TPU, compiling",
		"RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 21.50G of 15.75G hbm. "
		"Exceeded hbm capacity by 5.75G."},
	{"a retry that is announced",
		"Warning: Ran out of memory when regular VAE decoding, retrying with tiled VAE decoding."},
	{"a full disk", "OSError: [Errno 28] No space left on device"},
	{"a skipped tactic",
		"WARNING: Requested amount of GPU memory (2147483648 bytes) could not be allocated. There may not be enough free memory for "
		"allocation to succeed.\nWARNING: Skipping tactic 1 due to insuficient memory on requested size of 2147483648"},
	{"an arena of a report about the CPU",
		"Non-zero status code returned while running Trees node. Name:'T' Status Message: bfc_arena.cc:376 "
		"onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Available memory of 0 is smaller than requested bytes of 2048\n\n### Execution Provider\n\n"
		"Default CPU\n"},
	{"handlers in listings",
		"    if \"CUDA out of memory\" in str(e):\n        pass\n    elif str(e).startswith(\"CUDA error: out of memory\"):\n        "
		"torch.cuda.empty_cache()\n"},
	{"a name in source code",
		"extern \"C\" void install_bad_alloc_error_handler(fatal_error_handler_t handler,\n  void *p = nullptr);\nreport failures of the "
		"arm mmap way\n"},
	{"a compiler",
		"cc1plus: out of memory allocating 65536 bytes after a total of 1234567 bytes\nnvcc error : 'cicc' died"},
	{"another allocator", "mongod: tcmalloc: OutOfMemory allocating 4096 bytes"},
	{"a handler in a listing",
		"    except RuntimeError as e:\n        if 'out of memory' in str(e):\n            print('skipping')\n            "
		"torch.cuda.empty_cache()"},
	{"Kokkos on the host",
		"Kokkos ERROR: Host memory space failed to allocate 2.25 GiB (label=\"Q\")."},
	{"ggml on the CPU", "llama_model_load: error loading model: unable to allocate CPU buffer"},
	{"a driver's other error",
		"2020-01-01 00:00:00.0: E tensorflow/stream_executor/cuda/cuda_driver.cc:825] failed to allocate 2.50G (2684354560 bytes) from "
		"device: CUDA_ERROR_INVALID_CONTEXT: invalid device context"},
	{"Kokkos for another reason",
		"Kokkos failed to allocate memory for label \"A\".  Allocation using MemorySpace named \"Cuda\" failed with the following error:  "
		"Allocation of size 96.50 K failed because of an unknown error.  (The allocation mechanism was cudaMalloc().)"},
	{"CuPy's pinned memory",
		"  File \"cupy/cuda/pinned_memory.pyx\", line 32, in cupy.cuda.pinned_memory.PinnedMemory.__init__\n  File \"runtime.pyx\", line "
		"330, in cupy_backends.cuda.api.runtime.hostAlloc\ncupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorMemoryAllocation: out of memory"},
	{"a checker that saw host memory fail",
		"========= Program hit cudaErrorMemoryAllocation (error 2) due to \"out of memory\" on CUDA API call to cudaHostAlloc."},
	{"AMReX's pinned arena",
		"amrex::Abort::0::Arena out of memory!!!\nBytes to allocate: 268435456 (256 MiB)\nMemory type: pinned memory\nMPI rank: 0\n"},
	{"Paddle on the host", "Check failed: ptr Fail to allocate CPU memory 8192 bytes"},
	{"what XLA could not reduce",
		"W0000 00:00:1700000000.250000    4242 hlo_rematerialization.cc:7] Can't reduce memory use below 1.50GiB (1610612736 bytes) by "
		"rematerialization; only reduced to 6.00GiB (6442450944 bytes), down from 6.50GiB (6979321856 bytes) originally"},
	{"CUDA.jl's status",
		"Effective GPU memory usage: 87.50% (7.000 GiB/8.000 GiB)\nMemory pool usage: 3.250 GiB (6.750 GiB reserved)"},
	{"a listing of source",
		"    except torch.cuda.OutOfMemoryError:\n        torch.cuda.empty_cache()\n    if err == cudaErrorMemoryAllocation:\n"},
};

START_TEST(what_is_no_gpu_failure_gives_no_row_and_a_line)
{
	gs_snapshot s;
	read_text(&s, nothing[_i].text);
	ck_assert_msg(s.nooms == 0, "%s: %zu rows, the first %s", nothing[_i].name, s.nooms,
		s.nooms ? s.ooms[0].message : "");
	ck_assert_msg(s.nwarnings > 0, "%s: no warning", nothing[_i].name);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_message_cut_anywhere_tells_what_is_left)
{
	const message *m = &messages[4];
	for (size_t n = 60; n < strlen(m->text); n++) {
		char *text = strndup(m->text, n);
		gs_snapshot s;
		read_text(&s, text);
		ck_assert_uint_eq(s.nooms, 1);
		ck_assert_msg(s.ooms[0].device == -1 || s.ooms[0].device == m->f.device, "cut at %zu", n);
		ck_assert_msg(
			s.ooms[0].reserved == GS_NONE || s.ooms[0].reserved == m->f.reserved || n > 340,
			"cut at %zu", n);
		gs_snapshot_release(&s);
		free(text);
	}
}
END_TEST

START_TEST(the_figures_alone_are_a_message)
{
	facts f = {"pytorch", 2, GS_NONE, GS_NONE, GI(23.70), MI(10.56), GI(21.00),
		GI(21.00) + MI(140.50), GS_NONE};
	check_one("headless",
		"in use.\nGPU 2 has a total capacity of 23.70 GiB of which 10.56 MiB is free. Of the allocated memory 21.00 GiB is allocated by "
		"PyTorch, and 140.50 MiB is reserved by PyTorch but unallocated.",
		&f);
}
END_TEST

START_TEST(a_figure_cut_before_its_unit_is_none)
{
	static const struct {
		const char *text;
		size_t rows;
	} cut[] = {
		{"Out of memory error on GPU 1. Cannot allocate 56.0000", 1},
		{"Out of memory error on GPU 1. Cannot allocate 56.", 1},
		{"Out of memory error on GPU 1. Cannot allocate 56", 1},
		{"Out of GPU memory trying to allocate 64.000 Mi",
			0}, /* nothing but the figure would tell it from prose */
		{"XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 2852", 1},
	};
	for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
		gs_snapshot s;
		read_text(&s, cut[i].text);
		ck_assert_msg(s.nooms == cut[i].rows, "%s: %zu rows", cut[i].text, s.nooms);
		for (size_t k = 0; k < s.nooms; k++)
			ck_assert_msg(s.ooms[k].requested == GS_NONE, "%s: %lld", cut[i].text,
				(long long)s.ooms[k].requested);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(a_figure_whose_front_is_on_another_record_is_none)
{
	static const char stamp[] = "2024-05-01T12:33:21Z ";
	gs_snapshot s;
	char text[1000];
	snprintf(text, sizeof text,
		"%sCUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 2\n"
		"%s3.65 GiB of which 10.6\n%s6 MiB is free. Of the allocated memory 21.\n"
		"%s50 GiB is allocated by PyTorch, and 140.50 MiB is reserved by PyTorch but unallocated.\n",
		stamp, stamp, stamp, stamp);
	read_text(&s, text);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].requested, MI(20));
	ck_assert_int_eq(s.ooms[0].device_free, GS_NONE);
	ck_assert_int_eq(s.ooms[0].allocated, GS_NONE);
	ck_assert_int_eq(s.ooms[0].capacity, GS_NONE);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_status_without_a_figure_takes_none_of_the_next_message)
{
	gs_snapshot s;
	read_text(&s,
		"ResourceExhaustedError: failed to allocate memory [Op:MatMul]\n2024-05-05 05:05:05,000 INFO go on\nstep 3\n\nERROR: Out of GPU memory trying "
		"to allocate 3.250 GiB\n");
	ck_assert_uint_eq(s.nooms, 2);
	ck_assert_int_eq(s.ooms[0].requested, GS_NONE);
	ck_assert_int_eq(s.ooms[1].requested, GI(3.25));
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(statuses_of_several_failures_are_rows_and_one_that_is_logged_and_raised_is_one)
{
	static const char *const tests =
		"FAILED a.py::A::a - RuntimeError: Resource exhausted: Out of memory while trying to allocate 24 bytes.\n"
		"FAILED a.py::A::b - RuntimeError: Resource exhausted: Out of memory while trying to allocate 4 bytes.\n";
	static const char *const one =
		"2021-01-02 03:04:05.000001: E external/org_tensorflow/tensorflow/compiler/xla/pjrt/a.cc:1] Execution of replica 0 failed: "
		"Resource exhausted: Failed to allocate request for 32.00MiB (33554432B) on device ordinal 0\nTraceback (most recent call "
		"last):\n  File \"a.py\", line 7\nRuntimeError: Resource exhausted: Failed to allocate request for 32.00MiB (33554432B) on "
		"device ordinal 0\n";
	gs_snapshot s;
	read_text(&s, tests);
	ck_assert_uint_eq(s.nooms, 2);
	ck_assert_int_eq(s.ooms[0].requested, 24);
	ck_assert_int_eq(s.ooms[1].requested, 4);
	gs_snapshot_release(&s);
	read_text(&s, one);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].requested, 33554432);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(allocated_bytes_that_the_text_doubts_are_told_and_not_believed)
{
	gs_snapshot s;
	read_text(&s,
		"Out of GPU memory trying to allocate 24.500 MiB\nEffective GPU memory usage: 81.25% (6.500 GiB/8.000 GiB)\nCUDA allocator usage: 5.750 GiB\n"
		"binned usage: 20.000 KiB (20.000 KiB allocated, 0 bytes cached)\nDiscrepancy of 5.750 GiB between memory pool and allocator!");
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].allocated, KI(20.0));
	ck_assert_int_eq(s.ooms[0].reserved, GI(5.75));
	ck_assert_uint_eq(s.ndevices, 1);
	ck_assert_int_eq(s.devices[0].allocated, GS_NONE);
	ck_assert_uint_eq(s.nwarnings, 1);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_number_before_each_line_is_no_digit_of_the_text)
{
	gs_snapshot s;
	read_text(&s,
		"242: running the test of the operator a\n242: EnforceNotMet: enforce allocating <= available failed, 9000000000 > 8500000000\n242:  at b.cc:9\n");
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].device_free, 8500000000);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_repeated_message_is_two_rows_and_a_warning)
{
	char text[2048];
	gs_snapshot s;
	snprintf(text, sizeof text, "%s\nTraceback\n%s\n", messages[1].text, messages[1].text);
	read_text(&s, text);
	ck_assert_uint_eq(s.nooms, 2);
	ck_assert_uint_eq(s.nwarnings, 1);
	ck_assert_ptr_nonnull(strstr(s.warnings[0].text, "word for word"));
	gs_snapshot_release(&s);
}
END_TEST

/* Rows of a text, with the number of warnings. */
static size_t rows_of(const char *text, size_t *warnings)
{
	gs_snapshot s;
	read_text(&s, text);
	size_t n = s.nooms;
	if (warnings)
		*warnings = s.nwarnings;
	gs_snapshot_release(&s);
	return n;
}

static size_t rows_between(
	const char *before, const char *between, const char *again, const char *behind)
{
	char text[8192];
	const char *m =
		"CUDA out of memory. Tried to allocate 44.00 MiB (GPU 0; 5.80 GiB total capacity; 4.11 GiB already allocated; 31.44 MiB free; 4.38 GiB "
		"reserved in total by PyTorch)";
	snprintf(text, sizeof text, "%s%s%s%s%s%s\n", before, m, between, again, m, behind);
	return rows_of(text, NULL);
}

START_TEST(a_failure_shown_twice_is_one_row)
{
	ck_assert_uint_eq(
		rows_between("2024-06-01 01:02:03,004 ERROR worker failed: ",
			"\nTraceback (most recent call last):\n  File \"a.py\"\n", "RuntimeError: ", ""),
		1);
	ck_assert_uint_eq(
		rows_between("RuntimeError: ",
			"\n\nThe above exception was the direct cause of the following exception:\n\n",
			"RuntimeError: ", ""),
		1);
	ck_assert_uint_eq(
		rows_between("(Engine pid=9) ERROR 05-01 10:11:12 [core.py:100] RuntimeError: ",
			"\n(Engine pid=9) Process Engine:\n", "(Engine pid=9) RuntimeError: ", ""),
		1);
	ck_assert_uint_eq(
		rows_between("{\"evalue\": \"",
			"\", \"traceback\": [\"\\u001b[0;31mRuntimeError\\u001b[0m: ", "", "\"]}"),
		1);
	ck_assert_uint_eq(rows_between("# ", "\n\nI get this\n> ", "RuntimeError: ", ""), 1);
}
END_TEST

START_TEST(the_same_figures_of_two_failures_are_two_rows)
{
	ck_assert_uint_eq(
		rows_between("RuntimeError: ", "\ntrying a smaller batch\n", "RuntimeError: ", ""), 2);
	ck_assert_uint_eq(rows_between("FAILED tests/a.py::one - RuntimeError: ", "\n",
						  "FAILED tests/a.py::two - RuntimeError: ", ""),
		2);
	ck_assert_uint_eq(rows_between("2024-06-01 01:02:03,004 ERROR step: ", "\n",
						  "2024-06-01 01:07:03,004 WARNING ", ""),
		2);
}
END_TEST

START_TEST(a_heading_without_figures_belongs_to_its_message)
{
	static const char *const headings[] = {"# CUDA out of memory\n\n",
		"torch.cuda.OutOfMemoryError\n\n",
		"RuntimeError: CUDA out of memory. Tried to allocate ...\n",
		"ERROR: CUDA out of memory!\n"};
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
		char text[2048];
		snprintf(text, sizeof text, "%sIt says:\n%s\n", headings[i], messages[1].text);
		check_one(headings[i], text, &messages[1].f);
		snprintf(
			text, sizeof text, "%s\nand at the end of the log\n%s", messages[1].text, headings[i]);
		check_one(headings[i], text, &messages[1].f);
	}
}
END_TEST

START_TEST(an_error_with_advice_where_to_look_is_one_row)
{
	ck_assert_uint_eq(
		rows_of(
			"torch.AcceleratorError: HIP error: out of memory\nSearch for `hipErrorOutOfMemory' in https://docs.example.org/ for more "
			"information.\nHIP kernel errors might be asynchronously reported at some other API call.\n",
			NULL),
		1);
	ck_assert_uint_eq(
		rows_of(
			"RuntimeError: CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported\n\nCUDA error: out of memory\nCUDA kernel errors "
			"might be asynchronously reported\n",
			NULL),
		1);
}
END_TEST

START_TEST(frames_columns_and_marks_around_a_message_do_not_matter)
{
	const facts *f = &messages[1].f;
	check_one("a frame",
		"│ RuntimeError: CUDA out of memory. Tried to allocate 44.00 MiB (GPU 0; 5.80   │\n│ GiB total capacity; 4.11 GiB already "
		"allocated; 31.44 MiB free; 4.38 GiB     │\n│ reserved in total by PyTorch)                                                │\n",
		f);
	check_one("a column with the place in the source",
		"[10:20:30] ERROR    CUDA out of memory. Tried to allocate 44.00 MiB (GPU 0; 5.80 worker.py:88\n"
		"                    GiB total capacity; 4.11 GiB already allocated; 31.44 MiB free; 4.38\n                    GiB reserved in total by PyTorch)\n",
		f);
	check_one("bold",
		"**RuntimeError: CUDA out of memory.** Tried to allocate **44.00 MiB** (GPU 0; **5.80 GiB** total capacity; 4.11 GiB already allocated; "
		"**31.44 MiB** free; 4.38 GiB reserved in total by PyTorch)",
		f);
	check_one("full-width signs",
		"错误：RuntimeError：CUDA out of memory. Tried to allocate 44.00 MiB（GPU 0；5.80 GiB total capacity；4.11 GiB already allocated；"
		"31.44 MiB　free；4.38 GiB reserved in total by PyTorch）",
		f);
	check_one("marks of no width",
		"RuntimeError: CUDA out of memory. Tried to allocate 44.00\xe2\x80\x8b MiB (GPU 0; 5.80 GiB total capacity; 4.11 GiB already "
		"allocated; 31.\xe2\x80\x8b"
		"44 MiB free; 4.38 GiB reserved in total by PyTorch)",
		f);
	check_one("colours without their escape character",
		"[36m(Task pid=12)[0m [1;31mRuntimeError[0m: CUDA out of memory. Tried to allocate [1;36m44.00[0m MiB (GPU "
		"[1;36m0[0m; 5.80 GiB total capacity; 4.11 GiB already allocated; 31.44 MiB free; 4.38 GiB reserved in total by PyTorch)",
		f);
	check_one("a code page",
		"\xce\xf8\xe8\xe1\xea\xe0: RuntimeError: CUDA out of memory. Tried to allocate 44.00 MiB (GPU 0; 5.80 GiB total capacity; 4.11 GiB "
		"already allocated; 31.44 MiB free; 4.38 GiB reserved in total by PyTorch)\n\xcd\xe5 \xf5\xe2\xe0\xf2\xe0\xe5\xf2 \xef\xe0\xec\xff\xf2\xe8\n",
		f);
}
END_TEST

START_TEST(a_power_is_not_taken_for_a_mark)
{
	gs_snapshot s;
	read_text(&s,
		"limit = 2**30\nRuntimeError: CUDA out of memory. Tried to allocate 44.00 MiB (GPU 0; 5.80 GiB total capacity; 4.11 GiB already allocated; "
		"31.44 MiB free; 4.38 GiB reserved in total by PyTorch) # 1024**3 bytes");
	ck_assert_uint_eq(s.nooms, 1);
	check_row("a power", &s.ooms[0], &messages[1].f);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_message_cut_before_its_device_takes_no_number_of_the_next_line)
{
	facts f = {"pytorch", -1, GI(13.85), GI(13.85), GS_NONE, GS_NONE, GS_NONE, GS_NONE, GS_NONE};
	check_one("cut",
		"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 13.85 GiB. GPU\n3 workers left, 2.00 GiB free on the disk\n",
		&f);
}
END_TEST

START_TEST(a_message_cut_behind_its_device_names_it)
{
	static const char *const cut[] = {" of 5", " of", "", "\nstep 7\n"};
	for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
		char text[200];
		facts f = {"pytorch", 3, MI(60), MI(60), GS_NONE, GS_NONE, GS_NONE, GS_NONE, GS_NONE};
		snprintf(text, sizeof text,
			"CUDA out of memory. Tried to allocate 60.00 MiB. GPU 3 has a total capacity%s",
			cut[i]);
		check_one(text, text, &f);
	}
}
END_TEST

START_TEST(a_log_is_no_pickle)
{
	static const char *const logs[] = {
		"(VWorker rank=0 pid=1) starting\n(VWorker rank=1 pid=2) starting\n",
		"(Supervisor) up\nVersion 3\n", "(Sentry)\n'x'\n", "cuda\nerror\n(no more)\n",
		"(dll loaded) fine\n", "(lp0 on fire)\n", "(Validator pid=2) ok\n211.5 steps a second\n"};
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		char text[1024];
		snprintf(text, sizeof text, "%s%s\n", logs[i], messages[1].text);
		check_one(logs[i], text, &messages[1].f);
	}
}
END_TEST

START_TEST(no_message_is_said_on_one_line)
{
	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
		size_t warnings;
		rows_of(nothing[i].text, &warnings);
		ck_assert_msg(warnings == 1 || strstr(nothing[i].text, "20"), "%s: %zu lines",
			nothing[i].name, warnings);
	}
}
END_TEST

START_TEST(a_device_gets_the_facts_of_its_last_message)
{
	char text[4096];
	gs_snapshot s;
	snprintf(
		text, sizeof text, "%s\n%s\n%s\n", messages[2].text, messages[3].text, messages[4].text);
	read_text(&s, text);
	ck_assert_uint_eq(s.ndevices, 3);
	const gs_device *d = gs_snapshot_find_device(&s, 1);
	ck_assert_ptr_nonnull(d);
	ck_assert_int_eq(d->capacity, GI(11.75));
	ck_assert_int_eq(d->reserved, GI(9.40) + MI(411.33));
	ck_assert_int_eq(d->others, GI(1.50));
	ck_assert(!d->has_layout);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_message_is_kept_as_it_was_found)
{
	gs_snapshot s;
	read_text(&s,
		"noise before torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.00 MiB. GPU 0 has a total capacity of 1.00 GiB of which "
		"0 bytes is free.\nnext line");
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_str_eq(s.ooms[0].message,
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.00 MiB. GPU 0 has a total capacity of 1.00 GiB of "
		"which 0 bytes is free.");
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(what_stands_behind_a_quoted_message_is_not_in_it)
{
	static const char *const texts[] = {
		"{\"detail\": \"HIP out of memory. Tried to allocate 6.00 MiB. GPU 0 has a total capacity of 1.00 GiB of which 0 bytes is free.\", \"code\": 500}",
		"Error('HIP out of memory. Tried to allocate 6.00 MiB. GPU 0 has a total capacity of 1.00 GiB of which 0 bytes is free.')",
		"<pre>HIP out of memory. Tried to allocate 6.00 MiB. GPU 0 has a total capacity of 1.00 GiB of which 0 bytes is free.</pre>"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		gs_snapshot s;
		read_text(&s, texts[i]);
		ck_assert_uint_eq(s.nooms, 1);
		ck_assert_str_eq(s.ooms[0].message,
			"HIP out of memory. Tried to allocate 6.00 MiB. GPU 0 has a total capacity of 1.00 GiB of which 0 bytes is free.");
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(the_tail_of_one_message_is_not_in_another)
{
	gs_snapshot s;
	read_text(&s,
		"MPS backend out of memory (MPS allocated: 4.00 GB, other allocations: 1.00 GB, max allowed: 5.00 GB). Tried to allocate 8.00 MB on private pool. Use "
		"PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure).\nand then on the other machine, with nothing "
		"between\nXPU out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 4.00 GiB. Of the allocated memory 3.00 GiB is allocated by PyTorch, and "
		"1.00 MiB is reserved by PyTorch but unallocated. Please use `empty_cache` to release all unoccupied cached memory.\n");
	ck_assert_uint_eq(s.nooms, 2);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_long_log_is_read_to_its_end)
{
	size_t n = 0, cap = 3000000;
	char *text = malloc(cap + 4096);
	for (unsigned i = 0; n < cap; i++)
		n += (size_t)sprintf(text + n,
			"2024-01-01 00:00:%02u,000 | INFO | train | step %u loss %u.%u throughput high\n",
			i % 60, i, i % 9, i);
	strcpy(text + n, messages[3].text);
	gs_snapshot s;
	read_text(&s, text);
	ck_assert_uint_eq(s.nooms, 1);
	check_row("the last line", &s.ooms[0], &messages[3].f);
	gs_snapshot_release(&s);

	memset(text, ' ', 1000000); /* nothing but blanks for longer than a window */
	strcpy(text + 1000000, messages[3].text);
	check_one("after blanks", text, &messages[3].f);
	free(text);
}
END_TEST

START_TEST(utf_16_is_read)
{
	const char *text = messages[1].text;
	static const unsigned before[] = {0xfeff, 0x9519, 0x8bef, 0xff1a, '\\', 'n'};
	size_t n = strlen(text), at = sizeof before / sizeof *before;
	unsigned char *wide = malloc(2 * n + 2 * at);
	for (size_t i = 0; i < n + at; i++) {
		unsigned c = i < at ? before[i] : (unsigned char)text[i - at];
		wide[2 * i] = (unsigned char)c;
		wide[2 * i + 1] = (unsigned char)(c >> 8);
	}
	n += at - 1;
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(gs_read_memory(wide, 2 * n + 2, GS_WANT_ALL, &s, &err) == GS_OK, "%s", err.text);
	free(wide);
	ck_assert_uint_eq(s.nooms, 1);
	check_row("UTF-16", &s.ooms[0], &messages[1].f);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(bytes_that_are_no_text_are_of_no_known_kind)
{
	unsigned char junk[4096];
	unsigned x = 12345;
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	for (size_t i = 0; i < sizeof junk; i++)
		junk[i] = (unsigned char)((x = x * 1103515245 + 12345) >> 16);
	ck_assert_int_eq(gs_read_memory(junk, sizeof junk, GS_WANT_ALL, &s, &err), GS_UNKNOWN_KIND);
}
END_TEST

/* The corpus, where it is at hand: figures by file name. */
static const struct {
	const char *file;
	facts f;
} corpus[] = {
#define N GS_NONE
	{"002", {"pytorch", -1, N, N, N, N, N, N, N}},
	{"004", {"pytorch", -1, N, N, N, N, N, N, N}},
	{"006", {"pytorch", 0, MI(1.12), N, GI(22.37), MI(3.56), GI(15.87), GI(15.87) + MI(787.74), N}},
	{"008", {"pytorch", 0, MI(12.5), N, GI(10.92), GI(9.28), MI(8.57), MI(8.57) + MI(4.68), N}},
	{"010", {"pytorch", 1, MI(130.0), MI(130.0), GI(7.80), MI(33.56), GI(5.91), GI(6.09), N}},
	{"012", {"pytorch", 0, MI(264.0), MI(264.0), GI(2.00), MI(145.93), MI(788.51), GI(1.02), N}},
	{"014", {"pytorch", 0, MI(600.0), MI(600.0), GI(10.92), MI(385.56), GI(8.55), GI(9.09), N}},
	{"016", {"pytorch", 0, MI(16.0), MI(16.0), GI(3.94), MI(14.25), GI(2.98), GI(3.0), N}},
	{"018", {"pytorch", 0, GI(2.11), GI(2.11), GI(8.0), 0, GI(19.84), GI(22.26), N}},
	{"020", {"pytorch", 0, GI(1.39), GI(1.39), GI(6.0), MI(478.0), GI(4.04), GI(4.15), N}},
	{"022",
		{"pytorch", 0, MI(32.0), MI(32.0), GI(4.0), MI(41.56), GI(2.58), GI(2.58) + MI(1.90), N}},
	{"024",
		{"pytorch", 0, GI(3.0), GI(3.0), GI(23.65), GI(1.66), GI(12.09), GI(12.09) + GI(4.84), N}},
	{"026",
		{"pytorch", 0, GI(128.0), GI(128.0), GI(23.65), GI(7.95), GI(8.13), GI(8.13) + MI(8.94),
			N}},
	{"028",
		{"pytorch", 0, GI(22.78), GI(22.78), GI(31.47), GI(12.73), GI(9.08), GI(9.08) + GI(9.35),
			N}},
	{"030", {"pytorch", 6, MI(2.0), MI(2.0), GI(44.53), KI(448.0), N, N, N}},
	{"032",
		{"pytorch", 0, MI(98.0), MI(98.0), GI(4.0), GI(2.86), MI(254.49), MI(254.49) + MI(97.51),
			N}},
	{"034",
		{"pytorch", 0, MI(996.0), MI(996.0), GI(44.43), GI(9.06), GI(17.44), GI(17.44) + MI(59.88),
			GI(17.69)}},
	{"036", {"pytorch", 0, N, N, GI(191.69), 0, GI(9.58), N, GI(50.0)}},
	{"038",
		{"pytorch", 0, MI(270.0), MI(270.0), GI(21.67), MI(255.75), GI(20.08),
			GI(20.08) + MI(56.49), N}},
	{"040", {"pytorch", 0, MI(654.0), MI(654.0), GI(23.52), GI(22.96), N, N, N}},
	{"042", {"pytorch", 0, KI(512.0), N, GI(15.99), 0, GI(15.16), N, N}},
	{"044", {"pytorch", -1, N, N, N, N, N, N, N}},
	{"046",
		{"pytorch", 7, MI(2.0), MI(2.0), GI(287.98), GI(203.49), GI(68.63), GI(68.63) + GI(14.93),
			N}},
	{"048",
		{"pytorch", 0, MI(76.0), MI(76.0), GI(255.69), GI(252.82), GI(1.14), GI(1.14) + MI(18.63),
			GI(1.20)}},
	{"050", {"pytorch", 0, GI(32.0), GI(32.0), GI(11.59), GI(9.01), 0, 0, N}},
	{"052", {"pytorch", -1, MI(147.24), N, N, N, GI(5.50), N, GI(20.40)}},
	{"054", {NULL, 0, 0, 0, 0, 0, 0, 0, 0}},
	{"056", {NULL, 0, 0, 0, 0, 0, 0, 0, 0}},
	{"058", {"rmm", -1, N, N, N, N, N, N, N}},
	{"060", {"rmm", -1, N, N, N, N, N, N, N}},
	{"062", {"rmm", -1, N, N, N, N, N, N, N}},
	{"064", {"cupy", -1, 25600000, N, N, N, N, 3635267072, N}},
	{"066", {"paddle", 0, MI(98.000244), N, GI(6.0), 0, N, N, N}},
	{"068", {"onnxruntime", -1, 4585490524328388608, N, N, N, N, N, N}},
	{"070", {"jax", -1, 285212672, N, N, N, N, N, N}},
	{"072", {"jax", 0, 4831838208, N, N, N, N, N, N}},
	{"074", {NULL, 0, 0, 0, 0, 0, 0, 0, 0}},
	{"076", {"tensorflow", -1, 19104890880, N, N, N, N, N, N}},
	{"080", {"mallocmc", -1, N, N, N, N, N, N, N}},
#undef N
};

START_TEST(the_corpus_is_read)
{
	static const char folder[] = "../shared/corpus/oom-messages";
	struct dirent *e;
	DIR *d = opendir(folder);
	size_t seen = 0;
	if (!d) {
		gs_skip(folder);
		return;
	}
	while ((e = readdir(d)))
		for (size_t i = 0; i < sizeof corpus / sizeof *corpus; i++) {
			char path[512];
			gs_snapshot s;
			gs_error err = GS_ERROR_INIT;
			if (strncmp(e->d_name, corpus[i].file, 3))
				continue;
			snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
			ck_assert_msg(
				gs_read_path(path, GS_WANT_ALL, &s, &err) == GS_OK, "%s: %s", path, err.text);
			ck_assert_msg(!corpus[i].f.library == !s.nooms, "%s: %zu rows", path, s.nooms);
			if (s.nooms)
				check_row(e->d_name, &s.ooms[0], &corpus[i].f);
			else
				ck_assert_uint_gt(s.nwarnings, 0);
			gs_snapshot_release(&s);
			seen++;
		}
	closedir(d);
	ck_assert_uint_eq(seen, sizeof corpus / sizeof *corpus);
}
END_TEST

Suite *suite_oom_text(void);
Suite *suite_oom_text(void)
{
	Suite *s = suite_create("oom_text");
	TCase *each = tcase_create("each"), *logs = tcase_create("logs");
	int n = (int)(sizeof messages / sizeof *messages);
	tcase_add_loop_test(each, a_message_tells_its_figures, 0, n);
	tcase_add_loop_test(each, a_message_wrapped_at_any_column_tells_the_same, 0, n);
	tcase_add_loop_test(each, a_quoted_message_tells_the_same, 0, n);
	tcase_add_loop_test(each, a_message_wrapped_and_quoted_tells_the_same, 0, n);
	tcase_add_loop_test(each, an_escaped_message_tells_the_same, 0, n);
	tcase_add_loop_test(each, what_is_no_gpu_failure_gives_no_row_and_a_line, 0,
		(int)(sizeof nothing / sizeof *nothing));
	tcase_add_test(logs, all_messages_of_one_log_are_rows);
	tcase_add_test(logs, a_status_without_a_figure_takes_none_of_the_next_message);
	tcase_add_test(logs, a_figure_cut_before_its_unit_is_none);
	tcase_add_test(logs, a_figure_whose_front_is_on_another_record_is_none);
	tcase_add_test(
		logs, statuses_of_several_failures_are_rows_and_one_that_is_logged_and_raised_is_one);
	tcase_add_test(logs, allocated_bytes_that_the_text_doubts_are_told_and_not_believed);
	tcase_add_test(logs, a_number_before_each_line_is_no_digit_of_the_text);
	tcase_add_test(logs, a_message_cut_anywhere_tells_what_is_left);
	tcase_add_test(logs, the_figures_alone_are_a_message);
	tcase_add_test(logs, a_repeated_message_is_two_rows_and_a_warning);
	tcase_add_test(logs, a_failure_shown_twice_is_one_row);
	tcase_add_test(logs, the_same_figures_of_two_failures_are_two_rows);
	tcase_add_test(logs, a_heading_without_figures_belongs_to_its_message);
	tcase_add_test(logs, an_error_with_advice_where_to_look_is_one_row);
	tcase_add_test(logs, frames_columns_and_marks_around_a_message_do_not_matter);
	tcase_add_test(logs, a_power_is_not_taken_for_a_mark);
	tcase_add_test(logs, a_message_cut_before_its_device_takes_no_number_of_the_next_line);
	tcase_add_test(logs, a_message_cut_behind_its_device_names_it);
	tcase_add_test(logs, a_log_is_no_pickle);
	tcase_add_test(logs, no_message_is_said_on_one_line);
	tcase_add_test(logs, a_device_gets_the_facts_of_its_last_message);
	tcase_add_test(logs, the_message_is_kept_as_it_was_found);
	tcase_add_test(logs, what_stands_behind_a_quoted_message_is_not_in_it);
	tcase_add_test(logs, the_tail_of_one_message_is_not_in_another);
	tcase_add_test(logs, a_long_log_is_read_to_its_end);
	tcase_add_test(logs, utf_16_is_read);
	tcase_add_test(logs, bytes_that_are_no_text_are_of_no_known_kind);
	tcase_add_test(logs, the_corpus_is_read);
	tcase_set_timeout(each, 20);
	tcase_set_timeout(logs, 20);
	suite_add_tcase(s, each);
	suite_add_tcase(s, logs);
	return s;
}
