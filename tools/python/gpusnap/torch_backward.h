// Names for the memory of the backward pass, for both ways of recording PyTorch. Autograd's engine
// runs on threads of its own, where no frame tells who asked. The node that runs there is known,
// and by its sequence number the operation that made it.
//
// Rules that this rests on (PyTorch 2.6 to 2.15): get_current_node() is the node that the engine
// evaluates on this thread, also while it adds what several nodes give. Sequence numbers are
// counted by each thread that runs forward, and a node keeps its thread's id. An operation that
// autograd differentiates tells observers, before it begins, the number that its first node will
// get: a node belongs to the last operation that began at its number or below.
#ifndef GPUSNAP_TORCH_BACKWARD_H
#define GPUSNAP_TORCH_BACKWARD_H

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <typeinfo>

#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>

#include "gpusnap.h"

namespace backward
{

// Where operations were called from, by thread and sequence number: the last million. An entry is
// one word, so that who reads while another writes gets the one or the other: what the index leaves
// of number and thread, and the place.
class places
{
	static constexpr uint64_t SIZE = 1 << 20, DISTANCE = 64;
	std::unique_ptr<std::atomic<uint64_t>[]> entries_;

	static uint64_t index(uint64_t thread, uint64_t number)
	{
		return (number + thread * 0x9E3779B1) % SIZE;
	}
	static uint64_t rest(uint64_t thread, uint64_t number)
	{
		return ((number / SIZE & 0xFFFF) << 16 | (thread & 0xFFFF)) << 32;
	}

  public:
	places() : entries_(new std::atomic<uint64_t>[SIZE]()) {}

	void put(uint64_t thread, uint64_t number, gpusnap_id place)
	{
		entries_[index(thread, number)].store(
			rest(thread, number) | place, std::memory_order_relaxed);
	}

	// An operation may make several nodes: its place is at the first one's number. 0: not known.
	gpusnap_id find(uint64_t thread, uint64_t number) const
	{
		for (uint64_t back = 0; back <= number && back < DISTANCE; back++) {
			uint64_t e = entries_[index(thread, number - back)].load(std::memory_order_relaxed);
			if (e && (e >> 32 << 32) == rest(thread, number - back))
				return static_cast<gpusnap_id>(e);
		}
		return 0;
	}
};

inline std::atomic<places *> &asked()
{
	static std::atomic<places *> all;
	return all;
}

// "torch::autograd::AccumulateGrad" without its name spaces; template arguments keep theirs.
inline std::string plain(const std::string &name)
{
	size_t arguments = name.find('<'), colons = name.rfind("::", arguments);
	return colons == std::string::npos ? name : name.substr(colons + 2);
}

// While it lives, stacks of this thread tell of the node that is evaluated.
class named
{
	bool set_ = false;

  public:
	named()
	{
		auto node = torch::autograd::get_current_node();
		if (!node)
			return;
		const places *all = asked().load(std::memory_order_relaxed);
		bool counted = node->sequence_nr() !=
			UINT64_MAX; // what adds gradients up belongs to no operation
		gpusnap_work_for(plain(node->name()).c_str(),
			all && counted ? all->find(node->thread_id(), node->sequence_nr()) : 0);
		set_ = true;
	}
	~named()
	{
		if (set_)
			gpusnap_work_for(nullptr, 0);
	}
	named(const named &) = delete;
	named &operator=(const named &) = delete;
};

inline std::unique_ptr<at::ObserverContext> operation_begins(const at::RecordFunction &f)
{
	// numbers of what runs in the backward pass are those of forward, and the thread is then told
	if (f.seqNr() >= 0 && f.forwardThreadId() == 0) {
		named node; // what is computed again, or is to be differentiated twice
		asked()
			.load(std::memory_order_relaxed)
			->put(at::RecordFunction::currentThreadId(), static_cast<uint64_t>(f.seqNr()),
				gpusnap_place());
	}
	return nullptr;
}

// From now on, where GPUSNAP_BACKWARD asks for it.
inline void begin()
{
	if (!gpusnap_wants_places() || asked())
		return;
	asked() = new places;
	at::addGlobalCallback(
		at::RecordFunctionCallback(operation_begins).scopes({at::RecordScope::FUNCTION}));
}

} // namespace backward

#endif
