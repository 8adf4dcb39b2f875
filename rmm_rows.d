rmm_rows.o: analyzer/read/rmm_rows.h
