/* The release of everything in this tree. */
#ifndef GS_SCHEMA_VERSION_H
#define GS_SCHEMA_VERSION_H

#define GS_RELEASE "1.0.0"
#define GS_RELEASED "November 30, 2026" /* the day, as manual pages have it */

#endif
