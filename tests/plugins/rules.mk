# The pytest plugin and the callbacks of trainers, with a real PyTorch on the pretend CUDA. PLUGINS_VENV: an environment of the same
# Python with pytest, pytest-xdist, lightning, transformers and accelerate, which need not have torch: TORCH_VENV's is used.
PLUGINS_VENV ?= $(B)/plugins-$(TORCH)
.PHONY: check-plugins
check-plugins: all ## the pytest plugin and the callbacks for Lightning and the Hugging Face Trainer; needs PyPI
	@sh tests/torch/install.sh $(TORCH_VENV) $(TORCH) && sh tests/plugins/install.sh $(PLUGINS_VENV) $(TORCH_VENV) || { \
		echo "check-plugins: SKIPPED: torch $(TORCH), pytest, lightning or transformers cannot be installed here"; \
		echo "plugins: 0 passed, 0 failed, 1 skipped"; exit 0; }; \
	PYTHONPATH=tests/torch python3 tests/plugins/check_plugins.py $(PLUGINS_VENV)/bin/python $(B) $(CASES)
