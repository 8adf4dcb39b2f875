/* The figures of CUDA's driver API that the recorder relies on, as HEADER declares them; with
 * CUDA's own header (-DHEADER='<cuda.h>') the functions are held against it by the compiler, and
 * what is printed is compared with what the recorder's own header prints. */
#include HEADER
#include <stdio.h>

#include "recorder/device/driver.h"

#define SIZE(type) printf("sizeof " #type " %zu\n", sizeof(type))
#define PLACE(type, field) \
	printf("%s.%s %zu %zu\n", #type, #field, offsetof(type, field), sizeof(((type *)0)->field))
#define VALUE(name) printf("%s %d\n", #name, (int)(name))
#define TEXT_OF(x) #x
#define VERSION(name) puts(TEXT_OF(name))

int main(void)
{
	SIZE(CUresult);
	SIZE(CUdevice);
	SIZE(CUdeviceptr);
	SIZE(CUmemGenericAllocationHandle);
	SIZE(CUcontext);
	SIZE(CUmemAllocationProp);
	SIZE(CUmemAccessDesc);
	PLACE(CUmemAllocationProp, type);
	PLACE(CUmemAllocationProp, requestedHandleTypes);
	PLACE(CUmemAllocationProp, location.type);
	PLACE(CUmemAllocationProp, location.id);
	PLACE(CUmemAllocationProp, win32HandleMetaData);
	PLACE(CUmemAllocationProp, allocFlags.compressionType);
	PLACE(CUmemAllocationProp, allocFlags.gpuDirectRDMACapable);
	PLACE(CUmemAllocationProp, allocFlags.usage);
	PLACE(CUmemAllocationProp, allocFlags.reserved);
	PLACE(CUmemAccessDesc, location.type);
	PLACE(CUmemAccessDesc, location.id);
	PLACE(CUmemAccessDesc, flags);
	VALUE(CUDA_SUCCESS);
	VALUE(CUDA_ERROR_OUT_OF_MEMORY);
	VALUE(CUDA_ERROR_NOT_READY);
	VALUE(CUDA_ERROR_UNKNOWN);
	VALUE(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
	VALUE(CU_EVENT_DISABLE_TIMING);
	VALUE(CU_MEM_ALLOCATION_TYPE_PINNED);
	VALUE(CU_MEM_HANDLE_TYPE_NONE);
	VALUE(CU_MEM_LOCATION_TYPE_DEVICE);
	VALUE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	VERSION(cuDevicePrimaryCtxRelease);
	VERSION(cuCtxPushCurrent);
	VERSION(cuCtxPopCurrent);
	VERSION(cuMemGetInfo);
	VERSION(cuMemAlloc);
	VERSION(cuMemFree);
	VERSION(cuEventDestroy);
	return 0;
}
