/* The release of everything in this tree. */
#ifndef GS_SCHEMA_VERSION_H
#define GS_SCHEMA_VERSION_H

#define GS_RELEASE "1.0.0"

#endif
