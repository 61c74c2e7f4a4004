// HTTP through libcurl, loaded privately on the first request (docs/decisions.md).
#ifndef MAYDAY_CCURL_H
#define MAYDAY_CCURL_H
#endif
