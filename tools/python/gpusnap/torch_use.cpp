// The recording pool as PyTorch's allocator, with all that PyTorch asks of its own: figures, snapshots, memory fractions, pools,
// observers of failures. CUDAPluggableAllocator answers half of that with an exception, so it is derived from; functions whose form
// differs between releases are declared in each form, and the one that fits overrides. Compiled on first use against the user's
// PyTorch; where that cannot be (no CUDA headers), torch_glue.cpp alone serves.
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include <ATen/record_function.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include "gpusnap.h"
#include "torch_backward.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
namespace cca = c10::cuda::CUDACachingAllocator;
using c10::CachingDeviceAllocator::DeviceStats;
using c10::cuda::MempoolId_t;
using filter = std::function<bool(cudaStream_t)>;

static void must(gpusnap_status status)
{
	TORCH_CHECK(status == GPUSNAP_OK, "gpusnap: ", gpusnap_error());
}

// --- failures ------------------------------------------------------------------------------------------------------------------

static std::mutex observing;
static std::vector<cca::OutOfMemoryObserver> observers;

static void tell_observers(int device, size_t bytes)
{
	uint64_t free = 0, total = 0;
	std::vector<cca::OutOfMemoryObserver> all;
	{
		std::lock_guard<std::mutex> guard(observing);
		all = observers;
	}
	if (!all.empty())
		gpusnap_memory_info(device, &free, &total);
	for (const auto &observer : all)
		observer(device, bytes, total, free);
}

static int64_t figure(int device, const std::string &name)
{
	int64_t value = 0;
	return gpusnap_stat(device, name.c_str(), &value) == GPUSNAP_OK ? value : 0;
}

// torch.profiler with profile_memory=True hears of every block from the allocator; figures are looked up only for it.
static void tell_profiler(void *ptr, int device, int64_t change)
{
	c10::reportMemoryUsageToProfiler(ptr, change, static_cast<size_t>(figure(device, "allocated_bytes.all.current")),
		static_cast<size_t>(figure(device, "reserved_bytes.all.current")),
		c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)));
}

static int64_t block_size(int device, void *ptr)
{
	size_t bytes = 0;
	return gpusnap_block_size(device, ptr, &bytes) == GPUSNAP_OK ? static_cast<int64_t>(bytes) : 0;
}

static void *allocate_on(size_t bytes, int device, cudaStream_t stream)
{
	void *ptr = nullptr;
	gpusnap_status status = [&] {
		backward::named node;
		return gpusnap_malloc(device, bytes, stream, &ptr);
	}();
	if (status == GPUSNAP_OUT_OF_MEMORY) {
		std::string words = gpusnap_error();
		tell_observers(device, bytes);
		TORCH_CHECK_WITH(OutOfMemoryError, false, words);
	}
	must(status);
	if (ptr && c10::memoryProfilingEnabled())
		tell_profiler(ptr, device, block_size(device, ptr));
	return ptr;
}

static void free_on(void *ptr, size_t, int device, cudaStream_t)
{
	bool told = ptr && c10::memoryProfilingEnabled();
	int64_t bytes = told ? block_size(device, ptr) : 0;
	gpusnap_free(device, ptr);
	if (told)
		tell_profiler(ptr, device, -bytes);
}

// --- figures -------------------------------------------------------------------------------------------------------------------

template <class Stat> static void read_stat(int device, const std::string &name, Stat &s)
{
	s.current = figure(device, name + ".current");
	s.peak = figure(device, name + ".peak");
	s.allocated = figure(device, name + ".allocated");
	s.freed = figure(device, name + ".freed");
}

template <class Array> static void read_stats(int device, const std::string &name, Array &a)
{
	static const char *const pools[] = { ".all", ".small_pool", ".large_pool" };
	for (size_t i = 0; i < 3; i++)
		read_stat(device, name + pools[i], a[i]);
}

// --- the layout ----------------------------------------------------------------------------------------------------------------

static bool wanted(const gpusnap_segment_row &s, MempoolId_t pool)
{
	return (pool.first == 0 && pool.second == 0) || (s.pool_id.a == pool.first && s.pool_id.b == pool.second);
}

static cca::SegmentInfo segment_of(const gpusnap_segment_row &row)
{
	cca::SegmentInfo s{};
	s.device = static_cast<c10::DeviceIndex>(row.device);
	s.address = row.address;
	s.total_size = row.bytes;
	s.stream = reinterpret_cast<decltype(s.stream)>(row.stream);
	s.is_large = row.pool == GPUSNAP_LARGE;
	s.is_expandable = row.expandable != 0;
	s.owner_private_pool_id = { row.pool_id.a, row.pool_id.b };
	return s;
}

static void put_block(cca::SegmentInfo &s, const gpusnap_block_row &row)
{
	cca::BlockInfo b{};
	b.size = row.bytes;
	b.allocated = row.state == GPUSNAP_ACTIVE_ALLOCATED;
	b.active = row.state != GPUSNAP_INACTIVE;
	b.requested_size = b.active ? static_cast<size_t>(row.requested) : 0;
	s.allocated_size += b.allocated ? b.size : 0;
	s.active_size += b.active ? b.size : 0;
	s.requested_size += b.active ? b.requested_size : 0;
	s.blocks.push_back(std::move(b));
}

static void put_layout(int device, MempoolId_t pool, std::vector<cca::SegmentInfo> &to)
{
	std::vector<gpusnap_segment_row> segments;
	std::vector<gpusnap_block_row> blocks;
	size_t nsegments = 64, nblocks = 1024;
	do { // again while there are more than there was room for
		segments.resize(nsegments);
		blocks.resize(nblocks);
		if (gpusnap_layout(device, segments.data(), &nsegments, blocks.data(), &nblocks) != GPUSNAP_OK)
			return;
	} while (nsegments > segments.size() || nblocks > blocks.size());
	size_t b = 0;
	for (size_t i = 0; i < nsegments; i++) {
		cca::SegmentInfo s = segment_of(segments[i]);
		for (; b < nblocks && blocks[b].address - s.address < s.total_size; b++)
			put_block(s, blocks[b]);
		if (wanted(segments[i], pool))
			to.push_back(std::move(s));
	}
}

// Releases whose snapshot() has no argument tell of the pool that is active.
namespace c10::cuda {
struct MemPoolContext;
}
template <class Context> static auto active_pool(int) -> decltype(Context::getActiveMemPool()->id())
{
	auto *pool = Context::getActiveMemPool();
	return pool ? pool->id() : MempoolId_t{ 0, 0 };
}
template <class> static MempoolId_t active_pool(long)
{
	return { 0, 0 };
}

static cca::SnapshotInfo layout_of(MempoolId_t pool)
{
	cca::SnapshotInfo all{};
	all.config_metadata.max_split_size = SIZE_MAX;
	all.device_traces.resize(static_cast<size_t>(gpusnap_devices()));
	for (int device = 0; device < gpusnap_devices(); device++)
		put_layout(device, pool, all.segments);
	return all;
}

// --- the allocator -------------------------------------------------------------------------------------------------------------

enum { CAPTURE = GPUSNAP_CAPTURE };

// The filter lives until its pool's end call; captures are few, so what is left over is not looked for.
static bool accepts(void *arg, uint64_t stream)
{
	return (*static_cast<filter *>(arg))(reinterpret_cast<cudaStream_t>(stream));
}
static bool accepts_none(void *, uint64_t)
{
	return false;
}

namespace {

using Pluggable = torch::cuda::CUDAPluggableAllocator::CUDAPluggableAllocator;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
class Recording : public Pluggable {
	std::mutex lock_;
	std::map<int, double> fractions_;
	std::map<std::pair<int, MempoolId_t>, int> users_;

	int *users(int device, MempoolId_t id) { return &users_[{ device, id }]; }

public:
	Recording() : Pluggable(allocate_on, free_on) {}

	virtual void emptyCache(MempoolId_t)
	{
		for (int device = 0; device < gpusnap_devices(); device++)
			gpusnap_empty_cache(device);
	}
	virtual void emptyCache() { emptyCache(MempoolId_t{ 0, 0 }); }

	virtual double getMemoryFraction(c10::DeviceIndex device)
	{
		std::lock_guard<std::mutex> guard(lock_);
		auto known = fractions_.find(device);
		return known == fractions_.end() ? 1.0 : known->second;
	}
	virtual void setMemoryFraction(double fraction, c10::DeviceIndex device)
	{
		must(gpusnap_set_memory_fraction(device, fraction));
		std::lock_guard<std::mutex> guard(lock_);
		fractions_[device] = fraction;
	}

	virtual DeviceStats getDeviceStats(c10::DeviceIndex device)
	{
		DeviceStats s{};
#define ARRAY(name) read_stats(device, #name, s.name);
#define NUMBER(name) s.name = figure(device, #name);
		ARRAY(allocation) ARRAY(segment) ARRAY(active) ARRAY(inactive_split) ARRAY(allocated_bytes) ARRAY(reserved_bytes)
		ARRAY(active_bytes) ARRAY(inactive_split_bytes) ARRAY(requested_bytes)
		read_stat(device, "oversize_allocations", s.oversize_allocations);
		read_stat(device, "oversize_segments", s.oversize_segments);
		NUMBER(num_alloc_retries) NUMBER(num_ooms) NUMBER(num_sync_all_streams) NUMBER(num_device_alloc) NUMBER(num_device_free)
		NUMBER(max_split_size)
		return s;
	}
	virtual void resetAccumulatedStats(c10::DeviceIndex device) { must(gpusnap_reset_accumulated_stats(device)); }
	virtual void resetPeakStats(c10::DeviceIndex device) { must(gpusnap_reset_peak_stats(device)); }
	virtual void cacheInfo(c10::DeviceIndex device, size_t *largest)
	{
		uint64_t free = 0, total = 0;
		must(gpusnap_memory_info(device, &free, &total));
		*largest = free;
	}

	virtual cca::SnapshotInfo snapshot(MempoolId_t pool, bool) { return layout_of(pool); }
	virtual cca::SnapshotInfo snapshot(MempoolId_t pool) { return layout_of(pool); }
	virtual cca::SnapshotInfo snapshot() { return layout_of(active_pool<c10::cuda::MemPoolContext>(0)); }

	virtual void *getBaseAllocation(void *ptr, size_t *size)
	{
		for (int device = 0; device < gpusnap_devices(); device++)
			if (gpusnap_block_size(device, ptr, size) == GPUSNAP_OK)
				break;
		return ptr;
	}
	virtual void recordStream(const c10::DataPtr &ptr, c10::cuda::CUDAStream stream)
	{
		if (ptr.get()) // which device is not told: the address belongs to one only
			for (int device = 0; device < gpusnap_devices(); device++)
				if (gpusnap_record_stream(device, ptr.get(), stream.stream()) == GPUSNAP_OK)
					return;
	}

	// Whether exactly these blocks of a pool are in use.
	virtual bool checkPoolLiveAllocations(c10::DeviceIndex device, MempoolId_t id, const std::unordered_set<void *> &expected)
	{
		{
			std::lock_guard<std::mutex> guard(lock_);
			TORCH_CHECK(users_.count({ device, id }), "Could not find pool of id");
		}
		std::vector<cca::SegmentInfo> segments;
		put_layout(device, id, segments);
		size_t live = 0;
		for (const auto &segment : segments) {
			auto at = segment.address;
			for (const auto &block : segment.blocks) {
				if (block.allocated && !expected.count(reinterpret_cast<void *>(at)))
					return false;
				live += block.allocated;
				at += block.size;
			}
		}
		return live == expected.size();
	}

	virtual void beginAllocateToPool(c10::DeviceIndex device, MempoolId_t id, filter wants)
	{
		must(gpusnap_pool_begin_if(device, { id.first, id.second }, accepts, new filter(std::move(wants)), id.first ? CAPTURE : 0));
		std::lock_guard<std::mutex> guard(lock_);
		++*users(device, id);
	}
	virtual void endAllocateToPool(c10::DeviceIndex device, MempoolId_t id) { gpusnap_pool_end(device, { id.first, id.second }); }
	virtual void releasePool(c10::DeviceIndex device, MempoolId_t id)
	{
		gpusnap_pool_release(device, { id.first, id.second });
		std::lock_guard<std::mutex> guard(lock_);
		--*users(device, id);
	}
	virtual int getPoolUseCount(c10::DeviceIndex device, MempoolId_t id)
	{
		std::lock_guard<std::mutex> guard(lock_);
		return *users(device, id);
	}
	virtual void ensureExistsAndIncrefPool(c10::DeviceIndex device, MempoolId_t id)
	{
		must(gpusnap_pool_begin_if(device, { id.first, id.second }, accepts_none, nullptr, 0));
		gpusnap_pool_end(device, { id.first, id.second });
		std::lock_guard<std::mutex> guard(lock_);
		++*users(device, id);
	}
	virtual void createOrIncrefPool(c10::DeviceIndex device, MempoolId_t id, std::shared_ptr<cca::CUDAAllocator> other)
	{
		TORCH_CHECK(!other, "gpusnap.torch.use(): a MemPool with an allocator of its own is not served");
		ensureExistsAndIncrefPool(device, id);
	}
	virtual void createOrIncrefPool(c10::DeviceIndex device, MempoolId_t id, cca::CUDAAllocator *other)
	{
		TORCH_CHECK(!other, "gpusnap.torch.use(): a MemPool with an allocator of its own is not served");
		ensureExistsAndIncrefPool(device, id);
	}

	// Our pools serve nobody else, and are split as the others are: only asking for that is worth a word.
	virtual void setUseOnOOM(c10::DeviceIndex, MempoolId_t, bool on) { not_so(on, "use_on_oom"); }
	virtual void setNoSplit(c10::DeviceIndex, MempoolId_t) { not_so(true, "no_split"); }

	virtual bool isHistoryEnabled() { return false; }
	virtual void recordHistory(bool on, cca::CreateContextFn, size_t, cca::RecordContext) { no_history(on); }
	virtual void recordHistory(bool on, cca::CreateContextFn, size_t, cca::RecordContext, bool) { no_history(on); }
	virtual void recordHistory(bool on, cca::CreateContextFn, size_t, cca::RecordContext, bool, const std::vector<std::string> &)
	{
		no_history(on);
	}
	virtual void attachOutOfMemoryObserver(cca::OutOfMemoryObserver observer)
	{
		std::lock_guard<std::mutex> guard(observing);
		observers.push_back(std::move(observer));
	}

private:
	static void not_so(bool on, const char *what)
	{
		if (on)
			TORCH_WARN_ONCE("under gpusnap.torch.use() a MemPool's ", what, " has no effect");
	}
	static void no_history(bool on)
	{
		if (on)
			TORCH_WARN_ONCE("under gpusnap.torch.use() PyTorch's history records nothing: gpusnap records in its place");
	}
};
#pragma GCC diagnostic pop

} // namespace

// torch.profiler.record_function and the profiler's steps.
static std::unique_ptr<at::ObserverContext> scope_begins(const at::RecordFunction &f)
{
	gpusnap_annotate(f.name(), "START");
	return nullptr;
}
static void scope_ends(const at::RecordFunction &f, at::ObserverContext *)
{
	gpusnap_annotate(f.name(), "END");
}

// Makes the recording pool PyTorch's allocator; the recorder is open. Returns why it cannot be, or NULL.
EXPORT const char *gpusnap_torch_use(void)
{
	static std::string why;
	try {
		torch::cuda::CUDAPluggableAllocator::changeCurrentAllocator(std::make_shared<Recording>());
		backward::begin();
		at::addGlobalCallback(at::RecordFunctionCallback(scope_begins, scope_ends).scopes({ at::RecordScope::USER_SCOPE }));
		return nullptr;
	} catch (const std::exception &e) {
		why = e.what();
		return why.c_str();
	}
}
