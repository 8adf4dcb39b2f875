// Between PyTorch's caching allocator and the recorder of watched devices (gpusnap.h): every event goes into the recorder's rings, and
// a failure becomes a dump, without a second history in PyTorch and without Python. Compiled on first use against the user's PyTorch.
//
// Rules that this rests on (PyTorch 2.6 to 2.15): the trace tracker is called with the device's allocator lock held, whether a history
// is on or not, and can never be detached. The context function is called on the allocating thread without that lock, before the
// request: there the stack is taken, since Python's interpreter lock may be needed for it. A context of a foreign type breaks the
// program's own snapshots, none does not. The observer of failures runs on the failing thread without the lock, before the exception.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include <ATen/record_function.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <torch/csrc/profiler/combined_traceback.h>

#include "gpusnap.h"
#include "torch_backward.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
namespace c10::cuda {
struct MemPoolContext; // of releases to 2.7
}
namespace cca = c10::cuda::CUDACachingAllocator;
using context = std::shared_ptr<c10::GatheredContext>;

// --- what Python told at the start ---------------------------------------------------------------------------------------------

struct device_facts {
	std::string name, uuid;
	int64_t capacity;
};
static std::vector<device_facts> devices;
static std::vector<std::pair<std::string, std::string>> settings; // those that do not change
static std::string release;                                       // of PyTorch, "2.6.0+cu124"
static bool from_start;                                           // nothing was allocated before

EXPORT void gpusnap_torch_device(const char *name, const char *uuid, int64_t capacity)
{
	devices.push_back({ name, uuid, capacity });
}

EXPORT void gpusnap_torch_setting(const char *name, const char *value)
{
	settings.emplace_back(name, value);
}

// --- events --------------------------------------------------------------------------------------------------------------------

static std::atomic<bool> on;
#define OF_THREAD static thread_local __attribute__((tls_model("initial-exec"))) // a word that is found without a call
OF_THREAD bool own_call; // events of our own snapshot are not the program's

struct own_calls {
	bool before = own_call;
	own_calls() { own_call = true; }
	~own_calls() { own_call = before; }
};

// What the blocks and events of the program's own history carry, if it has one.
static context gather_python() { return torch::CapturedTraceback::gather(true, true, false); }
static context gather_all() { return torch::CapturedTraceback::gather(true, true, true); }

static void give_layout();

template <context (*gather)()> static context with_ours()
{
	if (on) {
		give_layout();
		backward::named node;
		gpusnap_watch_call();
	}
	return gather();
}
static context nothing() { return nullptr; }

// When the entry was made, as the recorder's clock counts.
static uint64_t ticks_of(const cca::TraceEntry &e)
{
#ifdef C10_RDTSC
	return static_cast<uint64_t>(e.time_.approx_t_);
#else
	return 0;
#endif
}

template <class Entry> static auto put_pool(gpusnap_event_row &row, const Entry &e, int) -> decltype(e.mempool_, void())
{
	row.has_pool_id = 1;
	row.pool_id = { e.mempool_.first, e.mempool_.second };
}
template <class Entry> static void put_pool(gpusnap_event_row &, const Entry &, long)
{
}

// The device whose layout the calling thread is giving to the stream; −1: none.
OF_THREAD int layout_of = -1;
static constexpr int most_devices = 64; // of one process, that are watched
static bool streams; // a whole-run stream is written
static bool after_alloc[most_devices], begun[most_devices]; // under the device's lock

static void tell_active(int device)
{
	auto stats = cca::getDeviceStats(static_cast<c10::DeviceIndex>(device)); // its lock is held already, and may be taken again
	gpusnap_watch_active(device, static_cast<uint64_t>(stats.active_bytes[0].current));
}

static void tell_beginning(int device)
{
	gpusnap_device_row row{};
	row.size = sizeof row;
	row.device = device;
	row.name = devices[device].name.c_str();
	row.capacity = devices[device].capacity;
	row.complete = from_start;
	gpusnap_watch_device(&row, release.substr(0, release.find('+')).c_str());
}

// Sizes of blocks are not in the entries: what is active grows, behind an entry, by the block that it allocated.
static void tell_block(int device, bool alloc)
{
	if (device < 0 || device >= most_devices || static_cast<size_t>(device) >= devices.size())
		return;
	bool first = !begun[device];
	begun[device] = true;
	if (first)
		tell_beginning(device);
	if (first || after_alloc[device])
		tell_active(device);
	after_alloc[device] = alloc;
}

// An entry of a snapshot names device 0, whatever device it is of (to 2.15): a snapshot takes the devices in turn.
static int device_of(const cca::TraceEntry &e)
{
	static thread_local size_t turn;
	if (e.action_ != cca::TraceEntry::SNAPSHOT || devices.empty())
		return e.device_;
	if (e.device_ > 0)
		turn = static_cast<size_t>(e.device_);
	return static_cast<int>(turn++ % devices.size());
}

// empty_cache() leaves no entry of its own, and none at all where it had nothing to give back. Python tells of a call before it is
// made; it stands before the device's next entry, where the allocator's lock is held.
static std::atomic<bool> emptied[most_devices];

EXPORT void gpusnap_torch_emptied()
{
	for (size_t d = 0; on && d < devices.size() && d < most_devices; d++)
		emptied[d].store(true, std::memory_order_relaxed);
}

static void tell_emptied(int device)
{
	if (device < 0 || device >= most_devices || !emptied[device].load(std::memory_order_relaxed) || !emptied[device].exchange(false))
		return;
	if (streams)
		tell_block(device, false);
	gpusnap_event_row row{};
	row.size = sizeof row;
	row.device = device;
	row.action = GPUSNAP_EMPTY_CACHE;
	gpusnap_watch_event(&row);
}

static void on_entry(const cca::TraceEntry &e)
{
	int device = device_of(e);
	if (own_call && on && layout_of >= 0 && layout_of == device && e.action_ == cca::TraceEntry::SNAPSHOT && streams) {
		tell_block(device, false);
		gpusnap_watch_layout_here(device);
	}
	static const gpusnap_action actions[] = { GPUSNAP_ALLOC, GPUSNAP_FREE_REQUESTED, GPUSNAP_FREE_COMPLETED, GPUSNAP_SEGMENT_ALLOC,
		GPUSNAP_SEGMENT_FREE, GPUSNAP_SEGMENT_MAP, GPUSNAP_SEGMENT_UNMAP, GPUSNAP_SNAPSHOT, GPUSNAP_OOM, GPUSNAP_ANNOTATE };
	size_t action = static_cast<size_t>(e.action_);
	if (!on || own_call || action >= sizeof actions / sizeof *actions)
		return;
	tell_emptied(device);
	if (streams)
		tell_block(device, e.action_ == cca::TraceEntry::ALLOC);
	gpusnap_event_row row{};
	row.size = sizeof row;
	row.device = device;
	row.action = actions[action];
	row.address = e.addr_;
	row.bytes = e.size_;
	row.stream = reinterpret_cast<uint64_t>(e.stream_);
	row.ticks = ticks_of(e);
	put_pool(row, e, 0);
	gpusnap_watch_event(&row);
}

// --- annotations ---------------------------------------------------------------------------------------------------------------

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

// --- dumps ---------------------------------------------------------------------------------------------------------------------

struct failure {
	size_t asked, free;
};

struct builder {
	gpusnap_builder *b;
	builder() : b(gpusnap_watch_builder()) { TORCH_CHECK(b, gpusnap_error()); }
	~builder() { gpusnap_builder_free(b); }
};

static void must(gpusnap_status status)
{
	TORCH_CHECK(status == GPUSNAP_OK, gpusnap_error());
}

template <class Allocator> static auto take_snapshot(Allocator *a, int) -> decltype(a->snapshot(c10::cuda::MempoolId_t{ 0, 0 }, false))
{
	return a->snapshot(c10::cuda::MempoolId_t{ 0, 0 }, false); // without the program's own history
}
// To 2.7 a snapshot taken where a MemPool is active on the thread shows that pool alone: none is active meanwhile.
template <class Context, class = void> struct no_pool {};
template <class Context> struct no_pool<Context, decltype(void(sizeof(Context)))> {
	Context of_none{ nullptr };
};
template <class Allocator> static cca::SnapshotInfo take_snapshot(Allocator *a, long)
{
	no_pool<c10::cuda::MemPoolContext> whole;
	return a->snapshot();
}

static int64_t free_of(int device)
{
	size_t free = 0, total = 0;
	int before = 0;
	bool known = cudaGetDevice(&before) == cudaSuccess && cudaSetDevice(device) == cudaSuccess &&
		cudaMemGetInfo(&free, &total) == cudaSuccess;
	cudaSetDevice(before);
	return known ? static_cast<int64_t>(free) : GPUSNAP_UNKNOWN;
}

static int64_t allowed_on(int device)
{
	double fraction = cca::get()->getMemoryFraction(static_cast<c10::DeviceIndex>(device));
	return fraction < 1 ? static_cast<int64_t>(fraction * static_cast<double>(devices[device].capacity)) : GPUSNAP_UNKNOWN;
}

static void put_stat(gpusnap_builder *b, int device, const char *name, const char *pool, int64_t current)
{
	gpusnap_stat_row row{ sizeof row, device, name, pool, current, GPUSNAP_UNKNOWN, GPUSNAP_UNKNOWN, GPUSNAP_UNKNOWN };
	must(gpusnap_builder_stat(b, &row));
}

template <class Stat> static void put_stat(gpusnap_builder *b, int device, const char *name, const char *pool, const Stat &s)
{
	gpusnap_stat_row row{ sizeof row, device, name, pool, s.current, s.peak, s.allocated, s.freed };
	must(gpusnap_builder_stat(b, &row));
}

template <class Array> static void put_stats_of(gpusnap_builder *b, int device, const char *name, const Array &a)
{
	static const char *const pools[] = { "all", "small_pool", "large_pool" };
	for (size_t i = 0; i < 3; i++)
		put_stat(b, device, name, pools[i], a[i]);
}

static void put_stats(gpusnap_builder *b, int device, const c10::CachingDeviceAllocator::DeviceStats &s)
{
#define ARRAY(name) put_stats_of(b, device, #name, s.name);
#define NUMBER(name) put_stat(b, device, #name, nullptr, static_cast<int64_t>(s.name));
	ARRAY(allocation) ARRAY(segment) ARRAY(active) ARRAY(inactive_split) ARRAY(allocated_bytes) ARRAY(reserved_bytes)
	ARRAY(active_bytes) ARRAY(inactive_split_bytes) ARRAY(requested_bytes)
	put_stat(b, device, "oversize_allocations", nullptr, s.oversize_allocations);
	put_stat(b, device, "oversize_segments", nullptr, s.oversize_segments);
	NUMBER(num_alloc_retries) NUMBER(num_ooms) NUMBER(num_sync_all_streams) NUMBER(num_device_alloc) NUMBER(num_device_free)
	NUMBER(max_split_size)
}

static void put_settings(gpusnap_builder *b, const cca::AllocatorConfigInfo &c)
{
	std::string divisions = "{";
	for (size_t i = 0; i < c.roundup_power2_divisions.size(); i++)
		divisions += (i ? ", '" : "'") + std::to_string(1u << i) + "': " + std::to_string(c.roundup_power2_divisions[i]);
	char threshold[32];
	snprintf(threshold, sizeof threshold, "%.9g", c.garbage_collection_threshold);
	std::vector<std::pair<std::string, std::string>> now = { { "PYTORCH_CUDA_ALLOC_CONF", c.last_allocator_settings },
		{ "max_split_size", std::to_string(static_cast<int64_t>(c.max_split_size)) },
		{ "expandable_segments", c.expandable_segments ? "True" : "False" }, { "garbage_collection_threshold", threshold },
		{ "roundup_power2_divisions", divisions + "}" } };
	for (const auto &s : now)
		must(gpusnap_builder_setting(b, s.first.c_str(), s.second.c_str()));
	for (const auto &s : settings) {
		bool told = false;
		for (const auto &n : now)
			told |= n.first == s.first;
		if (!told)
			must(gpusnap_builder_setting(b, s.first.c_str(), s.second.c_str()));
	}
}

static void put_segment(gpusnap_builder *b, const cca::SegmentInfo &s)
{
	gpusnap_segment_row row{};
	row.size = sizeof row;
	row.device = s.device;
	row.address = s.address;
	row.bytes = s.total_size;
	row.stream = reinterpret_cast<uint64_t>(s.stream);
	row.pool_id = { s.owner_private_pool_id.first, s.owner_private_pool_id.second };
	row.pool = s.is_large ? GPUSNAP_LARGE : GPUSNAP_SMALL;
	row.expandable = s.is_expandable;
	must(gpusnap_builder_segment(b, &row));
	uint64_t address = s.address;
	for (const auto &k : s.blocks) {
		gpusnap_block_row block{};
		block.size = sizeof block;
		block.device = s.device;
		block.address = address;
		block.bytes = k.size;
		block.requested = static_cast<int64_t>(k.requested_size);
		block.state = k.allocated ? GPUSNAP_ACTIVE_ALLOCATED : k.active ? GPUSNAP_ACTIVE_PENDING_FREE : GPUSNAP_INACTIVE;
		block.event = GPUSNAP_UNKNOWN;
		if (block.state != GPUSNAP_INACTIVE)
			gpusnap_watch_block(&block);
		must(gpusnap_builder_block(b, &block));
		address += k.size;
	}
}

// --- layouts of the stream --------------------------------------------------------------------------------------------------

// Nothing may get out of here: the program deals with its own failure.
static void complain(const char *what)
{
	static std::atomic<bool> told;
	if (!told.exchange(true))
		fprintf(stderr, "gpusnap: no dump: %.*s\n", static_cast<int>(strcspn(what, "\n")), what);
}

static void fill_layout(gpusnap_builder *b, int device)
{
	gpusnap_device_row row{};
	row.size = sizeof row;
	row.device = device;
	row.capacity = devices[device].capacity;
	char pci[32] = "";
	if (cudaDeviceGetPCIBusId(pci, sizeof pci, device) != cudaSuccess)
		pci[0] = 0;
	int64_t reserved = cca::getDeviceStats(static_cast<c10::DeviceIndex>(device)).reserved_bytes[0].current;
	must(gpusnap_builder_outsiders(b, device, devices[device].uuid.c_str(), pci, reserved, &row.others));
	bool capturing = c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
	row.device_free = capturing ? GPUSNAP_UNKNOWN : free_of(device);
	row.allowed = allowed_on(device);
	must(gpusnap_builder_device(b, &row));
	layout_of = device;
	cca::SnapshotInfo info = take_snapshot(cca::get(), 0); // from here on the device's lock may be held by one who waits for the stream
	layout_of = -1;
	put_settings(b, info.config_metadata);
	for (const auto &s : info.segments)
		if (s.device == device)
			put_segment(b, s);
}

// The stream wants a layout of a device now and then.
static void give_layout()
{
	static std::atomic<bool> failed;
	int device = own_call || !streams || failed ? -1 : gpusnap_watch_layout_due();
	if (device < 0 || static_cast<size_t>(device) >= devices.size())
		return;
	own_calls quiet;
	try {
		builder of;
		fill_layout(of.b, device);
		gpusnap_watch_layout(of.b, device);
	} catch (const std::exception &e) {
		layout_of = -1;
		failed = true;
		gpusnap_watch_layout(nullptr, device);
		complain(e.what());
	}
}

static gpusnap_device_row put_device(gpusnap_builder *b, int device, int64_t reserved, const failure *f, gpusnap_watched &told)
{
	told.size = sizeof told;
	if (gpusnap_watch_rows(b, device, &told) != GPUSNAP_OK)
		told.oom = -1; // nothing happened there
	bool at_oom = f && told.oom >= 0 && !told.acted_after;
	if (f && !at_oom)
		must(gpusnap_builder_warning(b, ("device " + std::to_string(device) +
			": other threads acted between the failure and this dump").c_str()));
	gpusnap_device_row row{};
	row.size = sizeof row;
	row.device = device;
	row.name = devices[device].name.c_str();
	row.capacity = devices[device].capacity;
	row.device_free = f ? static_cast<int64_t>(f->free) : free_of(device);
	row.allowed = allowed_on(device);
	char pci[32] = "";
	if (cudaDeviceGetPCIBusId(pci, sizeof pci, device) != cudaSuccess)
		pci[0] = 0;
	must(gpusnap_builder_outsiders(b, device, devices[device].uuid.c_str(), pci, reserved, &row.others));
	row.dropped = told.dropped;
	row.complete = from_start && !told.dropped;
	row.layout_at_oom = at_oom;
	must(gpusnap_builder_device(b, &row));
	return row;
}

static void put_oom(gpusnap_builder *b, const gpusnap_device_row &device, const failure &f, const gpusnap_watched &told,
	const c10::CachingDeviceAllocator::DeviceStats &stats)
{
	bool known = told.oom >= 0;
	gpusnap_oom_row row{};
	row.size = sizeof row;
	row.device = device.device;
	row.event = known ? told.oom : GPUSNAP_UNKNOWN;
	row.time_us = known ? told.time_us : GPUSNAP_UNKNOWN;
	row.requested = known ? told.requested : GPUSNAP_UNKNOWN;
	row.needed = static_cast<int64_t>(f.asked);
	row.stream = known ? static_cast<int64_t>(told.stream) : GPUSNAP_UNKNOWN;
	row.device_free = device.device_free;
	row.capacity = device.capacity;
	row.allocated = stats.allocated_bytes[0].current;
	row.reserved = stats.reserved_bytes[0].current;
	row.allowed = device.allowed;
	row.pool = !known ? GPUSNAP_CLASS_UNKNOWN : told.requested <= 1 << 20 ? GPUSNAP_SMALL : GPUSNAP_LARGE;
	row.has_pool_id = known && told.has_pool_id;
	row.pool_id = told.pool_id;
	row.stack = known ? told.stack : 0;
	must(gpusnap_builder_oom(b, &row));
}

static void fill(gpusnap_builder *b, int failing, const failure *f)
{
	cca::SnapshotInfo info = take_snapshot(cca::get(), 0);
	must(gpusnap_builder_fact(b, "tool", ("PyTorch " + release).c_str()));
	must(gpusnap_builder_fact(b, "rules", release.substr(0, release.find('+')).c_str()));
	must(gpusnap_builder_fact(b, "library", "pytorch"));
	put_settings(b, info.config_metadata);
	std::set<int> used = { failing };
	for (const auto &s : info.segments)
		used.insert(s.device);
	for (int device : used) {
		gpusnap_watched told{};
		auto stats = cca::getDeviceStats(static_cast<c10::DeviceIndex>(device));
		gpusnap_device_row row = put_device(b, device, stats.reserved_bytes[0].current, device == failing ? f : nullptr, told);
		put_stats(b, device, stats);
		if (f && device == failing)
			put_oom(b, row, *f, told, stats);
	}
	for (const auto &s : info.segments)
		put_segment(b, s);
}

static gpusnap_status write_dump(int device, const failure *f, const char *path, gpusnap_reason reason, char *written, size_t cap)
{
	own_calls quiet;
	builder of;
	TORCH_CHECK(device >= 0 && static_cast<size_t>(device) < devices.size(), "there is no device ", device);
	fill(of.b, device, f);
	must(gpusnap_builder_reason(of.b, reason));
	if (f)
		must(gpusnap_watch_failed(of.b, device));
	return gpusnap_builder_write(of.b, device, path, 0, written, cap);
}

static void on_oom(int64_t device, size_t asked, size_t, size_t free)
{
	int saved = errno;
	if (on && !own_call && gpusnap_watch_failure(static_cast<int>(device)) == GPUSNAP_OK) {
		try {
			failure f = { asked, free };
			write_dump(static_cast<int>(device), &f, nullptr, GPUSNAP_BY_FAILURE, nullptr, 0);
		} catch (const std::exception &e) {
			complain(e.what());
		}
	}
	errno = saved;
}


// why: cap bytes for the reason of a failure, whose status is returned (−1: PyTorch's).
EXPORT int gpusnap_torch_dump(int device, const char *path, int reason, char *written, size_t cap, char *why)
{
	try {
		int status = write_dump(device, nullptr, path, static_cast<gpusnap_reason>(reason), written, cap);
		snprintf(why, cap, "%s", status ? gpusnap_error() : "");
		return status;
	} catch (const std::exception &e) {
		snprintf(why, cap, "%.*s", static_cast<int>(strcspn(e.what(), "\n")), e.what());
		return -1;
	}
}

// --- beginning -----------------------------------------------------------------------------------------------------------------

// The history whose context function is ours: PyTorch's own ring has that many entries then. Releases from 2.8 on ask whether to clear it
// first, from 2.11 on also what to leave out.
template <class Allocator>
static auto record(Allocator *a, cca::CreateContextFn f, size_t entries, cca::RecordContext when, const std::vector<std::string> &skipped, int)
	-> decltype(a->recordHistory(true, f, entries, when, false, skipped))
{
	return a->recordHistory(true, f, entries, when, false, skipped);
}
template <class Allocator>
static auto record(Allocator *a, cca::CreateContextFn f, size_t entries, cca::RecordContext when, const std::vector<std::string> &, long)
	-> decltype(a->recordHistory(true, f, entries, when, false))
{
	return a->recordHistory(true, f, entries, when, false);
}
template <class Allocator>
static auto record(Allocator *a, cca::CreateContextFn f, size_t entries, cca::RecordContext when, const std::vector<std::string> &, ...)
	-> decltype(a->recordHistory(true, f, entries, when))
{
	return a->recordHistory(true, f, entries, when);
}

// A history of ours is there for its context function alone: what PyTorch would keep of its entries is left out, where it can be, since
// keeping them takes half as long as all else that is done for an event.
static void record_nothing()
{
	static const std::vector<std::string> every = { "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free",
		"segment_map", "segment_unmap", "snapshot", "oom" };
	try {
		record(cca::get(), with_ours<nothing>, 1, cca::RecordContext::STATE, every, 0);
	} catch (const std::exception &) { // a release that calls one otherwise
		record(cca::get(), with_ours<nothing>, 1, cca::RecordContext::STATE, {}, 0);
	}
}

// After the program began a history of its own, or ended it (entries 0): its context function is ours again, and does what theirs
// did. when: PyTorch's RecordContext; stacks: n(one), p(ython) or a(ll). skipped: names of actions, a line each.
EXPORT void gpusnap_torch_history(size_t entries, int when, char stacks, const char *skipped)
{
	std::vector<std::string> names;
	for (const char *end; *skipped; skipped = *end ? end + 1 : end) {
		end = skipped + strcspn(skipped, "\n");
		names.emplace_back(skipped, end);
	}
	bool gathers = entries && when;
	cca::CreateContextFn f = !gathers ? with_ours<nothing> : stacks == 'a' ? with_ours<gather_all> : with_ours<gather_python>;
	auto level = static_cast<cca::RecordContext>(when ? when : 1);
	try {
		record(cca::get(), f, entries ? entries : 1, level, names, 0);
	} catch (const std::exception &e) {
		complain(e.what());
	}
}

// Returns why it cannot be done, or NULL.
EXPORT const char *gpusnap_torch_watch(const char *torch, int began_empty)
{
	static std::string why;
	try {
		release = torch;
		from_start = began_empty;
		streams = gpusnap_watch_streams();
		cca::attachAllocatorTraceTracker(on_entry);
		cca::attachOutOfMemoryObserver(on_oom);
		record_nothing();
		backward::begin();
		at::addGlobalCallback(at::RecordFunctionCallback(scope_begins, scope_ends).scopes({ at::RecordScope::USER_SCOPE }));
		on = true;
		return nullptr;
	} catch (const std::exception &e) {
		why = e.what();
		return why.c_str();
	}
}
