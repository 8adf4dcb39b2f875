gpusnap.o: recorder/gpusnap.h
